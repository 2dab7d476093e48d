"""A world that answers nothing but whether a walk runs, as something to walk in.

The operators are those that the action interface and the object list allow; they are never listed unless
asked to. A uniform applicable operator is drawn by rejection: operators are drawn uniformly among all until
the world runs one, and what the world refused is not tried again in that state. Every answer of the world is
a query, and is remembered, so no walk is tried twice. After `MAX_TRIES` refusals in a row the rest is tried
one after another, so that a dead end is certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np

from envs.pddl.enumeration import members_by_type
from envs.pddl.interface import World
from envs.pddl.language.operators import format_operator
from ew.lifted.sampled import NONE_DRAWN, SamplingGaveUp
from ew.walks.budget import QueryBudget

#: Refusals in a row after which operators are no longer drawn but gone through.
MAX_TRIES = 2_000
#: Operators that are still gone through.
MAX_LISTED = 100_000

#: A state is the operators that led to it.
History = tuple[str, ...]


class ExecutabilitySystem:
    """A SampledSystem over nothing but names and `executable`. The world must be deterministic."""

    def __init__(self, world: World, budget: QueryBudget | None = None):
        members = members_by_type(world)
        self._actions = tuple((a.name, tuple(members[p.type] for p in a.parameters)) for a in world.actions)
        self._counts = np.array([float(prod(len(c) for c in columns)) for _, columns in self._actions])
        self._world = world
        self._budget = budget
        self._answers: dict[tuple[History, str], bool] = {}
        self.asked = 0  #: world queries so far

    def initial(self) -> History:
        """The empty history."""
        return ()

    def draw(self, state: History, rng: np.random.Generator) -> str | None:
        """A uniform applicable operator; None if there is surely none. May raise BudgetExceeded.

        Raises SamplingGaveUp where none was found and there are too many to try them all.
        """
        if not self._counts.sum():
            return None
        for _ in range(MAX_TRIES):
            operator = self._any(rng)
            if self.runs(state, operator):
                return operator
        options = self.listed(state)
        if options is None:
            raise SamplingGaveUp(NONE_DRAWN.format(MAX_TRIES))
        return options[min(int(rng.random() * len(options)), len(options) - 1)] if options else None

    def runs(self, state: History, operator: str) -> bool:
        """Whether the operator runs after `state`; asks the world once a pair. May raise BudgetExceeded."""
        known = self._answers.get((state, operator))
        if known is None:
            if self._budget is not None:
                self._budget.take(1)
            self.asked += 1
            known = self._world.executable((*state, operator)).steps == len(state) + 1
            self._answers[state, operator] = known
        return known

    def successor(self, state: History, operator: str) -> History:
        """The history with one operator more."""
        return (*state, operator)

    def count(self, state: History) -> int | None:
        """How many operators run; tries all of them, None if they are too many."""
        options = self.listed(state)
        return None if options is None else len(options)

    def listed(self, state: History) -> tuple[str, ...] | None:
        """The operators that run, sorted; tries all of them, None if they are more than MAX_LISTED."""
        if self._counts.sum() > MAX_LISTED:
            return None
        return tuple(sorted(o for o in self._all() if self.runs(state, o)))

    def _any(self, rng: np.random.Generator) -> str:
        """A uniform operator of the interface: an action by its share of them, then each argument."""
        ends = np.cumsum(self._counts)
        number = min(int(np.searchsorted(ends, rng.random() * ends[-1], side="right")), len(ends) - 1)
        name, columns = self._actions[number]
        return format_operator(name, [c[min(int(rng.random() * len(c)), len(c) - 1)] for c in columns])

    def _all(self) -> Iterator[str]:
        return (format_operator(name, args) for name, columns in self._actions for args in product(*columns))
