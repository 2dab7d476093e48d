"""The EW score of systems whose operators cannot be listed: the same three estimators, one walk at a time.

The numbers estimated, the treatment of dead ends and the uncertainty are those of `ew.score.estimators`; only
the walks differ: operators are drawn, not picked from a list. `survival` needs what both sides accept, listed
by one of them and checked by the other, and the count of the one that does not list.

World queries are the world's own count (`asked`): for a `Listed` world one a state, for a world that only
answers whether a walk runs one an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ew.counterexample.disagreement import Direction
from ew.lifted.sampled import SampledSystem
from ew.score.config import EWConfig
from ew.score.directed import DirectedWalks
from ew.score.estimators import Estimate, Values, estimate_of, paper_estimate, prefix_values
from ew.score.score import EWScore, EWVerdict, score_of
from ew.walks.walk import Walks


class NotCountable(ValueError):
    """`survival` was asked for where neither side can list or count its operators. Plain data."""

    def __str__(self) -> str:
        return "neither side lists its operators here, or one cannot count them: use `prefix` or `paper`"


def sampled_score(
    world: SampledSystem, model: SampledSystem, rng: np.random.Generator, config: EWConfig | None = None
) -> EWScore:
    """The EW score of `model` in `world`. Every walk has its own stream of `rng`.

    May raise SamplingGaveUp, JoinTooLarge, for `survival` NotCountable, and BudgetExceeded where the world
    has a budget: what drawing costs is not known before, so there are no partial scores here.
    """
    config = config or EWConfig()
    before = world.asked
    (looking,) = rng.spawn(1)
    stuck = world.draw(world.initial(), looking) is None
    if stuck or model.draw(model.initial(), looking) is None:
        verdict = EWVerdict.WORLD_STUCK if stuck else EWVerdict.NO_INITIAL_ACTION
        return EWScore(verdict, world_queries=world.asked - before)
    found = _ESTIMATORS[config.estimator](world, model, config, rng)
    return score_of(found, config.walks, world.asked - before)


def sampled_disagreement(
    world: SampledSystem, model: SampledSystem, rng: np.random.Generator, config: EWConfig
) -> tuple[Direction, tuple[str, ...]] | None:
    """The shortest walk that one side refuses at its last operator; None if all walks of t_max agree.

    With a generator of the same seed the walks are those of `prefix`, of which a score below 1 has one.
    """
    rng.spawn(1)
    sides = ((Direction.FORWARD, world, model), (Direction.BACKWARD, model, world))
    found: list[tuple[int, int, Direction, tuple[str, ...]]] = []
    for number, ((direction, source, target), stream) in enumerate(zip(sides, rng.spawn(2), strict=True)):
        for row, own in enumerate(stream.spawn(config.in_direction(number))):
            walk, ran = _walk(source, target, config.t_max, own)
            if ran < len(walk):
                found.append((ran, 2 * row + number, direction, walk))
    return min(found)[2:] if found else None


def _paper(
    world: SampledSystem, model: SampledSystem, config: EWConfig, rng: np.random.Generator
) -> Estimate:
    world_rng, model_rng = rng.spawn(2)
    forward = _across(world, model, config.lengths(0).tolist(), world_rng)
    backward = _across(model, world, config.lengths(1).tolist(), model_rng)
    return paper_estimate(forward, backward, config)


def _prefix(
    world: SampledSystem, model: SampledSystem, config: EWConfig, rng: np.random.Generator
) -> Estimate:
    world_rng, model_rng = rng.spawn(2)
    forward = _across(world, model, [config.t_max] * config.in_direction(0), world_rng)
    backward = _across(model, world, [config.t_max] * config.in_direction(1), model_rng)
    return estimate_of("prefix", prefix_values(forward, backward, config.t_max))


def _survival(
    world: SampledSystem, model: SampledSystem, config: EWConfig, rng: np.random.Generator
) -> Estimate:
    weights = np.array([_joint(world, model, config.t_max, own) for own in rng.spawn(config.walks)])
    return estimate_of("survival", Values(weights[:, 0], weights[:, 1], 0))


_ESTIMATORS = {"paper": _paper, "prefix": _prefix, "survival": _survival}


def _across(
    source: SampledSystem, target: SampledSystem, wished: list[int], rng: np.random.Generator
) -> DirectedWalks:
    """A walk of every wished length sampled in `source` and run in `target`; operators are not kept."""
    made = [
        _walk(source, target, steps, own) for steps, own in zip(wished, rng.spawn(len(wished)), strict=True)
    ]
    lengths = np.array([len(walk) for walk, _ in made], dtype=np.int64)
    ran = np.array([steps for _, steps in made], dtype=np.int64)
    walks = Walks(np.zeros((len(made), 0), dtype=np.int64), lengths)
    return DirectedWalks(walks, np.array(wished, dtype=np.int64), ran)


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


def _joint(
    world: SampledSystem, model: SampledSystem, t_max: int, rng: np.random.Generator
) -> tuple[float, float]:
    """The mean weights over the lengths of one joint walk, forward and backward; see `ew.score.survival`."""
    here, there = world.initial(), model.initial()
    weights, sums = np.ones(2), np.zeros(2)
    for step in range(t_max):
        met = _meet(world, here, model, there)
        own = np.array([met.in_world, met.in_model])
        weights = weights * np.where(own > 0, len(met.both) / np.maximum(own, 1), 1.0)
        if not met.both:
            sums += weights * (t_max - step)
            break
        sums += weights
        if step < t_max - 1:
            operator = met.both[min(int(rng.random() * len(met.both)), len(met.both) - 1)]
            here, there = world.successor(here, operator), model.successor(there, operator)
    forward, backward = (sums / t_max).tolist()
    return forward, backward


def _meet(world: SampledSystem, here: object, model: SampledSystem, there: object) -> _Meeting:
    """Raises NotCountable if neither side lists, or the other does not count."""
    in_world = world.listed(here)
    if in_world is not None:
        count = model.count(there)
        if count is not None:
            return _Meeting(tuple(o for o in in_world if model.runs(there, o)), len(in_world), count)
    in_model, counted = model.listed(there), world.count(here)
    if in_model is None or counted is None:
        raise NotCountable()
    return _Meeting(tuple(o for o in in_model if world.runs(here, o)), counted, len(in_model))
