"""Episodes that a language model did not answer: nobody's score, so they stand beside the means.

An episode's results are its candidates: every domain, and every first problem that is none, as no domain is
asked for it. One that makes no model has its tasks instead. It is unanswered if none of its results comes
from an answer: each was empty, refused, withheld or cut off, or its request was refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from ew.score.rating import Outcome
from experiments.runs.records import NodeRecord, TaskOutcome, TaskRecord


def is_unanswered(nodes: Sequence[NodeRecord], tasks: Sequence[TaskRecord]) -> bool:
    """Whether these candidates and tasks of one episode hold nothing that came of an answer."""
    candidates = [node for node in nodes if "." in node.id or node.problem is None]
    if candidates:
        return all(node.outcome == Outcome.NO_ANSWER.name for node in candidates)
    return bool(tasks) and all(task.outcome is TaskOutcome.NO_ANSWER for task in tasks)
