"""The shortest counterexample: a disagreeing walk, cut down to what it takes to disagree.

Delta debugging: parts of the walk before its failing operator are left out, large ones first, as long as the
world and the model still disagree about that same operator in the same direction at its end, and run all that
comes before it. What is left is minimal in that no single operator of it can be left out; it need not be the
shortest of all.

Trying a walk in the model is free and is done first; each walk that passes is tried in the world, at one
world query an operator. The search stops where the next try could exceed the budget. Given a system over the
world's simulator, walks are tried in that: it remembers what ran, and its cap of steps ends the search too.

Source: Zeller and Hildebrandt 2002 (ddmin), without the complements' restart.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from envs.pddl.interface import TransitionSystem, World
from ew.counterexample.disagreement import Direction, Disagreement, Failure, state_before
from ew.walks.budget import StepsExceeded
from ew.walks.walk import NONE, run_walks, walk_of


@dataclass(frozen=True)
class Shrunk(Failure):
    """A disagreement with the shortest walk that was found for it."""

    disagreement: Disagreement
    removed: int  #: operators that were left out
    world_queries: int
    minimal: bool  #: whether every single operator that is left is known to be needed


def shrink(
    world: World,
    model: TransitionSystem,
    found: Disagreement,
    max_queries: int | None = None,
    until: float = math.inf,
    asked: TransitionSystem | None = None,
) -> Shrunk:
    """Cut a disagreement down. Deterministic but for the limit of time; `max_queries` None is no limit.

    After the moment `until` of `time.monotonic` the world is not asked any more. `asked` is a system over the
    world that walks are tried in; without it the world itself executes them.

    Raises ValueError if world and model do not disagree on `found`.
    """
    index = {text: i for i, text in enumerate(model.operators)}

    def ran(walk: Sequence[str]) -> int:
        row = np.array([[index.get(text, NONE) for text in walk]], dtype=np.int64)
        return int(run_walks(model, row)[0])

    return shrink_by(world, ran, found, max_queries, until, asked)


def shrink_by(
    world: World,
    ran: Callable[[Sequence[str]], int],
    found: Disagreement,
    max_queries: int | None = None,
    until: float = math.inf,
    asked: TransitionSystem | None = None,
) -> Shrunk:
    """The same for a model of which is known how many operators of a walk it runs."""
    search = _Search(world, ran, found, max_queries, until, asked)
    if not search.shown_by_model(found.walk):
        raise ValueError(f"the model does not show this disagreement: {' '.join(found.walk)}")
    minimal = search.run()
    walk = (*search.kept, found.failing)
    shorter = replace(found, walk=walk, state=state_before(world, walk))
    return Shrunk(shorter, len(found.walk) - len(walk), search.queries, minimal)


@dataclass(eq=False)
class _Search:
    """The operators that are kept, and what was spent."""

    world: World
    ran: Callable[[Sequence[str]], int]
    found: Disagreement
    budget: int | None
    until: float
    asked: TransitionSystem | None
    queries: int = 0

    def __post_init__(self) -> None:
        self.kept = self.found.executed
        self.model_runs = self.found.direction is Direction.BACKWARD

    def run(self) -> bool:
        """Leave out ever smaller parts; False if the budget ended first."""
        size = len(self.kept)
        while size:
            before = self.kept
            if not self._pass(size):
                return False
            # Leaving one out can make another one needless, so single ones are tried until none goes.
            size = size // 2 if size > 1 else int(self.kept != before)
        return True

    def _pass(self, size: int) -> bool:
        """Try to leave out each part of this size, from the first on; False if the budget ended."""
        start = 0
        while start < len(self.kept):
            shorter = self.kept[:start] + self.kept[start + size :]
            verdict = self._still(shorter)
            if verdict is None:
                return False
            if verdict:
                self.kept = shorter
            else:
                start += size
        return True

    def _still(self, before: Sequence[str]) -> bool | None:
        """Whether the shorter walk still disagrees; None if finding out could exceed budget or time."""
        walk = (*before, self.found.failing)
        if not self.shown_by_model(walk):
            return False
        if self.budget is not None and self.queries + len(walk) > self.budget:
            return None
        if self.until < math.inf and time.monotonic() > self.until:
            return None
        try:
            steps = self._ran_in_world(walk)
        except StepsExceeded:
            return None
        self.queries += min(steps + 1, len(walk))
        return steps == (len(walk) - 1 if self.model_runs else len(walk))

    def _ran_in_world(self, walk: Sequence[str]) -> int:
        if self.asked is None:
            return self.world.executable(walk).steps
        return int(run_walks(self.asked, walk_of(self.asked, walk))[0])

    def shown_by_model(self, walk: Sequence[str]) -> bool:
        """Whether the model runs all of the walk, or all but its last operator, as it did when found."""
        return self.ran(walk) == (len(walk) if self.model_runs else len(walk) - 1)
