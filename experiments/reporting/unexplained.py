"""What a run's classes of outcomes have no place for: errors of ours, and outcomes that nobody knows.

Every unit ends in an outcome with a name or in a fault with somebody to blame. Whatever does not is listed
here, and a run with such a thing ends with another exit code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ew.score.rating import Outcome
from experiments.runs.ledger import Ledger
from experiments.runs.records import FaultKind

#: Faults for which somebody or something else is to blame.
_EXPLAINED = frozenset(kind.value for kind in FaultKind if kind is not FaultKind.PROGRAM)


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
