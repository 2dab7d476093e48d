"""Tables as they are shown: on the terminal, and marked where results are simulated.

Some tables show published figures, of language models, beside those of the run: in columns, rows and notes
that say `published`. Beside simulated results they are left out, and the title has the mark.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import rich.table
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape

from experiments.reporting.tables import Table
from experiments.runs.marks import title

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


def wide_console() -> Console:
    """The terminal; where there is none, lines that a table fits in."""
    return Console(width=None if sys.stdout.isatty() else 160)


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
