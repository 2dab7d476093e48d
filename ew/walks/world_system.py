"""A World as a transition system that uses what the world has.

A state is a place: a number that stands for the walk that first led there and, where the world has
fingerprints, for every state with the same key. What was found at a place (what runs, what is refused, which
place an operator leads to) is never asked for again. `successors` makes a place without going there; the
simulator is moved when something is asked that is not known: from where it stands if that is no farther than
from a state that was kept or from the initial state. A world without a current state is asked by walks from
its start.

Where the world cannot list what is applicable, operators are tried. `drawn` tries them in a random order
until one executes: each executable operator is the first of them equally often. A dead end is known once
each was refused. The world must be deterministic.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.pddl.enumeration import operators_of
from envs.pddl.interface import OperatorIndices, States, World
from ew.walks.budget import SimulatorCost
from ew.walks.driver import Driver
from ew.walks.simulator_cost import random_order

#: States that are kept to be gone back to, the latest used of them.
KEPT = 500
#: Places that are looked at for a way from where the simulator stands.
_MAX_LOOKED = 5000
#: The place of the initial state.
_START = 0


class WorldSystem:
    """A `Simulated` system over any World; states are places, int64, shape (batch,)."""

    one_by_one = True

    def __init__(self, world: World, max_steps: int | None = None):
        self._driver = Driver(world, max_steps)
        self.lists = self._driver.lists
        self._world = world
        self._here: int | None = None  # where the simulator stands
        self._reached: list[tuple[int, int]] = [(-1, -1)]  # of each place: from which, by which operator
        self._leads: list[dict[int, int]] = [{}]  # of each place: operator to place
        self._runs: list[dict[int, bool]] = [{}]  # of each place: operators that were tried
        self._rows: dict[int, NDArray[np.bool_]] = {}  # of places where all is known
        self._same: dict[int, int] = {}  # places that turned out to be another one
        self._settled: set[int] = set()  # places that are known not to be another one
        self._places: dict[Hashable, int] = {}  # by the key of their state
        self._kept: OrderedDict[int, Any] = OrderedDict()

    @cached_property
    def operators(self) -> tuple[str, ...]:
        """Every operator that the action interface and the object list allow, sorted.

        Raises ValueError if there are more than MAX_OPERATORS.
        """
        return operators_of(self._world)

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {text: i for i, text in enumerate(self.operators)}

    @property
    def cost(self) -> SimulatorCost:
        """What the simulator did so far."""
        return self._driver.meter.cost

    def capped(self, steps: int | None) -> AbstractContextManager[None]:
        """See `Simulated`."""
        return self._driver.meter.capped(steps)

    def count_walk(self, steps: int) -> None:
        """See `Simulated`."""
        self._driver.meter.count_walk(steps)

    def walk_steps(self, length: int) -> int:
        """Its length; where each question is a walk from the start, all beginnings of it."""
        return length if self._driver.answers_here else length * (length + 1) // 2

    def initial(self, batch: int) -> States:
        """The place of the initial state, `batch` times."""
        return np.zeros(batch, dtype=np.int64)

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """What is applicable, a place at a time; tries every operator where the world does not list.

        Raises ValueError if the world names an operator outside its interface; StepsExceeded.
        """
        rows = [self._row(int(state)) for state in states]
        return np.array(rows, dtype=np.bool_).reshape(len(rows), len(self.operators))

    def executes(self, states: States, operators: OperatorIndices) -> NDArray[np.bool_]:
        """Whether each state's operator may run. Raises StepsExceeded."""
        pairs = zip(states, operators, strict=True)
        return np.array([self._executes(int(s), int(o)) for s, o in pairs], dtype=np.bool_)

    def drawn(self, states: States, uniforms: NDArray[np.float64]) -> OperatorIndices:
        """See `Simulated`. Raises StepsExceeded."""
        rows = zip(states, uniforms, strict=True)
        return np.array([self._first(int(s), float(u)) for s, u in rows], dtype=np.int64)

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """The places one operator further (-1: unchanged); the simulator is not moved."""
        pairs = zip(states, operators, strict=True)
        return np.array([self._after(int(s), int(o)) for s, o in pairs], dtype=np.int64)

    def _row(self, state: int) -> NDArray[np.bool_]:
        place = self._settle(state)
        if place not in self._rows:
            row = np.zeros(len(self.operators), dtype=np.bool_)
            row[self._listed(place) if self.lists else self._all_tried(place)] = True
            self._rows[place] = row
        return self._rows[place]

    def _listed(self, place: int) -> list[int]:
        if self._driver.lists_here:
            self._go(place)
            texts = self._driver.listed_here()
        else:
            texts = self._driver.listed(self._walk_to(place))
        for text in texts:
            if text not in self._index:
                raise ValueError(f"world {self._world.name!r}: applicable operator {text!r} fits no action")
        return [self._index[text] for text in texts]

    def _all_tried(self, place: int) -> list[int]:
        return [o for o in range(len(self.operators)) if self._tried(place, o)]

    def _executes(self, state: int, operator: int) -> bool:
        place = self._settle(state)
        if self.lists or place in self._rows:
            return bool(self._row(place)[operator])
        return self._tried(place, operator)

    def _first(self, state: int, uniform: float) -> int:
        """By a list, the first of the same random order: with equal numbers a list changes no draw."""
        order = random_order(uniform, len(self.operators))
        return next((o for o in order if self._executes(state, o)), -1)

    def _tried(self, place: int, operator: int) -> bool:
        """Whether an operator runs at a settled place; tried if that is not known."""
        known = self._runs[place]
        if operator not in known:
            text = self.operators[operator]
            if self._driver.goes_on:
                self._go(place)
                known[operator] = self._driver.step(text)
                if known[operator]:
                    self._arrive(self._after(place, operator))
            else:
                known[operator] = self._driver.runs(self._walk_to(place), text)
        return known[operator]

    def _after(self, state: int, operator: int) -> int:
        place = self._known_as(state)
        if operator < 0:
            return place
        following = self._leads[place].get(operator)
        if following is None:
            following = self._leads[place][operator] = len(self._reached)
            self._reached.append((place, operator))
            self._leads.append({})
            self._runs.append({})
        return self._known_as(following)

    def _known_as(self, place: int) -> int:
        """The place that a place turned out to be."""
        while place in self._same:
            place = self._same[place]
        return place

    def _settle(self, state: int) -> int:
        """The place of a state, gone to if only its key can tell which one it is."""
        place = self._known_as(state)
        if self._driver.has_keys and place not in self._settled:
            self._go(place)
        return self._known_as(place)

    def _walk_to(self, place: int) -> tuple[str, ...]:
        return tuple(self.operators[o] for o in self._way_to(place)[::-1])

    def _way_to(self, place: int, last: int = _START) -> list[int]:
        """The operators from the start, or from a place on the way, backwards."""
        way: list[int] = []
        while place != last:
            parent, operator = self._reached[place]
            way.append(operator)
            place = self._known_as(parent)
        return way

    def _go(self, place: int) -> None:
        """Move the simulator to a place, by the fewest steps that are known."""
        stands = self._here is not None and not self._driver.was_moved
        if stands and self._here == place:
            return
        kept, way = self._nearest_kept(place)
        onward = self._onward(place, len(way)) if stands else None
        if onward is None:
            self._start_from(kept)
        for operator in way[::-1] if onward is None else onward:
            self._move(operator)

    def _nearest_kept(self, place: int) -> tuple[int | None, list[int]]:
        """The last place on the way to `place` that is kept, and the operators from there, backwards."""
        way: list[int] = []
        at = place
        while at != _START and at not in self._kept:
            parent, operator = self._reached[at]
            way.append(operator)
            at = self._known_as(parent)
        return (at if at in self._kept else None), way

    def _onward(self, place: int, most: int) -> list[int] | None:
        """The operators of a shortest known way from where the simulator stands; None beyond `most` steps."""
        assert self._here is not None
        queue, came = deque([(self._here, 0)]), {self._here: (-1, -1)}
        while queue and len(came) < _MAX_LOOKED:
            at, steps = queue.popleft()
            if at == place:
                way: list[int] = []
                while came[at][0] >= 0:
                    at, operator = came[at]
                    way.append(operator)
                return way[::-1]
            for operator, following in self._leads[at].items() if steps < most else ():
                target = self._known_as(following)
                if target not in came:
                    came[target] = at, operator
                    queue.append((target, steps + 1))
        return None

    def _start_from(self, kept: int | None) -> None:
        """Move the simulator to a kept state, or to the initial one."""
        self._here = None
        if kept is None:
            self._driver.reset()
            self._arrive(_START)
        else:
            self._driver.restore(self._kept[kept])
            self._kept.move_to_end(kept)
            self._here = kept

    def _move(self, operator: int) -> None:
        """One known step."""
        assert self._here is not None
        place, self._here = self._here, None
        if not self._driver.step(self.operators[operator]):
            walk = (*self._walk_to(place), self.operators[operator])
            raise ValueError(self._driver.unsteady(walk))
        self._runs[place][operator] = True
        self._arrive(self._after(place, operator))

    def _arrive(self, place: int) -> None:
        """The simulator stands at a place now; find out which one it is, and keep it."""
        if place not in self._settled:
            if self._driver.has_keys:
                known = self._places.setdefault(self._driver.key(), place)
                if known != place:
                    self._unite(place, known)
                    place = known
            self._settled.add(place)
        self._here = place
        if self._driver.keeps and place not in self._kept:
            self._kept[place] = self._driver.kept()
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def _unite(self, place: int, known: int) -> None:
        """Make a place another one, which is reached by the shorter of both ways."""
        if len(self._way_to(place)) < len(self._way_to(known)):
            self._reached[known] = self._reached[place]
        self._same[place] = known
        for operator, following in self._leads[place].items():
            target = self._known_as(following)
            same = self._known_as(self._leads[known].setdefault(operator, target))
            if target != same:
                first, second = sorted((target, same), key=lambda p: p not in self._settled)
                self._unite(second, first)
