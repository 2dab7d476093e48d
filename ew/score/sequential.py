"""Scoring a candidate no longer than needed: stop when it is surely worse than the incumbent.

Walks are taken in portions. After each one, four bounds that hold at all times at once (`ew.score.bounds`)
enclose the two directions' exact shares, and, as the harmonic mean grows with both, the exact EW. The
candidate is dropped as soon as its upper bound falls below `floor`, the lower bound of the incumbent's own
comparison.

Guarantee: with probability at least 1 - `ERROR`, a candidate whose exact EW is no lower than the incumbent's
is not dropped, however often one looks: each of the four bounds fails with probability at most ERROR / 4, and
a wrong drop needs one of the candidate's two upper bounds or of the incumbent's two lower ones to fail. With
k candidates compared with one incumbent, some good one is dropped with probability at most
(k + 1) · ERROR / 2. The estimator must have walks that are alike (`prefix`, `survival`), and walks must be
independent of those before: an incumbent's and a candidate's may share the world's walks, as no independence
between the two runs is used.

A comparison that was not stopped has taken all its walks, the same ones as `ew_score` with the same generator
and settings, and has the same score. One that was stopped has a score that was looked at until it was bad:
it is biased downwards, and its interval does not cover as often as it says; its bounds still hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.interface import TransitionSystem
from ew.score.bounds import lower_bound, upper_bound
from ew.score.config import EWConfig
from ew.score.estimators import DRAWS, Values, estimate_of
from ew.score.score import EWScore, EWVerdict, harmonic_mean, opening, score_of
from ew.walks.world_walks import WorldWalks

#: The probability with which a candidate as good as the incumbent may be dropped.
ERROR = 0.05
#: Walks between two looks.
PORTION = 10


@dataclass(frozen=True)
class Comparison:
    """A candidate's score as far as it was taken, and bounds of its exact EW that hold at any stop."""

    score: EWScore  #: partial if stopped early; without numbers if its verdict is not SCORED
    surely_worse: bool  #: whether it was stopped because its upper bound is below the floor
    lower: float = 0.0  #: the floor for further candidates if this one becomes the incumbent
    upper: float = 1.0


def compare(
    world: TransitionSystem,
    model: TransitionSystem,
    rng: np.random.Generator,
    config: EWConfig,
    floor: float = 0.0,
) -> Comparison:
    """Score `model` until its exact EW is surely below `floor`, or all walks of `config` are taken.

    Raises ValueError for the estimator `paper`, whose walks differ in length and so are no sample to look
    into at any time.
    """
    if config.estimator not in DRAWS:
        raise ValueError(
            f"estimator {config.estimator!r} cannot be stopped at any time: choose one of {', '.join(DRAWS)}"
        )
    before = world.queries if isinstance(world, WorldWalks) else 0
    opened = opening(world, model, config)
    if isinstance(opened, EWScore):
        upper = 0.0 if opened.verdict is EWVerdict.NO_INITIAL_ACTION else 1.0  # no walk of the world runs
        return Comparison(opened, upper < floor, upper=upper)
    draw = DRAWS[config.estimator](world, model, config.t_max, rng)
    drawn = Values(np.zeros(0), np.zeros(0), 0)
    lower, upper, walks = 0.0, 1.0, 0
    while walks < opened.walks and upper >= floor:
        portion = min(PORTION, opened.walks - walks)
        drawn, walks = drawn.joined(draw(portion)), walks + portion
        lower, upper = _bounds(drawn)
    queries = world.queries - before if isinstance(world, WorldWalks) else 1 + drawn.world_queries
    found = estimate_of(config.estimator, drawn)
    score = score_of(found, walks, queries, partial=walks < config.walks)
    return Comparison(score, upper < floor, lower, upper)


def _bounds(drawn: Values) -> tuple[float, float]:
    alpha = ERROR / 4
    sides = (drawn.forward, drawn.backward)
    return (
        harmonic_mean(*(lower_bound(v, alpha) for v in sides)),
        harmonic_mean(*(upper_bound(v, alpha) for v in sides)),
    )
