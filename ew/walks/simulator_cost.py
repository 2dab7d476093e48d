"""What a simulator really did for walks, and what walks need of a system that is one simulator.

Queries say how often a world was asked; a simulator may have to make many steps for an answer. They are
counted apart, and capped apart: a step more than the cap raises `StepsExceeded`, which ends what a spent
budget of queries ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import CountsSteps, OperatorIndices, States, TransitionSystem
from ew.walks.budget import NO_COST, SimulatorCost, StepsExceeded


@runtime_checkable
class Simulated(TransitionSystem, Protocol):
    """A system over one simulator: what it costs depends on the order in which it is asked.

    So its walks are made one after another, and where it does not list, operators are tried.
    """

    @property
    def one_by_one(self) -> bool:
        """Whether this is so; False for what stands for a system that is batched."""

    @property
    def lists(self) -> bool:
        """Whether the world lists what is applicable; if not, `applicable` tries every operator."""

    @property
    def cost(self) -> SimulatorCost:
        """What the simulator did so far."""

    def executes(self, states: States, operators: OperatorIndices) -> NDArray[np.bool_]:
        """Whether each state's operator may run; shape (len(states),)."""

    def drawn(self, states: States, uniforms: NDArray[np.float64]) -> OperatorIndices:
        """A uniform applicable operator a row, -1 where there is none: the first that executes of a random
        order, which depends on the row's number in [0, 1) alone."""

    def capped(self, steps: int | None) -> AbstractContextManager[None]:
        """Raises StepsExceeded within, before more simulator steps than these are made; None is no cap."""

    def count_walk(self, steps: int) -> None:
        """Count a walk of so many steps that the world is asked about from its start, beside the system.

        Raises StepsExceeded.
        """

    def walk_steps(self, length: int) -> int:
        """The simulator steps of a walk of this length, refused attempts apart."""


def random_order(uniform: float, operators: int) -> list[int]:
    """All operators in a random order, which depends on a number in [0, 1) alone."""
    order: list[int] = np.random.default_rng(int(uniform * 2**53)).permutation(operators).tolist()
    return order


def simulated(system: TransitionSystem) -> Simulated | None:
    """The system itself if it is over one simulator; None if it is batched."""
    return system if isinstance(system, Simulated) and system.one_by_one else None


def cost_of(system: TransitionSystem) -> SimulatorCost | None:
    """What a system's simulator did so far; None where walks are batched."""
    found = simulated(system)
    return None if found is None else found.cost


def capped(system: TransitionSystem, steps: int | None) -> AbstractContextManager[None]:
    """`Simulated.capped`; nothing is capped where walks are batched."""
    found = simulated(system)
    return nullcontext() if found is None else found.capped(steps)


#: Is told what simulators are made to do, as they do it.
_WATCHER: ContextVar[Callable[[SimulatorCost], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Callable[[SimulatorCost], None]) -> Iterator[None]:
    """Inside, in this thread, `watcher` is called with each further count of any simulator's `Meter`.

    These are operators and walks that are asked for, whatever a world that counts itself makes of them.
    """
    before = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(before)


class Meter:
    """Counts what a simulator does, and stops before a cap is passed.

    Of a world that counts itself, its own counts are taken; then one question may go beyond the cap, as what
    the world does for an answer is known after it.
    """

    def __init__(self, limit: int | None = None, world: CountsSteps | None = None) -> None:
        self._counted = SimulatorCost()
        self._limit = limit
        self._world = world
        self._before = self._own()

    @property
    def cost(self) -> SimulatorCost:
        """What was done by now."""
        if self._world is None:
            return self._counted
        return replace(self._own() - self._before, refused=self._counted.refused)

    def _own(self) -> SimulatorCost:
        """The world's own counts."""
        if self._world is None:
            return NO_COST
        return SimulatorCost(self._world.simulator_steps, self._world.simulator_resets)

    @contextmanager
    def capped(self, steps: int | None) -> Iterator[None]:
        """So many more steps at most; a cap within a cap never widens it."""
        before = self._limit
        if steps is not None:
            limit = self.cost.steps + steps
            self._limit = limit if before is None else min(before, limit)
        try:
            yield
        finally:
            self._limit = before

    def check(self, steps: int) -> None:
        """Raises StepsExceeded if so many more steps may not be made."""
        if self._limit is not None and self.cost.steps + steps > self._limit:
            raise StepsExceeded(steps, self._limit - self.cost.steps)

    def count_walk(self, steps: int) -> None:
        """Count a walk from the start. Raises StepsExceeded."""
        self.check(steps)
        self.count(steps, resets=1)

    def count(self, steps: int = 0, resets: int = 0, refused: int = 0) -> None:
        """Add what was done."""
        done = SimulatorCost(steps, resets, refused)
        self._counted += done
        watcher = _WATCHER.get()
        if watcher is not None:
            watcher(done)
