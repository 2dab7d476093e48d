"""Were the problems of the counted tasks right? A plan that works does not show it: a goal may want too much.

The problem that a model solved a task with is held against the true one, told in the true domain's words
(`envs.pddl.equivalence.aligned`). Where the model's domain is not the true one, whatever it does in the
tasks, nothing is said of its problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from envs.pddl.equivalence.compare import Verdict
from experiments.reporting.tables import Table
from experiments.runs.records import TaskRecord

_COLUMNS = ("env", "method", "tasks", "solved", "correct", "different", "undecided", "solved, different")
_NOTES = (
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
    return (Table("Problems of the tasks, judged", _COLUMNS, rows, _NOTES),) if rows else ()


def _compared(task: TaskRecord) -> bool:
    return bool(task.meaning)


def _counts(tasks: list[TaskRecord]) -> tuple[int, ...]:
    found = Counter(task.meaning for task in tasks)
    wrong = sum(task.solved and task.meaning == Verdict.DIFFERENT for task in tasks)
    undecided = found[Verdict.UNSUPPORTED] + found[Verdict.TIMEOUT]
    solved = sum(task.solved for task in tasks)
    return len(tasks), solved, found[Verdict.EQUIVALENT], found[Verdict.DIFFERENT], undecided, wrong
