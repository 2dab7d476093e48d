"""How often the world may be asked, and until when.

A budget is taken from before the world is asked, so it is never overdrawn; who asks for more than is left is
told so by BudgetExceeded. Scores ask `affordable` first and start only walks that cannot exceed it,
even if each goes to its full length. How many start is thus fixed before any of them is seen, which keeps a
partial score unbiased; what they leave is for the next candidate.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

from ew.score.config import EWConfig


class BudgetExceeded(RuntimeError):
    """More world queries were asked for than are left. Plain data; survives pickling."""

    def __init__(self, wanted: int, left: int):
        super().__init__(wanted, left)
        self.wanted = wanted
        self.left = left

    def __str__(self) -> str:
        return (
            f"{self.wanted} world queries are wanted, {self.left} are left: raise the limit, or take fewer "
            "or shorter walks"
        )


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


def most_queries(config: EWConfig) -> int:
    """World queries of a score if every walk goes to its full length; the look at the start included."""
    if config.estimator == "paper":
        return 1 + int(config.lengths(0).sum() + config.lengths(1).sum())
    return 1 + config.walks * config.t_max


def affordable(config: EWConfig, queries: int) -> EWConfig | None:
    """`config` with as many of its walks as so many world queries surely pay for; None if too few."""
    low, high = config.least_walks, config.walks
    if most_queries(replace(config, walks=low)) > queries:
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if most_queries(replace(config, walks=middle)) <= queries:
            low = middle
        else:
            high = middle - 1
    return replace(config, walks=low)
