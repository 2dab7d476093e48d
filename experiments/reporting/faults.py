"""What went wrong in a run: internal errors, unanswered episodes, failed and incomplete calls.

Internal errors: every unit ends in a named outcome or in a fault with a cause outside this program. Anything
else is an error of this program or an unknown outcome code; it is listed, and the command exits with 1.

Unanswered: an episode that a language model did not answer has no score, so it stands beside the means. An
episode's results are its candidates: every domain, and every first problem that is none, as no domain is
requested for it. One that makes no model has its tasks instead. It is unanswered if none of its results comes
from an answer: each was empty, refused, withheld or cut off, or its request was refused.

The table of calls is made from a run's journal. A run whose calls all gave whole answers at the first request
has no such table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agents.llm.interface import Finish
from ew.score.rating import Outcome
from experiments.reporting.tables import Table
from experiments.runs.frames import DataFrame
from experiments.runs.ledger import Ledger
from experiments.runs.records import FaultKind, NodeRecord, TaskOutcome, TaskRecord

#: Faults with a cause outside this program.
_OUTSIDE = frozenset(kind.value for kind in FaultKind if kind is not FaultKind.PROGRAM)
#: Endings of completions that are counted besides samples, in the order of the columns.
_ENDINGS = {
    Finish.LENGTH: "cut off", Finish.REFUSAL: "refused", Finish.FILTER: "withheld", Finish.EMPTY: "empty",
    Finish.CONTEXT: "too long", Finish.REJECTED: "request refused",
}  # fmt: skip


@dataclass(frozen=True)
class InternalError:
    """An error of this program or an unknown outcome code: where it was met, and what is known of it."""

    where: str
    what: str


def is_internal(kind: str) -> bool:
    """Whether a fault of that kind is an error of this program."""
    return kind not in _OUTSIDE


def internal_errors(ledger: Ledger) -> tuple[InternalError, ...]:
    """Faults that are errors of this program, then candidates with an unknown outcome code."""
    faults = [InternalError(f["name"], f["message"]) for f in ledger.faults if is_internal(f["kind"])]
    unknown = [
        InternalError(f"{name}, candidate {node.id}", f"unknown outcome {node.outcome}")
        for unit, name in ledger.begun
        for node in ledger.nodes(unit)
        if node.outcome not in Outcome.__members__
    ]
    return (*faults, *unknown)


def is_unanswered(nodes: Sequence[NodeRecord], tasks: Sequence[TaskRecord]) -> bool:
    """Whether these candidates and tasks of one episode hold nothing that came of an answer."""
    candidates = [node for node in nodes if "." in node.id or node.problem is None]
    if candidates:
        return all(node.outcome == Outcome.NO_ANSWER.name for node in candidates)
    return bool(tasks) and all(task.outcome is TaskOutcome.NO_ANSWER for task in tasks)


def endpoint_tables(calls: DataFrame) -> tuple[Table, ...]:
    """The table, with a row for each model that something went wrong with; none if there is none.

    `calls`: those of a run, see `experiments.runs.frames`. Samples count what was given, retries the requests
    that were sent again, `all alike` the requests above temperature 0 whose samples are all the same text.
    Failed calls are those given up, by kind.
    """
    columns = ("model", "samples", *_ENDINGS.values(), "cut prompt", "all alike", "retries", "failed calls")
    rows = []
    for model, mine in calls.groupby("model"):
        drawn = mine[(mine.temperature != 0) & mine.text.notna()].drop_duplicates(
            ["request", "sample"], keep="last"
        )
        texts = drawn.groupby("request").text.agg(["size", "nunique"])
        counts = [
            *(int((mine.finish == finish.value).sum()) for finish in _ENDINGS),
            int(mine.truncated_prompt.sum()),
            int(((texts["size"] > 1) & (texts["nunique"] == 1)).sum()),
            int(mine.retries.sum()),
        ]
        failed = ", ".join(f"{n} {kind}" for kind, n in sorted(Counter(mine.failure.dropna()).items()))
        if any(counts) or failed:
            rows.append((str(model), str(mine.answer.sum()), *map(str, counts), failed or "0"))
    return (Table("Endpoint", columns, tuple(rows)),) if rows else ()
