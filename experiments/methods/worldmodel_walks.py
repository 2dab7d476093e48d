"""Walks for corrections on the executor: where other evaluations are made, and counted like them.

A review of a model takes world queries, so it comes back with a score that says how many, and the run's caps
hold for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.worldmodel.walker import Found, Walker
from experiments.runs.records import Score
from search.executors import Executor


@dataclass(frozen=True)
class Walked:
    """What walks found, as an executor brings it."""

    found: Found

    @property
    def score(self) -> Score:
        """Only the queries matter here."""
        return Score(world_queries=self.found.queries)


@dataclass(frozen=True)
class WalkElsewhere:
    """An `agents.worldmodel.world_source.Walk` on an executor."""

    executor: Executor

    def __call__(self, walker: Walker, domain: str, problem: str) -> Found:
        """What the walks find. Raises WorkerError, ExecutorUnavailable, BudgetReached."""
        return self.executor.submit(_walked, walker, domain, problem).result().found


def _walked(walker: Walker, domain: str, problem: str) -> Walked:
    """In a worker."""
    return Walked(walker(domain, problem))
