"""What went wrong in a run, by any cause: internal errors, unanswered episodes, trouble with calls.

Unexplained: every unit ends in an outcome with a name or in a fault with somebody to blame. Whatever does not
is an error of ours or an unknown outcome; it is listed, and a run with such a thing ends with another exit
code.

Unanswered: an episode that a language model did not answer is nobody's score, so it stands beside the means.
An episode's results are its candidates: every domain, and every first problem that is none, as no domain is
asked for it. One that makes no model has its tasks instead. It is unanswered if none of its results comes
from an answer: each was empty, refused, withheld or cut off, or its request was refused.

Trouble with calls is a table made from a run's journal. A run that was given only whole answers at the first
try has no such table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agents.llm.errors import LLMError
from agents.llm.interface import Finish
from agents.llm.journal import Journal, RecordedCall
from agents.llm.keys import digest
from ew.score.rating import Outcome
from experiments.reporting.tables import Table
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.records import FaultKind, NodeRecord, TaskOutcome, TaskRecord

#: Faults for which somebody or something else is to blame.
_EXPLAINED = frozenset(kind.value for kind in FaultKind if kind is not FaultKind.PROGRAM)
#: What is counted besides samples, in the order of the columns.
_TROUBLE = {
    Finish.LENGTH: "cut off",
    Finish.REFUSAL: "refused",
    Finish.FILTER: "withheld",
    Finish.EMPTY: "empty",
    Finish.CONTEXT: "too long",
    Finish.REJECTED: "request refused",
}
_CUT_PROMPT, _ALIKE, _RETRIES, _FAILED = "cut prompt", "all alike", "retries", "failed calls"
_COLUMNS = ("model", "samples", *_TROUBLE.values(), _CUT_PROMPT, _ALIKE, _RETRIES, _FAILED)


@dataclass(frozen=True)
class Unexplained:
    """One thing that nothing explains: the episode and where in it, and what is known."""

    where: str
    what: str


def is_explained(kind: str) -> bool:
    """Whether a fault of that kind is not an error of ours."""
    return kind in _EXPLAINED


def find_unexplained(ledger: Ledger) -> tuple[Unexplained, ...]:
    """Faults that are an error of ours, then candidates whose outcome has no class."""
    faults = [f for f in ledger.faults if not is_explained(f["kind"])]
    errors = (Unexplained(str(f["name"]), str(f["message"])) for f in faults)
    return (*errors, *_nameless(ledger))


def _nameless(ledger: Ledger) -> Iterator[Unexplained]:
    for unit, name in ledger.begun:
        for node in ledger.nodes(unit):
            if node.outcome not in Outcome.__members__:
                yield Unexplained(f"{name}, candidate {node.id}", f"unknown outcome {node.outcome}")


def is_unanswered(nodes: Sequence[NodeRecord], tasks: Sequence[TaskRecord]) -> bool:
    """Whether these candidates and tasks of one episode hold nothing that came of an answer."""
    candidates = [node for node in nodes if "." in node.id or node.problem is None]
    if candidates:
        return all(node.outcome == Outcome.NO_ANSWER.name for node in candidates)
    return bool(tasks) and all(task.outcome is TaskOutcome.NO_ANSWER for task in tasks)


def endpoint_tables(run: RunDirectory) -> tuple[Table, ...]:
    """The table, with a row for each model that there is something to tell of; none if there is nothing.

    Samples count what was given, retries the requests that were sent again, `all alike` the requests above
    temperature 0 whose samples are all the same text. Failed calls are those given up, by kind. Raises
    RunUnreadable.
    """
    if not run.journal_path.exists():
        return ()
    try:
        with Journal(run.journal_path, read_only=True) as journal:
            counts = _counts(journal.calls())
    except LLMError as error:
        raise RunUnreadable(str(error)) from error
    rows = [_row(model, count) for model, count in sorted(counts.items()) if _tells(count)]
    return (Table("Endpoint", _COLUMNS, tuple(rows)),) if rows else ()


def _counts(calls: Iterable[RecordedCall]) -> dict[str, Counter[str]]:
    """By model: the columns' numbers, and `failed: KIND` for each kind of failure."""
    found: dict[str, Counter[str]] = {}
    texts: dict[tuple[str, str], dict[int, str]] = {}
    for call in calls:
        model = str(call.request["model"])
        count = found.setdefault(model, Counter())
        if call.failure is not None:
            count[f"{_FAILED}: {call.failure.kind.value}"] += 1
            count[_RETRIES] += call.failure.attempts - 1
        if call.completion is not None:
            count["samples"] += not call.completion.note
            count[_TROUBLE.get(call.completion.finish, "whole")] += 1
            count[_CUT_PROMPT] += call.completion.truncated_prompt
            count[_RETRIES] += call.completion.retries
            if call.request["temperature"] != 0:
                texts.setdefault((model, digest(call.request)), {})[call.sample] = call.completion.text
    for (model, _), given in texts.items():
        found[model][_ALIKE] += len(given) > 1 and len(set(given.values())) == 1
    return found


def _tells(count: Counter[str]) -> bool:
    return any(number for name, number in count.items() if name not in ("samples", "whole"))


def _row(model: str, count: Counter[str]) -> tuple[str, ...]:
    kinds = sorted((name, n) for name, n in count.items() if name.startswith(_FAILED) and n)
    failed = ", ".join(f"{n} {name.removeprefix(f'{_FAILED}: ')}" for name, n in kinds) or "0"
    return (model, *(str(count[name]) for name in _COLUMNS[1:-1]), failed)
