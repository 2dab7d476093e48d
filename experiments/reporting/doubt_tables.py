"""Doubts about the texts of tasks: what to look at in a text before a model is blamed. See
`ew.counterexample.doubts`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ew.counterexample.doubts import Doubt
from experiments.reporting.tables import Table
from experiments.runs.records import EpisodeRecord, NodeRecord, TaskRecord

_COLUMNS = ("env", "method", "seed", "task", "doubt", "the text, as read", "in the environment", "evidence")
_NOTES = (
    "A doubt is raised where the domain works in another task and this one's text, as it was read, does not "
    "agree with the environment. The text may be wrong or incomplete, or it was misread.",
)


def doubt_tables(
    episodes: Iterable[EpisodeRecord], tasks: Iterable[TaskRecord], nodes: Mapping[str, Sequence[NodeRecord]]
) -> tuple[Table, ...]:
    """The table of all doubts, each once an episode; none if there is no doubt. `nodes` are by unit."""
    ended = {e.unit: e for e in episodes}
    found: dict[tuple[str, str, str, str], tuple[EpisodeRecord, Doubt]] = {}
    raised = [(t.unit, doubt) for t in tasks for doubt in t.doubts]
    raised += [(e.unit, doubt) for e in ended.values() for doubt in e.doubts]
    raised += [(unit, doubt) for unit, some in nodes.items() for node in some for doubt in node.doubts]
    for unit, doubt in raised:
        if unit in ended:
            found.setdefault((unit, doubt.task, doubt.kind, doubt.subject), (ended[unit], doubt))
    rows = [
        (
            Path(e.env).name, e.arm, str(e.seed), d.task, f"{d.kind} {d.subject}", d.says, d.showed,
            d.evidence,
        )
        for e, d in found.values()
    ]  # fmt: skip
    return (Table("Doubts about the texts of tasks", _COLUMNS, tuple(sorted(rows)), _NOTES),) if rows else ()
