"""Estimators of the same two shares, by name: for ground and for lifted models alike.

The quantity: for each length T in 1 … t_max, F_T is the probability that a random walk of the world of length
T runs in the model; the forward share is their mean, the backward share is the same with the sides swapped.
A walk that meets a dead end (no applicable operator where it is sampled) ends there and is judged on the
steps it made. `ew.score.exact` computes these numbers without sampling.

`paper`     fresh walks of each length, directions alternating: each walk says yes or no for one length.
`prefix`    walks of length t_max, directions alternating: each serves all its prefixes. A prefix of a random
            walk is a random walk, so the mean over prefixes is unbiased for the mean over lengths.
`survival`  joint walks of length t_max, each serving all its prefixes and both directions; see
            `ew.score.survival`.

An estimator draws its walks from a `WalkPair`, which hides how operators are listed or drawn, so it is
written once. To add one: write a subclass of `Estimator`, and give it a name in
`ew.score.registry.ESTIMATORS`; or, in a package of your own, name the class in its `pyproject.toml`:

    [project.entry-points."groundwalk.estimators"]
    mine = "my_package.estimator:Mine"

Directed walks take two spawned streams, the world's walks first, so generators of the same seed judge every
model by the same walks of the world; joint walks take the first of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ew.score.directed import DirectedWalks, Direction, RefusedWalk
from ew.score.exercised import ActionCount, action_counts
from ew.score.uncertainty import Spread, spread_apart, spread_joint


@dataclass(frozen=True)
class Shares:
    """The two shares as estimated, how sure they are, and what they cost."""

    forward: float
    backward: float
    spread: Spread
    world_queries: int
    actions: tuple[ActionCount, ...] = ()  #: by name, those that some walk met


@dataclass(frozen=True, eq=False)
class JointValues:
    """For every joint walk the mean of its weights over the lengths, in both directions; in [0, 1]."""

    forward: NDArray[np.float64]  #: shape (walks,)
    backward: NDArray[np.float64]  #: shape (walks,)
    world_queries: int = 0
    difference: RefusedWalk | None = None  #: the first operator met that only one side executes
    actions: tuple[ActionCount, ...] = ()


class WalkPair(Protocol):
    """A world and a model that walks are made in, each ground or lifted."""

    def across(self, direction: Direction, lengths: Sequence[int], rng: np.random.Generator) -> DirectedWalks:
        """A walk of every wished length, sampled on the direction's side and executed on the other."""

    def joint(self, walks: int, t_max: int, rng: np.random.Generator) -> JointValues:
        """So many joint walks of length t_max. May raise `ew.lifted.sampled_score.NotCountable`."""


class Estimator(ABC):
    """How the two shares are estimated from `walks` walks of at most `t_max` steps. Holds no state."""

    #: Whether models too large to be ground are scored; else they are set aside, as published.
    scores_lifted: ClassVar[bool] = True
    #: Whether the world has to list what is applicable.
    needs_lists: ClassVar[bool] = False

    def least_walks(self, t_max: int) -> int:
        """The fewest walks that give an estimate."""
        return 2

    def lengths(self, walks: int, t_max: int, direction: Direction) -> list[int]:
        """The wished lengths of the walks of one direction; an odd walk is forward."""
        return [t_max] * _of_direction(walks, direction)

    def most_queries(self, walks: int, t_max: int) -> int:
        """World queries if every walk goes to its full length."""
        return sum(sum(self.lengths(walks, t_max, direction)) for direction in Direction)

    @abstractmethod
    def draw(self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator) -> Shares:
        """The shares from fresh walks, with their spread and the world queries that the walks took."""

    def difference(
        self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator
    ) -> RefusedWalk | None:
        """A walk that one side refuses at its last operator; None if all walks of the estimate agree.

        Of directed walks the one that is refused after the fewest steps; ties go to the first sampled.
        With a generator of the same seed the walks are those of `draw`, of which shares below 1 have one.
        """
        found = [
            (steps, 2 * row + number, RefusedWalk(direction, walk))
            for number, (direction, made) in enumerate(
                zip(Direction, self.directed(pair, walks, t_max, rng), strict=True)
            )
            for steps, row, walk in filter(None, [made.shortest_refused()])
        ]
        return min(found)[2] if found else None

    def directed(
        self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator
    ) -> list[DirectedWalks]:
        """The walks of each direction, forward first, each with a stream of its own."""
        streams = zip(Direction, rng.spawn(2), strict=True)
        return [pair.across(way, self.lengths(walks, t_max, way), stream) for way, stream in streams]


class Paper(Estimator):
    """Fresh walks of each length: the published estimator."""

    scores_lifted = False

    def least_walks(self, t_max: int) -> int:
        """A walk of every length 1 … t_max in each direction."""
        return 2 * t_max

    def lengths(self, walks: int, t_max: int, direction: Direction) -> list[int]:
        """1, 2, … t_max, 1, 2, …"""
        return [number % t_max + 1 for number in range(_of_direction(walks, direction))]

    def draw(self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator) -> Shares:
        """The mean over the lengths of the share of executable walks."""
        directed = self.directed(pair, walks, t_max, rng)
        forward, backward = (float(d.shares(t_max).mean()) for d in directed)
        (f, var_f), (b, var_b) = (d.smoothed(t_max) for d in directed)
        return Shares(forward, backward, Spread(f, b, var_f, var_b), _asked(directed), _exercised(directed))


class Prefix(Estimator):
    """One walk of t_max serves all its prefixes."""

    def draw(self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator) -> Shares:
        """The mean over the walks of the share of prefixes that are executable."""
        directed = self.directed(pair, walks, t_max, rng)
        forward, backward = (d.prefix_values(t_max) for d in directed)
        spread = spread_apart(forward, backward)
        shares = float(forward.mean()), float(backward.mean())
        return Shares(*shares, spread, _asked(directed), _exercised(directed))


class Survival(Estimator):
    """One joint walk serves all its prefixes and both directions, weighted by importance."""

    needs_lists = True

    def draw(self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator) -> Shares:
        """The mean over the walks of the mean weight over the lengths."""
        values = pair.joint(walks, t_max, rng)
        forward, backward = values.forward, values.backward
        spread = spread_joint(forward, backward)
        shares = float(forward.mean()), float(backward.mean())
        return Shares(*shares, spread, values.world_queries, values.actions)

    def difference(
        self, pair: WalkPair, walks: int, t_max: int, rng: np.random.Generator
    ) -> RefusedWalk | None:
        """Of the joint walks, which show every operator that one side alone runs; else of directed walks."""
        return pair.joint(walks, t_max, rng).difference or super().difference(pair, walks, t_max, rng)


#: One for all that look for a disagreement on directed walks.
PREFIX = Prefix()


def _of_direction(walks: int, direction: Direction) -> int:
    """Walks of one direction, where directions alternate, forward first."""
    return (walks + (direction is Direction.FORWARD)) // 2


def _exercised(directed: Sequence[DirectedWalks]) -> tuple[ActionCount, ...]:
    return action_counts(walks.exercised(way) for way, walks in zip(Direction, directed, strict=True))


def _asked(directed: Sequence[DirectedWalks]) -> int:
    """World queries of forward and backward walks."""
    forward, backward = directed
    return forward.asked_in_source + backward.asked_in_target
