"""Three estimators of the same two shares, by name.

The quantity: for each length T in 1 … t_max, F_T is the probability that a random walk of the world of length
T runs in the model; the forward share is their mean, the backward share is the same with the sides swapped.
A walk that meets a dead end (no applicable operator where it is sampled) ends there and is judged on the
steps it made. `ew.score.exact` computes these numbers without sampling.

`paper`     fresh walks of each length, directions alternating: each walk says yes or no for one length.
`prefix`    walks of length t_max, directions alternating: each serves all its prefixes. A prefix of a random
            walk is a random walk, so the mean over prefixes is unbiased for the mean over lengths.
`survival`  joint walks of length t_max, each serving all its prefixes and both directions; see
`ew.score.survival`.

Directions apart take two spawned streams, the world's walks first, so generators of the same seed judge every
model by the same walks of the world; joint walks take the first of them. The rows of a batch are drawn one
after another, so drawing walks in several portions gives the same walks as drawing them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import TransitionSystem
from ew.score.config import EstimatorName, EWConfig
from ew.score.directed import DirectedWalks, walk_across
from ew.score.survival import joint_walks
from ew.score.uncertainty import Spread, spread_apart, spread_joint


@dataclass(frozen=True)
class Estimate:
    """The two shares, how sure they are, and what they cost."""

    forward: float
    backward: float
    spread: Spread
    world_queries: int


@dataclass(frozen=True, eq=False)
class Values:
    """One number in [0, 1] a walk, independent, each an unbiased estimate of its direction's share."""

    forward: NDArray[np.float64]  #: shape (walks forward,)
    backward: NDArray[np.float64]  #: shape (walks backward,)
    world_queries: int

    def joined(self, more: Values) -> Values:
        """These values and then `more`."""
        return Values(
            np.concatenate([self.forward, more.forward]),
            np.concatenate([self.backward, more.backward]),
            self.world_queries + more.world_queries,
        )


#: Draws values of so many walks, both directions together; again and again.
Draw = Callable[[int], Values]


def paper(
    world: TransitionSystem, model: TransitionSystem, config: EWConfig, rng: np.random.Generator
) -> Estimate:
    """Fresh walks of each length: the published estimator."""
    world_rng, model_rng = rng.spawn(2)
    forward = walk_across(world, model, config.lengths(0).tolist(), world_rng)
    backward = walk_across(model, world, config.lengths(1).tolist(), model_rng)
    return paper_estimate(forward, backward, config)


def paper_estimate(forward: DirectedWalks, backward: DirectedWalks, config: EWConfig) -> Estimate:
    """The published estimate from walks of each length in each direction."""
    shares = [float(d.shares(config.t_max).mean()) for d in (forward, backward)]
    (f, var_f), (b, var_b) = forward.smoothed(config.t_max), backward.smoothed(config.t_max)
    asked = forward.asked_in_source + backward.asked_in_target
    return Estimate(shares[0], shares[1], Spread(f, b, var_f, var_b), asked)


def prefix_draws(
    world: TransitionSystem, model: TransitionSystem, t_max: int, rng: np.random.Generator
) -> Draw:
    """Values of `prefix`: walks of each direction, half and half (an odd one is forward)."""
    world_rng, model_rng = rng.spawn(2)

    def draw(walks: int) -> Values:
        forward = walk_across(world, model, [t_max] * (walks - walks // 2), world_rng)
        backward = walk_across(model, world, [t_max] * (walks // 2), model_rng)
        return prefix_values(forward, backward, t_max)

    return draw


def prefix_values(forward: DirectedWalks, backward: DirectedWalks, t_max: int) -> Values:
    """The values of walks that were all wished t_max long."""
    asked = forward.asked_in_source + backward.asked_in_target
    return Values(forward.prefix_values(t_max), backward.prefix_values(t_max), asked)


def survival_draws(
    world: TransitionSystem, model: TransitionSystem, t_max: int, rng: np.random.Generator
) -> Draw:
    """Values of `survival`: joint walks, so the values of both directions come in pairs."""
    (joint_rng,) = rng.spawn(1)

    def draw(walks: int) -> Values:
        joint = joint_walks(world, model, walks, t_max, joint_rng)
        return Values(joint.forward.mean(axis=1), joint.backward.mean(axis=1), joint.asked)

    return draw


def prefix(
    world: TransitionSystem, model: TransitionSystem, config: EWConfig, rng: np.random.Generator
) -> Estimate:
    """One walk of t_max serves all its prefixes."""
    return estimate_of("prefix", prefix_draws(world, model, config.t_max, rng)(config.walks))


def survival(
    world: TransitionSystem, model: TransitionSystem, config: EWConfig, rng: np.random.Generator
) -> Estimate:
    """One joint walk serves all its prefixes and both directions."""
    return estimate_of("survival", survival_draws(world, model, config.t_max, rng)(config.walks))


def estimate_of(estimator: EstimatorName, values: Values) -> Estimate:
    """The estimate from values that `estimator`, `prefix` or `survival`, has drawn."""
    spread_of = spread_joint if estimator == "survival" else spread_apart
    forward, backward = values.forward, values.backward
    spread = spread_of(forward, backward)
    return Estimate(float(forward.mean()), float(backward.mean()), spread, values.world_queries)


Estimator = Callable[[TransitionSystem, TransitionSystem, EWConfig, np.random.Generator], Estimate]

ESTIMATORS: Mapping[EstimatorName, Estimator] = {"paper": paper, "prefix": prefix, "survival": survival}
