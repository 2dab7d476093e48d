"""The first walk on which the world and the model disagree, in either direction.

The walks are those of the score: lengths 1 … t_max, alternating directions, or as its estimator has them; a
joint walk shows an operator that only one side runs wherever there is one. So a score below 1, looked into
with a generator of the same seed, always has a disagreement. As long as a whole batch agrees,
the next one walks twice as far, up to `EWConfig.longest`: a model of EW 1 whose plan fails is wrong somewhere
further out. Of the first batch with a disagreement the walk that fails after the fewest steps is taken, as
the shortest story is the easiest to reason about; ties go to the walk sampled first.

Source: Mahdavi et al. 2024, section 4.4 and Appendix B.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from envs.pddl.interface import DescribesSteps, TransitionSystem, World
from ew.score.config import EWConfig
from ew.score.directed import DirectedWalks, walk_across
from ew.score.survival import joint_walks
from ew.walks.adapter import transitions_of


class Direction(StrEnum):
    """Where a walk was sampled, and so which side refused it."""

    FORWARD = "forward"  #: sampled in the world, refused by the model
    BACKWARD = "backward"  #: sampled in the model, refused by the world


@dataclass(frozen=True)
class Disagreement:
    """A walk that both sides execute but for its last operator, which only one side does."""

    direction: Direction
    walk: tuple[str, ...]  #: operator texts from the initial state; the last is the refused one
    state: str  #: the world's state before the last operator, in words

    @property
    def executed(self) -> tuple[str, ...]:
        """The operators that ran on both sides."""
        return self.walk[:-1]

    @property
    def failing(self) -> str:
        """The operator that one side refused."""
        return self.walk[-1]


def first_disagreement(
    world: World,
    model: TransitionSystem,
    rng: np.random.Generator,
    config: EWConfig | None = None,
    asked: TransitionSystem | None = None,
) -> Disagreement | None:
    """The shortest disagreement of the first batch of walks that has one; None if none is found.

    `asked` stands for the world's own transition system, such as a `WorldWalks` that counts what it is asked.
    Spawns two streams of `rng` (the world's walks, the model's) per batch; one more, first, for joint walks.
    """
    config = config or EWConfig()
    real = asked or transitions_of(world)
    if config.estimator == "survival":
        (stream,) = rng.spawn(1)
        met = joint_walks(real, model, config.walks, config.t_max, stream).difference
        if met is not None:
            direction = Direction.FORWARD if met.only_world else Direction.BACKWARD
            return Disagreement(direction, met.walk, state_before(world, met.walk))
    for longest in _horizons(config):
        found = _disagreement_in_batch(real, model, rng, config, longest)
        if found is not None:
            direction, walk = found
            return Disagreement(direction, walk, state_before(world, walk))
    return None


def _horizons(config: EWConfig) -> list[int]:
    """t_max, its doubles below `longest`, and `longest`."""
    horizons = [config.t_max]
    while horizons[-1] < config.longest:
        horizons.append(min(2 * horizons[-1], config.longest))
    return horizons


def _disagreement_in_batch(
    real: TransitionSystem, model: TransitionSystem, rng: np.random.Generator, config: EWConfig, longest: int
) -> tuple[Direction, tuple[str, ...]] | None:
    """The shortest failing walk of one batch: lengths 1 … t_max at first, then all of length `longest`."""
    found: list[tuple[int, int, Direction, tuple[str, ...]]] = []
    sides = ((Direction.FORWARD, real, model), (Direction.BACKWARD, model, real))
    for number, ((direction, source, target), stream) in enumerate(zip(sides, rng.spawn(2), strict=True)):
        lengths = config.lengths(number)
        staggered = longest == config.t_max and config.estimator == "paper"
        wished = lengths if staggered else np.full_like(lengths, longest)
        directed = walk_across(source, target, wished.tolist(), stream)
        row = _first_shortest(directed)
        if row is not None:
            steps = int(directed.ran[row])
            found.append((steps, 2 * row + number, direction, directed.walks.words(row, source, steps + 1)))
    return min(found)[2:] if found else None


def _first_shortest(directed: DirectedWalks) -> int | None:
    """The row that was refused after the fewest steps, the first of equals; None if none was refused."""
    refused = np.flatnonzero(~directed.executable)
    return int(refused[np.argmin(directed.ran[refused])]) if len(refused) else None


def state_before(world: World, walk: Sequence[str]) -> str:
    """The state before the last operator of `walk`, with what bears on that operator where the world says it.

    Raises ValueError if the operators before it are refused.
    """
    if isinstance(world, DescribesSteps):
        return world.describe_step(walk)
    return world.describe(tuple(walk[:-1]))
