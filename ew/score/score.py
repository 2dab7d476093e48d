"""The EW score of Definition 1: how far two transition systems agree on what can be executed.

Forward: the share of the world's random walks that run in the model. Backward: the share of the model's
that run in the world. Each is the mean over the lengths 1 … t_max of the share at that length; the score is
their harmonic mean, so a model that permits everything, or nothing, gains nothing.

The default estimator is the published one: walks alternate between the directions and go through the lengths
in turn, so every length has its equal share of walks; `ew.score.estimators` has it and two cheaper ones. A
walk cut short by a dead end stays in the share of the length it was meant for and is judged on the steps it
made. Standard error and interval: see `ew.score.uncertainty`.

World queries: one query is the world asked once in one state, for its applicable operators (a step of a
world walk, or the dead end found after it) or whether one operator runs (a step of a model walk, the refused
one included). For a world wrapped in `WorldWalks`, which is never asked twice for the same walk, the queries
are those that really reached the world, and its budget caps them: walks that might exceed it are not started,
and the score says that it is partial.

Over a single simulator (`ew.walks.simulator_cost`) the score also says what that did. With a cap of simulator
steps there is no score if the walks would pass it.

Source: Mahdavi et al. 2024, Definition 1. All but the estimator `paper` is ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from envs.pddl.interface import TransitionSystem
from ew.score.config import EWConfig as EWConfig
from ew.score.config import affordable
from ew.score.estimators import Shares
from ew.score.exercised import ActionCount
from ew.score.survival import GroundPair
from ew.score.uncertainty import Spread, interval, standard_error
from ew.score.uncertainty import harmonic_mean as harmonic_mean
from ew.walks.budget import SimulatorCost, StepsExceeded
from ew.walks.simulator_cost import simulated
from ew.walks.walk import starts
from ew.walks.world_walks import WorldWalks


class EWVerdict(StrEnum):
    """Whether a score could be taken."""

    SCORED = "scored"
    NO_INITIAL_ACTION = "no_initial_action"  #: the model has no applicable operator in its initial state
    WORLD_STUCK = "world_stuck"  #: the world itself has none: the task, not the model, is at fault
    OUT_OF_BUDGET = "out_of_budget"  #: the world may not be asked often enough for the fewest walks
    OUT_OF_STEPS = "out_of_steps"  #: its simulator may not make the steps of the walks


@dataclass(frozen=True)
class EWScore:
    """An EW score and what it cost. The floats are None unless the verdict is SCORED."""

    verdict: EWVerdict
    forward: float | None = None  #: share of the world's walks that run in the model, in [0, 1]
    backward: float | None = None  #: share of the model's walks that run in the world, in [0, 1]
    score: float | None = None  #: their harmonic mean, 0 if one of them is 0
    stderr: float | None = None  #: standard error of `score`
    walks: int = 0  #: walks sampled, both directions together
    world_queries: int = 0
    interval: tuple[float, float] | None = None  #: 95 % interval of `score`, within [0, 1]
    partial: bool = False  #: fewer walks were taken than asked for: by the budget or a stop
    spread: Spread | None = field(default=None, repr=False)  #: of both directions, which `stderr` is made of
    simulator: SimulatorCost | None = None  #: what the world's simulator did for it; None where it is batched
    actions: tuple[ActionCount, ...] = ()  #: how often each was executed and refused, of those that walks met


def ew_score(
    world: TransitionSystem, model: TransitionSystem, rng: np.random.Generator, config: EWConfig | None = None
) -> EWScore:
    """The EW score of `model` in `world`, by the estimator that `config` names.

    Spawns one or two streams of `rng`, the world's walks first, so with generators of the same seed `paper`
    and `prefix` judge every model by the same walks of the world. `world` may be a `WorldWalks`, shared
    between models and capped by its budget: then as many walks are taken as it surely pays for.

    Raises CannotList where joint walks are asked for and the world does not list what is applicable.
    """
    config = config or EWConfig()
    simulator = simulated(world)
    if simulator is None:
        return _scored(world, model, rng, config)
    before = simulator.cost
    try:
        with simulator.capped(config.max_world_steps):
            found = _scored(world, model, rng, config)
    except StepsExceeded:
        found = EWScore(EWVerdict.OUT_OF_STEPS, partial=True)
    return replace(found, simulator=simulator.cost - before)


def _scored(
    world: TransitionSystem, model: TransitionSystem, rng: np.random.Generator, config: EWConfig
) -> EWScore:
    tree = world if isinstance(world, WorldWalks) else None
    before = tree.queries if tree else 0
    allowed = affordable(config, tree.budget.left) if tree and tree.budget else config
    if allowed is None:
        return EWScore(EWVerdict.OUT_OF_BUDGET, partial=True)
    stuck = not starts(world)
    if stuck or not model.applicable(model.initial(1)).any():
        verdict = EWVerdict.WORLD_STUCK if stuck else EWVerdict.NO_INITIAL_ACTION
        return EWScore(verdict, world_queries=tree.queries - before if tree else 1)
    found = config.by.draw(GroundPair(world, model), allowed.walks, config.t_max, rng)
    queries = tree.queries - before if tree else 1 + found.world_queries
    return score_of(found, allowed.walks, queries, partial=allowed.walks < config.walks)


def score_of(found: Shares, walks: int, world_queries: int, *, partial: bool = False) -> EWScore:
    """The score of an estimate that took so many walks and world queries."""
    score = harmonic_mean(found.forward, found.backward)
    return EWScore(
        verdict=EWVerdict.SCORED,
        forward=found.forward,
        backward=found.backward,
        score=score,
        stderr=standard_error(found.spread),
        walks=walks,
        world_queries=world_queries,
        interval=interval(score, found.spread),
        partial=partial,
        spread=found.spread,
        actions=found.actions,
    )
