"""A table as text, and the forms it is written in: CSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from experiments.runs.frames import DataFrame

#: A column of a table by its title: a function of an item, or the name of its attribute (`a.b` too).
Columns = Mapping[str, str | Callable[[Any], object]]
#: In a cell without a value.
NOTHING = "–"


@dataclass(frozen=True)
class Table:
    """A table as text, to be written in any form."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()  #: what a reader must know to read it rightly, a sentence each

    @classmethod
    def of(cls, title: str, items: Iterable[Any], columns: Columns, notes: Iterable[str] = ()) -> Table:
        """A row for each item, with the cells that `columns` give."""
        read = [attrgetter(c) if isinstance(c, str) else c for c in columns.values()]
        rows = tuple(tuple(cell(column(item)) for column in read) for item in items)
        return cls(title, tuple(columns), rows, tuple(notes))


def cell(value: object) -> str:
    """The text of a value: two decimals of a float, a dash for None."""
    if value is None:
        return NOTHING
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def two(value: float | None) -> str:
    """Two decimals, or a dash for None."""
    return cell(None if value is None else float(value))


def listed(counts: Mapping[str, int]) -> str:
    """`2 missing effect, 1 wrong type`: the most frequent first, then by name; a dash for none."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{n} {name}" for name, n in ordered) or NOTHING


def rows_of(frame: DataFrame) -> Iterable[Any]:
    """The rows of a data frame, columns as attributes; a missing value is None."""
    columns = [
        [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
        for _, column in frame.items()
    ]
    row: Any = namedtuple("Row", list(frame.columns))  # type: ignore[misc]
    return map(row._make, zip(*columns, strict=True))


def slug(table: Table) -> str:
    """A name for a file of the table: its title up to the first bracket or comma."""
    words = re.split(r"[(,:]", table.title, maxsplit=1)[0]
    return "-".join(re.findall(r"[a-z0-9]+", words.lower()))


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated text with a header and plain line breaks; a None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def markdown(table: Table) -> str:
    """A title, a pipe table, and its notes."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    body = "".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |\n" for line in lines)
    return f"{table.title}\n\n{body}" + "".join(f"\n{note}\n" for note in table.notes)


def latex(table: Table) -> str:
    """A `tabular` with booktabs rules, its title and notes as comments."""
    head, *body = (" & ".join(map(_tex, row)) + r" \\" for row in (table.columns, *table.rows))
    comments = [f"% {line}" for line in (table.title, *table.notes)]
    begin = rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}"
    lines = [*comments, begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _tex(text: str) -> str:
    for character in "&%_#$":
        text = text.replace(character, "\\" + character)
    return text.replace("–", "--")
