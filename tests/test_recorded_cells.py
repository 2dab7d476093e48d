"""docs/experiments.md lists the cells of the published table that are recorded: those that there are."""

from __future__ import annotations

from pathlib import Path

from experiments.recordings import packaged
from experiments.reporting.published_table2 import PAPER_ENVS
from experiments.studies.comparisons import Table2Config

DOCUMENT = Path(__file__).parent.parent / "docs" / "experiments.md"


def row(method: str) -> str:
    """The line of a method: its environments with the most tasks that any recording answers."""
    tasks: dict[str, int] = {}
    for cover in (cover for shelved in packaged() for cover in shelved.covers if cover.method == method):
        tasks[cover.env] = max(cover.tasks, tasks.get(cover.env, 0))
    cells = ", ".join(f"{env} {tasks[env]}" for env in PAPER_ENVS if env in tasks)
    return f"| `{method}` | {cells or '–'} |"


def test_the_document_lists_what_is_recorded() -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    missing = [line for line in map(row, Table2Config().method) if line not in lines]
    assert not missing, "docs/experiments.md needs these lines:\n" + "\n".join(missing)
