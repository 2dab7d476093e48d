"""How results are shown: tables on the terminal, marked where they are simulated, and figures as files.

Some tables show published figures, of language models, beside those of the run: in columns, rows and notes
that say `published`. Beside simulated results they are left out, and the title has the mark.

A figure is the same bytes whenever it is drawn from the same data, as PNG and SVG. matplotlib is loaded when
something is drawn, as most of what a command can do draws nothing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich.table
from rich.box import SIMPLE
from rich.markup import escape

from experiments.reporting.tables import Table
from experiments.runs.marks import title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_WORD = "published"
#: Columns of words, which may take several lines.
_WRAPPED = ("outcomes", "actions", "doubt", "the text, as read", "in the environment", "evidence")


def marked(table: Table, label: str) -> Table:
    """The table as it is shown where the simulated model `label` answered; as it is if that is empty."""
    if not label:
        return table
    kept = [place for place, column in enumerate(table.columns) if not _is_published(column)]
    own = [row for row in table.rows if not _is_published(row[0])]
    return replace(
        table,
        title=title(table.title, label),
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in own),
        notes=tuple(note for note in table.notes if not _is_published(note)),
    )


def _is_published(name: str) -> bool:
    """`published`, `published: …`, `published, …` or `…, published`; not a name that only holds the word."""
    text = name.lower()
    return text == _WORD or text.startswith((f"{_WORD}:", f"{_WORD},")) or text.endswith(f", {_WORD}")


def rich_table(table: Table) -> rich.table.Table:
    """A table for the terminal."""
    notes = "\n".join(table.notes) or None
    shown = rich.table.Table(
        title=table.title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0), caption=notes,
        caption_justify="left",
    )  # fmt: skip
    for column in table.columns:
        shown.add_column(column, overflow="fold", no_wrap=column not in _WRAPPED)
    for row in table.rows:
        shown.add_row(*map(escape, row))
    return shown


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Write `path` with .png and with .svg behind it; parent folders are made. Returns the two files."""
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    png, svg = path.with_name(path.name + ".png"), path.with_name(path.name + ".svg")
    figure.savefig(png, dpi=120, metadata={"Software": f"matplotlib {matplotlib.__version__}"})
    # A fixed salt and no date, or every drawing would be another file.
    with matplotlib.rc_context({"svg.hashsalt": "groundwalk"}):
        figure.savefig(svg, metadata={"Date": None})
    return png, svg
