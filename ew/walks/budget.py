"""Budgets of world queries, with a limit of time, and counts of what a simulator did.

Queries are charged before the world is asked, so a budget is never overdrawn; a request for more than is left
raises BudgetExceeded. Scores ask `ew.score.config.affordable` first, and start only walks that cannot
exceed it, even if each goes to its full length. How many start is thus fixed before any of them is seen, so
a partial score is unbiased; what they leave is for the next candidate.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


class BudgetExceeded(RuntimeError):
    """More world queries were asked for than are left. Plain data; survives pickling."""

    def __str__(self) -> str:
        wanted, left = self.args
        advice = "raise the limit, or take fewer or shorter walks"
        return f"{wanted} world queries are wanted, {left} are left: {advice}"


class TimeUp(RuntimeError):
    """The world was to be asked after the time for that was up. Survives pickling."""

    def __str__(self) -> str:
        return "the time in which the world may be asked is up: raise the limit"


class QueryBudget:
    """A number of world queries to spend until a moment of `time.monotonic`; `spent` only grows."""

    def __init__(self, limit: int, until: float = math.inf):
        if limit < 0:
            raise ValueError(f"a budget of {limit} world queries: give 0 or more")
        self.limit = limit
        self.until = until
        self.spent = 0

    @property
    def left(self) -> int:
        """Queries that may still be asked."""
        return self.limit - self.spent

    def take(self, queries: int) -> None:
        """Spend so many queries. Raises BudgetExceeded or TimeUp, and spends none, if it may not be."""
        self.check_time()
        if queries > self.left:
            raise BudgetExceeded(queries, self.left)
        self.spent += queries

    def check_time(self) -> None:
        """Raises TimeUp if the moment has passed."""
        if self.until < math.inf and time.monotonic() > self.until:
            raise TimeUp


@dataclass(frozen=True)
class SimulatorCost:
    """Counts of what was done; differences of them count what was done between."""

    steps: int = 0  #: operators that were executed, those of repeated walks included
    resets: int = 0  #: how often the initial state was returned to, walks run from there included
    refused: int = 0  #: operators that were tried and refused

    def __add__(self, other: Self) -> Self:
        # field by field, as each step of a simulator comes here
        steps, resets = self.steps + other.steps, self.resets + other.resets
        return type(self)(steps, resets, self.refused + other.refused)

    def __sub__(self, other: Self) -> Self:
        steps, resets = self.steps - other.steps, self.resets - other.resets
        return type(self)(steps, resets, self.refused - other.refused)

    def __str__(self) -> str:
        return f"{self.steps:,} simulator steps, {self.resets:,} resets, {self.refused:,} refused attempts"


NO_COST = SimulatorCost()


def total_cost(costs: Iterable[SimulatorCost | None]) -> SimulatorCost | None:
    """What simulators did together; None where all of it was walked in batches."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, NO_COST) if known else None


class StepsExceeded(BudgetExceeded):
    """More simulator steps were wanted than are left. Plain data; survives pickling."""

    def __str__(self) -> str:
        wanted, left = self.args
        advice = "raise the limit, or take fewer or shorter walks"
        return f"{wanted} simulator steps are wanted, {left} are left: {advice}"
