"""What a run's tables of results do not show of its tasks: doubts about their texts, and wrong problems.

A doubt (`ew.counterexample.doubts`) is what to look at in a text before a model is blamed.

Were the problems of the counted tasks right? A plan that works does not show it: a goal may want too much.
The problem that a model solved a task with is compared with the true one, written in the true domain's words
(`envs.pddl.equivalence.aligned`). Where the model's domain is not the true one, whatever it does in the
tasks, nothing is said of its problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from envs.pddl.equivalence.compare import Verdict
from ew.counterexample.doubts import Doubt
from experiments.reporting.tables import Table
from experiments.runs.records import EpisodeRecord, NodeRecord, TaskRecord

_DOUBT_COLUMNS = (
    "env",
    "method",
    "seed",
    "task",
    "doubt",
    "the text, as read",
    "in the environment",
    "evidence",
)
_DOUBT_NOTES = (
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
    return (
        (Table("Doubts about the texts of tasks", _DOUBT_COLUMNS, tuple(sorted(rows)), _DOUBT_NOTES),)
        if rows
        else ()
    )


_MEANING_COLUMNS = (
    "env",
    "method",
    "tasks",
    "solved",
    "correct",
    "different",
    "undecided",
    "solved, different",
)
_MEANING_NOTES = (
    "correct: the task's problem is the same planning problem as the true one, names of predicates and what "
    "goals imply aside, with a plan or without. undecided: mostly as the domain is not the true one, "
    "so that problems cannot be compared. Of tasks without a problem that can be read nothing is said.",
)


def meaning_tables(tasks: Iterable[TaskRecord]) -> tuple[Table, ...]:
    """The table of each environment's and method's problems; none if no problem was compared."""
    groups: dict[tuple[str, str], list[TaskRecord]] = {}
    for task in sorted(tasks, key=lambda t: (t.env, t.arm, t.seed, t.task)):
        groups.setdefault((Path(task.env).name, task.arm), []).append(task)
    rows = tuple(
        (*key, *map(str, _counts(some))) for key, some in groups.items() if any(map(_compared, some))
    )
    return (Table("Problems of the tasks, judged", _MEANING_COLUMNS, rows, _MEANING_NOTES),) if rows else ()


def _compared(task: TaskRecord) -> bool:
    return bool(task.meaning)


def _counts(tasks: list[TaskRecord]) -> tuple[int, ...]:
    found = Counter(task.meaning for task in tasks)
    wrong = sum(task.solved and task.meaning == Verdict.DIFFERENT for task in tasks)
    undecided = found[Verdict.UNSUPPORTED] + found[Verdict.TIMEOUT]
    solved = sum(task.solved for task in tasks)
    return len(tasks), solved, found[Verdict.EQUIVALENT], found[Verdict.DIFFERENT], undecided, wrong
