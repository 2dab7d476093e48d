"""A search problem small enough to be seen whole: payloads are numbers, the rating is their last two digits.

For tests and examples on every executor, as workers can import it from here.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from search.nodes import Expansion, Node, roots_of


@dataclass(frozen=True)
class NumberPayload:
    """A number as a proposal."""

    value: int

    @property
    def key(self) -> str:
        """SHA-256 of the number."""
        return hashlib.sha256(str(self.value).encode()).hexdigest()


@dataclass(frozen=True)
class NumberEvaluation:
    """Rated from 0 to 99; 99 is solved."""

    rating: int
    expandable: bool = True

    @property
    def solved(self) -> bool:
        """Whether nothing better can be found."""
        return self.rating >= 99


class NumberRefused(ValueError):
    """A number that the evaluation cannot stand."""

    retryable = True


@dataclass(frozen=True)
class NumberEvaluator:
    """Rates a number by its last two digits. Raises NumberRefused for `refused`, to try failures."""

    refused: int | None = None
    pause_s: float = 0.0  #: how long one evaluation takes, asleep

    def __call__(self, payload: NumberPayload) -> NumberEvaluation:
        """The evaluation of `payload`."""
        time.sleep(self.pause_s)
        if payload.value == self.refused:
            raise NumberRefused(f"insufficient_quota for {payload.value}")
        return NumberEvaluation(payload.value % 100)


def propose_numbers(expansion: Expansion, known: tuple[Node, ...]) -> Sequence[NumberPayload]:
    """`count` numbers that depend on the parent's id and number alone, not on `known`."""
    parent = expansion.parent
    seeds = (f"{parent.id}:{parent.payload.value}:{i}" for i in range(expansion.count))
    return [NumberPayload(int(hashlib.sha256(s.encode()).hexdigest()[:8], 16)) for s in seeds]


def number_roots(count: int) -> tuple[Node, ...]:
    """Roots 1 … `count` with those numbers."""
    payloads = [NumberPayload(i) for i in range(1, count + 1)]
    return roots_of(payloads, [NumberEvaluation(p.value) for p in payloads])
