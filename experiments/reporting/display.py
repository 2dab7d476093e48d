"""How results are shown: tables on the terminal, marked where they are simulated, and figures as files.

Some tables show published figures, of language models, beside those of the run: in columns, rows and notes
that say `published`. Beside simulated results they are left out, and the title has the mark.

A figure is the same bytes whenever it is drawn from the same data, as PNG and SVG. matplotlib is loaded when
something is drawn, as most of what a command can do draws nothing.
"""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import rich.table
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape

from agents.llm.errors import ErrorKind, LLMError
from experiments.config import EXIT_CONFIG, EXIT_MACHINE
from experiments.reporting.statistics import Estimate
from experiments.reporting.tables import Table
from experiments.runs.marks import title

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"
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
    from matplotlib import figure as drawn
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = drawn.Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def bar(axes: Axes, place: int, found: Estimate, target: float | None = None, **look: Any) -> None:
    """Draw a share as a bar with its interval; a target is a red line across it."""
    if found.mean is not None and found.low is not None and found.high is not None:
        reach = [[max(0.0, found.mean - found.low)], [max(0.0, found.high - found.mean)]]
        axes.bar(place, found.mean, yerr=reach, width=0.6, alpha=0.8, capsize=3, **look)
    if target is not None:
        axes.hlines(target, place - 0.4, place + 0.4, color="tab:red", linewidth=1.5)


def save(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Write `path` with .png and with .svg behind it; parent folders are made. Returns the two files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    png, svg = (path.with_name(f"{path.name}.{kind}") for kind in ("png", "svg"))
    for file in (png, svg):
        file.write_bytes(rendered(figure, file.suffix.removeprefix(".")))
    return png, svg


def rendered(figure: Figure, kind: str) -> bytes:
    """A figure as `png` or `svg`; equal figures give equal bytes."""
    import matplotlib

    # A fixed salt and no date, or every drawing would be another file.
    metadata = {"png": {"Software": f"matplotlib {matplotlib.__version__}"}, "svg": {"Date": None}}[kind]
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "groundwalk"}):
        figure.savefig(buffer, format=kind, dpi=120, metadata=metadata)
    return buffer.getvalue()


#: Errors that the user fixes, not time.
_OF_CONFIG = (
    ErrorKind.AUTH, ErrorKind.CONFIG, ErrorKind.REPLAY_MISS, ErrorKind.JOURNAL, ErrorKind.NOT_FOUND,
    ErrorKind.BAD_REQUEST,
)  # fmt: skip


def wide_console(**options: Any) -> Console:
    """The terminal, with `options` of rich; where there is none, lines that a table fits in.

    `toytext:Taxi:` in a line is a name, no picture.
    """
    return Console(width=None if sys.stdout.isatty() else 160, emoji=False, **options)


def exit_code_of(error: LLMError) -> int:
    """The exit code for a command that this error ended."""
    return EXIT_CONFIG if error.kind in _OF_CONFIG else EXIT_MACHINE
