"""One simulator, as far as its World can be used: the one place that makes it do something, and counts it.

A world that has neither a current state nor snapshots runs each walk from its start; such walks are counted
as a reset and their steps.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from envs.pddl.interface import (
    CountsSteps,
    Fingerprints,
    Forks,
    ListsApplicable,
    ListsHere,
    Snapshots,
    Steps,
    World,
)
from ew.walks.simulator_cost import Meter


class Driver:
    """A World with its optional parts. Whoever asks says from which walk, or moves the current state."""

    #: By the id of a world, who moved its current state last.
    _movers: ClassVar[WeakValueDictionary[int, Driver]] = WeakValueDictionary()

    def __init__(self, world: World, max_steps: int | None = None):
        self.world = world
        counts = not isinstance(world, Forks)  # a fork counts its own
        self.meter = Meter(max_steps, world if counts and isinstance(world, CountsSteps) else None)
        self._now: Any = world.fork() if isinstance(world, Forks) else world
        self.goes_on = isinstance(world, Steps)
        self.keeps = isinstance(world, Snapshots | Forks)
        self.has_keys = isinstance(world, Fingerprints)
        self.lists_here = isinstance(world, ListsHere)
        #: whether the current state is what it answers for; if not, each question is a walk from the start
        self.answers_here = self.lists_here or (self.goes_on and not isinstance(world, ListsApplicable))
        self.lists = self.lists_here or isinstance(world, ListsApplicable)

    @property
    def was_moved(self) -> bool:
        """Whether another simulator over the same world has moved its current state since this one did."""
        return self._now is self.world and self._movers.get(id(self.world)) is not self

    def reset(self) -> None:
        """Go to the initial state."""
        self._movers[id(self.world)] = self
        self._now.reset()
        self.meter.count(resets=1)

    def step(self, operator: str) -> bool:
        """Try an operator in the current state; whether it was executed."""
        self.meter.check(1)
        runs = bool(self._now.step(operator))
        self.meter.count(steps=int(runs), refused=int(not runs))
        return runs

    def key(self) -> Hashable:
        """The key of the current state, of a world that has keys."""
        key: Hashable = self._now.fingerprint()
        return key

    def kept(self) -> Any:
        """The current state, to be gone back to, of a world that keeps states."""
        return self._now.snapshot() if isinstance(self.world, Snapshots) else self._now.fork()

    def restore(self, kept: Any) -> None:
        """Go to a state that was kept."""
        self._movers[id(self.world)] = self
        if isinstance(self.world, Snapshots):
            self._now.restore(kept)
        else:
            self._now = kept.fork()

    def listed_here(self) -> tuple[str, ...]:
        """What may run in the current state, of a world that lists it."""
        found: tuple[str, ...] = self._now.applicable_here()
        return found

    def listed(self, walk: Sequence[str]) -> tuple[str, ...]:
        """What may run after a walk, of a world that lists that."""
        assert isinstance(self.world, ListsApplicable), "it was asked whether it lists"
        self.meter.count_walk(len(walk))
        return self.world.applicable(tuple(walk))

    def runs(self, walk: Sequence[str], operator: str) -> bool:
        """Whether an operator runs after a walk that runs. Raises ValueError if that is refused."""
        self.meter.check(len(walk) + 1)
        steps = self.world.executable((*walk, operator)).steps
        self.meter.count(steps, 1, int(steps <= len(walk)))
        if steps < len(walk):
            raise ValueError(self.unsteady(walk[: steps + 1]))
        return steps > len(walk)

    def unsteady(self, walk: Sequence[str]) -> str:
        """What is said of a world that refuses the last operator of a walk that it executed before."""
        said = f"world {self.world.name!r} executed a walk and later refused its last operator"
        return f"{said}; it must be deterministic: {' '.join(walk)}"
