"""The EW score of systems whose operators cannot be listed: the same estimators, one walk at a time.

The numbers estimated, the treatment of dead ends and the uncertainty are those of `ew.score.estimators`; only
the walks differ: operators are drawn, not picked from a list. Joint walks need what both sides accept, listed
by one of them and checked by the other, and the count of the one that does not list.

World queries are the world's own count (`asked`): for a `GroundSystem` one a state, for a world that only
answers whether a walk runs one an answer.

`BoundedLifted` scores a model that is too large to be ground within bounds. Walks ask the world through
`WorldWalks`, so the score and the search for a disagreement pay for each of the world's states once, out of
one budget that covers the longest walks of both, and of a score that has to be begun anew. The processor time
of this thread is read between any two questions to the model, so that a busy machine changes no verdict, and
a model whose conditions have too many literals for one question is not begun. Where it cannot be done one of
`GAVE_UP` is raised.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import World
from envs.pddl.language.domain import Problem
from envs.pddl.simulation.grounding import written_out
from envs.pddl.simulation.lifted import Forall, Schema, lift
from ew.counterexample.disagreement import Disagreement, state_before
from ew.lifted.relations import CannotWalk
from ew.lifted.sampled import GroundSystem, LiftedSystem, SampledSystem
from ew.score.config import EWConfig
from ew.score.directed import DirectedWalks, Direction
from ew.score.estimators import PREFIX, JointValues
from ew.score.exercised import Became, Tally, action_counts, tally
from ew.score.score import EWScore, EWVerdict, score_of
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.walk import NONE, WalkBatch
from ew.walks.world_walks import WorldWalks

#: The number of the only operator of a sequence.
_ONE = np.zeros(1, dtype=np.int64)


class NotCountable(ValueError):
    """Joint walks where neither side can list or count its operators. Plain data."""

    def __str__(self) -> str:
        return "neither side lists its operators here, or one cannot count them: use `prefix` or `paper`"


def sampled_score(
    world: SampledSystem, model: SampledSystem, rng: np.random.Generator, config: EWConfig | None = None
) -> EWScore:
    """The EW score of `model` in `world`. Every walk has its own stream of `rng`.

    May raise SamplingGaveUp, JoinTooLarge, for joint walks NotCountable, and BudgetExceeded where the world
    has a budget: what drawing costs is not known before, so there are no partial scores here.
    """
    config = config or EWConfig()
    before = world.asked
    (looking,) = rng.spawn(1)
    stuck = world.draw(world.initial(), looking) is None
    if stuck or model.draw(model.initial(), looking) is None:
        verdict = EWVerdict.WORLD_STUCK if stuck else EWVerdict.NO_INITIAL_ACTION
        return EWScore(verdict, world_queries=world.asked - before)
    found = config.by.draw(LiftedPair(world, model), config.walks, config.t_max, rng)
    return score_of(found, config.walks, world.asked - before)


class LiftedPair:
    """The `WalkPair` of two sampled systems. Every walk has its own stream."""

    def __init__(self, world: SampledSystem, model: SampledSystem):
        self._sides = (world, model)

    def across(self, direction: Direction, lengths: Sequence[int], rng: np.random.Generator) -> DirectedWalks:
        """Walks one after another, none longer than its first refused operator."""
        source, target = self._sides if direction is Direction.FORWARD else self._sides[::-1]
        streams = zip(lengths, rng.spawn(len(lengths)), strict=True)
        made = [_walk(source, target, wished, own) for wished, own in streams]
        numbers: dict[str, int] = {}
        rows = np.full((len(made), max(lengths, default=0)), NONE, dtype=np.int64)
        for row, (walk, _) in enumerate(made):
            rows[row, : len(walk)] = [numbers.setdefault(operator, len(numbers)) for operator in walk]
        walks = WalkBatch(rows, np.array([len(walk) for walk, _ in made], dtype=np.int64))
        ran = np.array([steps for _, steps in made], dtype=np.int64)
        return DirectedWalks(walks, np.array(lengths, dtype=np.int64), ran, tuple(numbers))

    def joint(self, walks: int, t_max: int, rng: np.random.Generator) -> JointValues:
        """Joint walks one after another. Raises NotCountable."""
        exercised: Tally = Counter()
        means = np.array([_joint(*self._sides, t_max, own, exercised) for own in rng.spawn(walks)])
        return JointValues(means[:, 0], means[:, 1], actions=action_counts([exercised]))


def _walk(
    source: SampledSystem, target: SampledSystem, wished: int, rng: np.random.Generator
) -> tuple[tuple[str, ...], int]:
    """The operators of a walk of `source`, and how many of them ran in `target`.

    It is not walked on after a refusal: then the last operator is the refused one.
    """
    here, there = source.initial(), target.initial()
    walk: list[str] = []
    for step in range(wished):
        operator = source.draw(here, rng)
        if operator is None:
            return tuple(walk), step
        walk.append(operator)
        if not target.runs(there, operator):
            return tuple(walk), step
        if step < wished - 1:
            here, there = source.successor(here, operator), target.successor(there, operator)
    return tuple(walk), wished


@dataclass(frozen=True)
class _Meeting:
    """What both sides accept in a joint state, and how much each side accepts."""

    both: tuple[str, ...]
    in_world: int
    in_model: int
    refused: Tally  #: what the side that lists runs alone


def _joint(
    world: SampledSystem, model: SampledSystem, t_max: int, rng: np.random.Generator, exercised: Tally
) -> tuple[float, float]:
    """The mean weights over the lengths of one joint walk, forward and backward; see `ew.score.survival`.

    `exercised` takes in what became of the operators, those that the listing side alone runs included.
    """
    here, there = world.initial(), model.initial()
    weights, sums = np.ones(2), np.zeros(2)
    for step in range(t_max):
        met = _meet(world, here, model, there)
        exercised.update(met.refused)
        own = np.array([met.in_world, met.in_model])
        weights = weights * np.where(own > 0, len(met.both) / np.maximum(own, 1), 1.0)
        if not met.both:
            sums += weights * (t_max - step)
            break
        sums += weights
        if step < t_max - 1:
            operator = met.both[min(int(rng.random() * len(met.both)), len(met.both) - 1)]
            exercised.update(tally((operator,), _ONE, "world_executed", "model_executed"))
            here, there = world.successor(here, operator), model.successor(there, operator)
    forward, backward = (sums / t_max).tolist()
    return forward, backward


def _meet(world: SampledSystem, here: object, model: SampledSystem, there: object) -> _Meeting:
    """Raises NotCountable if neither side lists, or the other does not count."""
    in_world = world.listed(here)
    if in_world is not None:
        count = model.count(there)
        if count is not None:
            runs = np.array([model.runs(there, o) for o in in_world], dtype=np.bool_)
            both, refused = _parted(in_world, runs, "world_executed", "model_refused")
            return _Meeting(both, len(in_world), count, refused)
    in_model, counted = model.listed(there), world.count(here)
    if in_model is None or counted is None:
        raise NotCountable()
    runs = np.array([world.runs(here, o) for o in in_model], dtype=np.bool_)
    both, refused = _parted(in_model, runs, "model_executed", "world_refused")
    return _Meeting(both, counted, len(in_model), refused)


def _parted(listed: Sequence[str], runs: NDArray[np.bool_], *became: Became) -> tuple[tuple[str, ...], Tally]:
    """What runs on the other side too, and what became of the rest."""
    both = tuple(operator for operator, too in zip(listed, runs.tolist(), strict=True) if too)
    return both, tally(listed, np.flatnonzero(~runs), *became)


#: Literals of one action, quantifiers written out: each may be decided for all rows of a join at once.
MAX_LITERALS = 1000
#: How often all walks may be made: by the estimator, by `prefix` in its stead, and for a disagreement.
PASSES = 3


class OutOfCpuTime(CannotWalk):
    """The processor time was used up before the walks ended."""


class TooLong(CannotWalk):
    """An action's conditions and effects are too many to be decided."""


#: Why a model cannot be walked even so.
GAVE_UP = (CannotWalk, BudgetExceeded)


class BoundedLifted:
    """A world and a model that is not ground; for one judgement, as its time runs from the start."""

    def __init__(self, world: World, model: Problem, config: EWConfig, cpu_s: float):
        for schema in lift(model).schemas:
            _check_length(schema)
        self._world = world
        self._config = config
        self.system = transitions_of(world)  #: which the world's walks are made in
        self._asked = WorldWalks(self.system, QueryBudget(PASSES * config.most_queries))
        self._real = GroundSystem(self._asked)
        self._model = cast(SampledSystem, _Timed(LiftedSystem(model), cpu_s))

    @property
    def world_queries(self) -> int:
        """Queries that reached the world so far."""
        return self._asked.queries

    def score(self, rng: np.random.Generator) -> EWScore:
        """The EW score; by `prefix`, the same number, where the model cannot be counted for joint walks."""
        try:
            return sampled_score(self._real, self._model, rng, self._config)
        except NotCountable:
            config = replace(self._config, estimator="prefix")
            return sampled_score(self._real, self._model, rng, config)

    def disagreement(self, rng: np.random.Generator) -> Disagreement | None:
        """The shortest that walks of t_max meet; None if all agree.

        With an equal seed the walks are those of the score by `prefix`, of which one below 1 has one.
        """
        rng.spawn(1)
        pair, config = LiftedPair(self._real, self._model), self._config
        found = PREFIX.difference(pair, config.walks, config.t_max, rng)
        return None if found is None else Disagreement(*found, state_before(self._world, found.walk))

    def ran(self, walk: Sequence[str]) -> int:
        """How many operators of `walk` the model runs before one is refused."""
        state = self._model.initial()
        for steps, operator in enumerate(walk):
            if not self._model.runs(state, operator):
                return steps
            state = self._model.successor(state, operator)
        return len(walk)


class _Timed:
    """A SampledSystem that raises OutOfCpuTime after `cpu_s` more seconds of this thread's work."""

    def __init__(self, system: SampledSystem, cpu_s: float):
        self._system = system
        self._cpu_s = cpu_s
        self._end = time.thread_time() + cpu_s

    def __getattr__(self, name: str) -> Any:
        if time.thread_time() > self._end:
            taken = f"the walks took more than {self._cpu_s:g} s of processor time"
            raise OutOfCpuTime(f"{taken}: take fewer walks, or give them more time")
        return getattr(self._system, name)


def _check_length(schema: Schema) -> None:
    effects = sum(written_out(Forall(e.variables, e.condition), schema) for e in schema.effects)
    literals = written_out(schema.precondition, schema) + effects
    if literals > MAX_LITERALS:
        written = f"action `{schema.name}` has {literals} literals written out"
        raise TooLong(f"{written}, more than {MAX_LITERALS}")
