"""The EW score of Definition 1: how far two transition systems agree on what can be executed.

Forward: the share of the world's random walks that run in the model. Backward: the share of the model's
that run in the world. Each is the mean over the lengths 1 … t_max of the share at that length; the score is
their harmonic mean, so a model that permits everything, or nothing, gains nothing.

Estimator: walks alternate between the directions and go through the lengths in turn, so every length has
its equal share of walks. A walk cut short by a dead end stays in the share of the length it was meant for
and is judged on the steps it made.

Standard error: the shares at the lengths are independent binomial strata. With few walks a stratum (5 by
default) the plug-in variance of a share of 0 or 1 would be 0 and claim certainty, so a stratum's variance is
p (1 - p) / n at its Jeffreys posterior mean, p = (k + 1/2) / (n + 1). The delta method carries the two
directions' variances through the harmonic mean, with the gradient at each direction's own posterior mean,
where it exists even if a share is 0. The score itself is never smoothed.

World queries: one query is the world asked once in one state, for its applicable operators (a step of a
world walk, or the dead end found after it) or whether one operator runs (a step of a model walk, the refused
one included).

Source: Mahdavi et al. 2024, Definition 1. The standard error is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import TransitionSystem
from ew.walks import Walks, align, run_walks, sample_walks


class EWVerdict(StrEnum):
    """Whether a score could be taken."""

    SCORED = "scored"
    NO_INITIAL_ACTION = "no_initial_action"  #: the model has no applicable operator in its initial state
    WORLD_STUCK = "world_stuck"  #: the world itself has none: the task, not the model, is at fault


@dataclass(frozen=True)
class EWConfig:
    """How many walks of which lengths."""

    walks: int = 100  #: in total, half in each direction; at least 2 * t_max
    t_max: int = 10  #: the longest walk of the score
    longest: int = 160  #: the longest walk tried when a disagreement is looked for

    def __post_init__(self) -> None:
        if self.t_max < 1 or self.walks < 2 * self.t_max or self.longest < self.t_max:
            raise ValueError(
                f"walks={self.walks}, t_max={self.t_max}, longest={self.longest}: every length 1 … t_max "
                "needs a walk in each direction, so walks >= 2 * t_max >= 2 and longest >= t_max"
            )

    def lengths(self, direction: int) -> NDArray[np.int64]:
        """The wished walk lengths of one direction (0 forward, 1 backward): 1, 2, … t_max, 1, 2, …"""
        return np.arange((self.walks + 1 - direction) // 2) % self.t_max + 1


@dataclass(frozen=True)
class EWScore:
    """An EW score and what it cost. The four floats are None unless the verdict is SCORED."""

    verdict: EWVerdict
    forward: float | None = None  #: share of the world's walks that run in the model, in [0, 1]
    backward: float | None = None  #: share of the model's walks that run in the world, in [0, 1]
    score: float | None = None  #: their harmonic mean, 0 if one of them is 0
    stderr: float | None = None  #: standard error of `score`
    walks: int = 0  #: walks sampled, both directions together
    world_queries: int = 0


@dataclass(frozen=True, eq=False)
class DirectedWalks:
    """Walks of a source and how far each ran in the target."""

    walks: Walks
    wished: NDArray[np.int64]  #: shape (batch,): the lengths asked for
    ran: NDArray[np.int64]  #: shape (batch,): steps that ran in the target

    @property
    def executable(self) -> NDArray[np.bool_]:
        """Which walks ran to their end in the target; shape (batch,)."""
        return np.equal(self.ran, self.walks.lengths)

    def shares(self, t_max: int) -> NDArray[np.float64]:
        """Share of executable walks at each wished length 1 … t_max; shape (t_max,)."""
        total, good = self._counts(t_max)
        return good / total

    def smoothed(self, t_max: int) -> tuple[float, float]:
        """Mean (of all walks, never 0) and variance (by lengths) of the direction's share, for its error."""
        total, good = self._counts(t_max)
        p = (good + 0.5) / (total + 1)
        mean = (good.sum() + 0.5) / (total.sum() + 1)
        return float(mean), float((p * (1 - p) / total).sum()) / t_max**2

    def _counts(self, t_max: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        total = np.bincount(self.wished, minlength=t_max + 1)[1:]
        good = np.bincount(self.wished, weights=self.executable, minlength=t_max + 1)[1:]
        return total.astype(np.float64), good.astype(np.float64)


def walk_across(
    source: TransitionSystem, target: TransitionSystem, lengths: Sequence[int], rng: np.random.Generator
) -> DirectedWalks:
    """Sample a walk of every wished length in `source` and run it in `target`."""
    walks = sample_walks(source, lengths, rng)
    ran = run_walks(target, align(source, target)[walks.operators])
    return DirectedWalks(walks, np.asarray(lengths, dtype=np.int64), ran)


def ew_score(
    world: TransitionSystem, model: TransitionSystem, rng: np.random.Generator, config: EWConfig | None = None
) -> EWScore:
    """The EW score of `model` in `world`.

    Spawns two streams of `rng`, the world's walks first, so with generators of the same seed every model is
    judged by the same walks of the world.
    """
    config = config or EWConfig()
    if not world.applicable(world.initial(1)).any():
        return EWScore(EWVerdict.WORLD_STUCK, world_queries=1)
    if not model.applicable(model.initial(1)).any():
        return EWScore(EWVerdict.NO_INITIAL_ACTION, world_queries=1)
    world_rng, model_rng = rng.spawn(2)
    forward = walk_across(world, model, config.lengths(0).tolist(), world_rng)
    backward = walk_across(model, world, config.lengths(1).tolist(), model_rng)
    shares = [float(d.shares(config.t_max).mean()) for d in (forward, backward)]
    return EWScore(
        verdict=EWVerdict.SCORED,
        forward=shares[0],
        backward=shares[1],
        score=harmonic_mean(*shares),
        stderr=_standard_error(forward.smoothed(config.t_max), backward.smoothed(config.t_max)),
        walks=config.walks,
        world_queries=1 + _asked_in_source(forward) + _asked_in_target(backward),
    )


def harmonic_mean(a: float, b: float) -> float:
    """The harmonic mean of two shares, never outside them; 0 if one of them is 0."""
    if a <= 0 or b <= 0:
        return 0.0
    # of 0.1 and 0.1 the quotient alone is a little more than 0.1
    return min(max(2 * a * b / (a + b), min(a, b)), max(a, b))


def _standard_error(forward: tuple[float, float], backward: tuple[float, float]) -> float:
    """Delta method for the harmonic mean of two independent estimates, each (mean > 0, variance)."""
    (f, var_f), (b, var_b) = forward, backward
    slope_f, slope_b = 2 * (b / (f + b)) ** 2, 2 * (f / (f + b)) ** 2
    return float(np.sqrt(slope_f**2 * var_f + slope_b**2 * var_b))


def _asked_in_source(directed: DirectedWalks) -> int:
    """States in which the source was asked for its applicable operators."""
    lengths = directed.walks.lengths
    return int((lengths + (lengths < directed.wished)).sum())


def _asked_in_target(directed: DirectedWalks) -> int:
    """Operators tried in the target."""
    return int((directed.ran + ~directed.executable).sum())
