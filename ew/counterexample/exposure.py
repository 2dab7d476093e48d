"""Exposing a wrong model: how many world queries until a walk shows that it is wrong.

World and model are walked side by side. Half of the walks choose among the world's applicable operators
(forward), half among the model's (backward), by the same policy; a walk ends where one side refuses
what the other chose, which exposes the model. One query is the world asked once in one state, as in
`ew.score.score`: for the operators applicable there, or whether one runs. As both cost the same, a world that
lists its applicable operators tells more: a model whose set differs in any operator could be exposed
at once. Both counts are reported: `chosen` for the operators that walks chose, `listed` for whole sets. A
walk of the model that meets a dead end of the model asks the world nothing there, and so exposes nothing.
In a world that is one simulator each walk is made before the next begins, as those of the score are.

`first_difference` looks at all that two small tasks can do side by side, state after state.

They are run from their initial states by the operators that both allow, breadth first, over pairs of
states. If some pair allows different operators, walks can show it. If none does, but the goal holds on one
side of a pair alone, only asking for the goal can. If the pairs run out, nothing can: the texts differ, their
behaviour in this task does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from envs.pddl.simulation.simulator import PackedStates, Task
from ew.counterexample.disagreement import Direction
from ew.walks.policies import MakePolicy
from ew.walks.walk import NONE, align, sets_differ, together
from ew.walks.walk_policy import Scene, choose

_Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ExposureConfig:
    """How long to look, and by which walks."""

    budget: int = 1000  #: world queries; never exceeded
    batch: int = 10  #: walks at a time
    horizon: int = 40  #: the longest walk
    staggered: bool = False  #: lengths 1 … horizon in turn, as in the EW score; else all of them `horizon`
    compares: bool = False  #: whether an operator that only one side lists is tried at once

    def __post_init__(self) -> None:
        if min(self.budget, self.batch, self.horizon) < 1:
            raise ValueError(f"budget, batch and horizon must be positive: {self}")


@dataclass(frozen=True)
class Exposure:
    """What walks found within their budget."""

    queries: int  #: world queries spent
    chosen: int | None  #: queries spent when a chosen operator was refused; None if none was
    #: queries spent when the sets of applicable operators differed; None if they never did
    listed: int | None
    direction: Direction | None = None  #: of the walk whose last operator was refused
    walk: tuple[str, ...] = ()  #: its operators; both sides ran all but the last


def expose(
    world: TransitionSystem,
    model: TransitionSystem,
    policy: MakePolicy,
    rng: np.random.Generator,
    config: ExposureConfig | None = None,
) -> Exposure:
    """Walk by `policy` until a chosen operator is refused or the budget is spent."""
    config = config or ExposureConfig()
    search = _Search(world, model, policy, config)
    while not search.over and search.batch(rng.random((config.batch, config.horizon + 1))):
        pass
    return search.result


class _Search:
    """The two systems, what the policies have learned, and what was spent and found."""

    def __init__(
        self, world: TransitionSystem, model: TransitionSystem, policy: MakePolicy, config: ExposureConfig
    ):
        self._sides = (world, model)
        self._to_other = (align(world, model), align(model, world))
        self._policies = (policy(world), policy(model))
        self._config = config
        self._batches = 0
        self.result = Exposure(0, None, None)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to find, or nothing left to spend."""
        return self.result.chosen is not None or self.result.queries >= self._config.budget

    def batch(self, draws: NDArray[np.float64]) -> int:
        """Walk one batch by these random numbers, a row.s last its own; gives the queries spent."""
        before, config = self.result.queries, self._config
        wished = np.full(config.batch, config.horizon)
        if config.staggered:
            # Rows alternate in direction, and each direction goes through the lengths in turn.
            wished = (np.arange(config.batch) // 2 + self._batches * (config.batch // 2)) % config.horizon + 1
        self._batches += 1
        self._draws = draws
        self._states = [side.initial(config.batch) for side in self._sides]
        self._steps = np.full((config.batch, config.horizon), NONE, dtype=np.int64)
        for rows in together(self._sides[0], config.batch):
            for step in range(config.horizon):
                rows = self._step(step, rows[wished[rows] > step])
                if self.over or not len(rows):
                    break
            if self.over:
                break
        return self.result.queries - before

    def _step(self, step: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """One operator a row. Gives the rows that continue."""
        rows = rows[: self._config.budget - self.result.queries]
        in_model = self._sides[1].applicable(self._states[1][rows])
        asked = (rows % 2 == 0) | in_model.any(axis=1)  # a model's dead end is found without the world
        in_world = np.zeros((len(rows), len(self._sides[0].operators)), dtype=np.bool_)
        in_world[asked] = self._sides[0].applicable(self._states[0][rows[asked]])
        masks = (in_world, in_model)
        differ = asked & sets_differ(*masks, *self._to_other)
        if self._config.compares and differ.any():
            self._compared(rows, asked, int(np.argmax(differ)), masks, step)
            return rows[:0]
        chosen = np.full(len(rows), NONE, dtype=np.int64)
        for side, policy in enumerate(self._policies):
            mine = rows % 2 == side
            if mine.any():
                own, states = self._draws[rows[mine]], self._states[side][rows[mine]]
                scene = Scene(rows[mine], step, own[:, -1], states, masks[side][mine])
                chosen[mine] = choose(policy.weights(scene), own[:, step])
                policy.took(scene, chosen[mine])
        agreed = self._advance(rows, chosen, masks)
        self._steps[rows, step] = chosen
        self._account(rows, asked, differ, (chosen != NONE) & ~agreed, self._steps[:, : step + 1])
        going: NDArray[np.int64] = rows[agreed]
        return going

    def _compared(
        self, rows: NDArray[np.int64], asked: _Mask, place: int, masks: tuple[_Mask, _Mask], step: int
    ) -> None:
        """Note that the lists of one row differ, by the first operator that only one side has."""
        row, at = int(rows[place]), self.result.queries + int(np.count_nonzero(asked[: place + 1]))
        walk = tuple(self._sides[row % 2].operators[o] for o in self._steps[row, :step].tolist())
        for side, direction in enumerate(Direction):
            other = np.append(masks[1 - side][place], False)
            more = np.flatnonzero(masks[side][place] & ~other[self._to_other[side][:-1]])
            if len(more):
                refused = self._sides[side].operators[int(more[0])]
                self.result = Exposure(at, at, at, direction, (*walk, refused))
                return

    def _advance(self, rows: NDArray[np.int64], chosen: OperatorIndices, masks: tuple[_Mask, _Mask]) -> _Mask:
        """Make every chosen operator on both sides, where the other side allows it too; which rows did."""
        agreed: _Mask = np.not_equal(chosen, NONE)
        for side in (0, 1):
            places = np.flatnonzero((rows % 2 == side) & (chosen != NONE))
            there = self._to_other[side][chosen[places]]
            allowed = there != NONE
            allowed[allowed] = masks[1 - side][places[allowed], there[allowed]]
            agreed[places[~allowed]] = False
            places, there = places[allowed], there[allowed]
            on = rows[places]
            for system, operators in ((side, chosen[places]), (1 - side, there)):
                states = self._states[system]
                states[on] = self._sides[system].successors(states[on], operators)
        return agreed

    def _account(
        self, rows: NDArray[np.int64], asked: _Mask, differ: _Mask, refused: _Mask, steps: OperatorIndices
    ) -> None:
        """Count the queries of one step, row after row, and note what was found first."""
        spent = self.result.queries + np.cumsum(asked)
        seen, ended = np.flatnonzero(differ), np.flatnonzero(refused)
        listed = self.result.listed
        if listed is None and len(seen):
            listed = int(spent[seen[0]])
        if not len(ended):
            queries = int(spent[-1]) if len(spent) else self.result.queries
            self.result = Exposure(queries, None, listed)
            return
        row, at = int(rows[ended[0]]), int(spent[ended[0]])
        walk = tuple(self._sides[row % 2].operators[o] for o in steps[row].tolist())
        self.result = Exposure(at, at, listed, tuple(Direction)[row % 2], walk)


class Kind(StrEnum):
    """How two tasks differ, the plainest way that was met."""

    EXECUTABLE = "executable"  #: in some pair of states one allows an operator that the other refuses
    GOAL = "goal"  #: only in whether the goal holds
    NONE = "none"  #: not at all: every pair of states was looked at
    UNKNOWN = "unknown"  #: not as far as was looked


@dataclass(frozen=True)
class TaskDifference:
    """The verdict, and how many pairs of states it took."""

    kind: Kind
    states: int
    #: a shortest walk that both sides allow but for its last operator, which only one side does
    walk: tuple[str, ...] = ()


def first_difference(world: Task, model: Task, max_states: int = 5000) -> TaskDifference:
    """Search until an operator is met that only one side allows, or until `max_states` pairs were seen."""
    there, back = align(world, model), align(model, world)
    ours, theirs = world.initial(1), model.initial(1)
    seen, goal_differs = {_keys(ours, theirs)[0]}, False
    came, first = [(-1, NONE)], 0  # of each pair, the one before it and the operator; the frontier's first
    while len(ours):
        allowed, others = world.applicable(ours), model.applicable(theirs)
        if sets_differ(allowed, others, there, back).any():
            walk = _walk((world, model), (allowed, others), came, first)
            return TaskDifference(Kind.EXECUTABLE, len(seen), walk)
        goal_differs |= bool((world.goal_reached(ours) != model.goal_reached(theirs)).any())
        if len(seen) > max_states:
            return TaskDifference(Kind.GOAL if goal_differs else Kind.UNKNOWN, len(seen))
        rows, operators = np.nonzero(allowed)
        ours = world.successors(ours[rows], operators.astype(np.int64))
        theirs = model.successors(theirs[rows], there[operators])
        fresh = _fresh(_keys(ours, theirs), seen)
        ours, theirs = ours[fresh], theirs[fresh]
        before, first = first, len(came)
        came += zip((before + rows[fresh]).tolist(), operators[fresh].tolist(), strict=True)
    return TaskDifference(Kind.GOAL if goal_differs else Kind.NONE, len(seen))


def _walk(
    tasks: tuple[Task, Task], masks: tuple[_Mask, _Mask], came: Sequence[tuple[int, int]], first: int
) -> tuple[str, ...]:
    """The walk to the first pair of the frontier where an operator differs, and that operator."""
    (world, model), (allowed, others) = tasks, masks
    there, back = align(world, model), align(model, world)
    in_model = np.append(others, np.zeros((len(others), 1), dtype=np.bool_), axis=1)[:, there[:-1]]
    differ, strange = allowed != in_model, others & (back[:-1] == NONE)
    row = int(np.argmax(differ.any(axis=1) | strange.any(axis=1)))
    if differ[row].any():
        last = world.operators[int(np.argmax(differ[row]))]
    else:
        last = model.operators[int(np.argmax(strange[row]))]
    node, walk = first + row, [last]
    while node:
        node, operator = came[node]
        walk.append(world.operators[operator])
    return tuple(reversed(walk))


def _keys(ours: PackedStates, theirs: PackedStates) -> list[bytes]:
    """One key a pair of states."""
    return [row.tobytes() for row in np.concatenate([ours, theirs], axis=1)]


def _fresh(keys: list[bytes], seen: set[bytes]) -> list[int]:
    """The places of the keys that are not in `seen` nor came before; `seen` takes them in."""
    places: list[int] = []
    for place, key in enumerate(keys):
        if key not in seen:
            seen.add(key)
            places.append(place)
    return places
