"""Exposing a wrong model: how many world queries until a walk shows that it is wrong.

World and model are walked side by side. Half of the walks choose among the world's applicable operators
(forward), half among the model's (backward), by the same policy; a walk ends where one side refuses
what the other chose, which exposes the model. One query is the world asked once in one state, as in
`ew.score.score`: for the operators applicable there, or whether one runs. As both cost the same, a world that
lists its applicable operators tells more: a model whose set differs in any operator could be exposed
at once. Both counts are reported: `chosen` for the operators that walks chose, `listed` for whole sets. A
walk of the model that meets a dead end of the model asks the world nothing there, and so exposes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from ew.counterexample.disagreement import Direction
from ew.walks.choosing import Chooser, Scene, WalkPolicy, choose
from ew.walks.walk import NONE, align

_Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ExposureConfig:
    """How long to look, and by which walks."""

    budget: int = 1000  #: world queries; never exceeded
    batch: int = 10  #: walks at a time
    horizon: int = 40  #: the longest walk
    staggered: bool = False  #: lengths 1 … horizon in turn, as in the EW score; else all of them `horizon`

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
    policy: WalkPolicy,
    rng: np.random.Generator,
    config: ExposureConfig | None = None,
) -> Exposure:
    """Walk by `policy` until a chosen operator is refused or the budget is spent."""
    config = config or ExposureConfig()
    search = _Search(world, model, policy, config)
    while not search.over:
        if not search.batch(rng.random((config.batch, config.horizon + 1))):
            break
    return search.result


class _Search:
    """The two systems, what the choosers know, and what was spent and found."""

    def __init__(
        self, world: TransitionSystem, model: TransitionSystem, policy: WalkPolicy, config: ExposureConfig
    ):
        self._sides = (world, model)
        self._to_other = (align(world, model), align(model, world))
        self._choosers: tuple[Chooser, Chooser] = (policy.start(world), policy.start(model))
        self._config = config
        self._batches = 0
        self.result = Exposure(0, None, None)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to find, or nothing left to spend."""
        return self.result.chosen is not None or self.result.queries >= self._config.budget

    def batch(self, draws: NDArray[np.float64]) -> int:
        """Walk one batch by these random numbers, the last of a row its luck; gives the queries spent."""
        before, config = self.result.queries, self._config
        rows = np.arange(config.batch)
        states = (self._sides[0].initial(config.batch), self._sides[1].initial(config.batch))
        wished = np.full(config.batch, config.horizon)
        if config.staggered:
            # Rows alternate in direction, and each direction goes through the lengths in turn.
            wished = (rows // 2 + self._batches * (config.batch // 2)) % config.horizon + 1
        self._batches += 1
        steps = np.full((config.batch, config.horizon), NONE, dtype=np.int64)
        for step in range(config.horizon):
            rows = rows[wished[rows] > step]
            rows = self._step(step, rows, states, draws, steps)
            if self.over or not len(rows):
                break
        return self.result.queries - before

    def _step(
        self,
        step: int,
        rows: NDArray[np.int64],
        states: tuple[States, States],
        draws: NDArray[np.float64],
        steps: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """One operator a row; `states` and `steps` change in place. Gives the rows that go on."""
        rows = rows[: self._config.budget - self.result.queries]
        in_model = self._sides[1].applicable(states[1][rows])
        asked = (rows % 2 == 0) | in_model.any(axis=1)  # a model's dead end is found without the world
        in_world = np.zeros((len(rows), len(self._sides[0].operators)), dtype=np.bool_)
        in_world[asked] = self._sides[0].applicable(states[0][rows[asked]])
        masks = (in_world, in_model)
        differ = asked & _differ(*masks, *self._to_other)
        chosen = np.full(len(rows), NONE, dtype=np.int64)
        for side in (0, 1):
            mine = rows % 2 == side
            if mine.any():
                scene = Scene(
                    rows[mine], step, draws[rows[mine], -1], states[side][rows[mine]], masks[side][mine]
                )
                picked = choose(self._choosers[side].weights(scene), draws[rows[mine], step])
                self._choosers[side].took(scene, picked)
                chosen[mine] = picked
        agreed = self._advance(rows, chosen, masks, states)
        steps[rows, step] = chosen
        refused = (chosen != NONE) & ~agreed
        self._account(rows, asked, differ, refused, steps[:, : step + 1])
        going: NDArray[np.int64] = rows[agreed]
        return going

    def _advance(
        self,
        rows: NDArray[np.int64],
        chosen: OperatorIndices,
        masks: tuple[_Mask, _Mask],
        states: tuple[States, States],
    ) -> _Mask:
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
            states[side][on] = self._sides[side].successors(states[side][on], chosen[places])
            states[1 - side][on] = self._sides[1 - side].successors(states[1 - side][on], there)
        return agreed

    def _account(
        self, rows: NDArray[np.int64], asked: _Mask, differ: _Mask, refused: _Mask, steps: OperatorIndices
    ) -> None:
        """Count the queries of one step, row after row, and note what was found first."""
        spent = self.result.queries + np.cumsum(asked)
        seen, ended = np.flatnonzero(differ), np.flatnonzero(refused)
        found = self.result
        listed = found.listed if found.listed is not None or not len(seen) else int(spent[seen[0]])
        if not len(ended):
            self.result = Exposure(int(spent[-1]) if len(spent) else found.queries, None, listed)
            return
        row = int(rows[ended[0]])
        source = self._sides[row % 2]
        walk = tuple(source.operators[o] for o in steps[row].tolist())
        direction = Direction.BACKWARD if row % 2 else Direction.FORWARD
        at = int(spent[ended[0]])
        self.result = Exposure(at, at, listed, direction, walk)


def _differ(world: _Mask, model: _Mask, to_model: OperatorIndices, to_world: OperatorIndices) -> _Mask:
    """In which rows the sets of applicable operators differ, operators of one side only included."""
    none = np.zeros((len(model), 1), dtype=np.bool_)
    model_there = np.concatenate([model, none], axis=1)[:, to_model[:-1]]
    only_model = model[:, to_world[:-1] == NONE]
    differ: _Mask = (world != model_there).any(axis=1) | only_model.any(axis=1)
    return differ
