"""Tables of simulated results: with the mark in their titles, and without the figures of language models.

Some tables show published figures, of language models, beside those of the run: in columns, rows and notes
that say `published`. Beside simulated results they are left out.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.reporting.tables import Table
from experiments.runs.marks import title

_WORD = "published"


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
