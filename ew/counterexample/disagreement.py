"""The first walk on which the world and the model disagree, and observations that a model contradicts.

The walks are those of the score, as its estimator has them (`Estimator.difference`); a joint walk
shows an operator that only one side runs wherever there is one. So a score below 1, looked into with a
generator of the same seed, always has a disagreement. As long as a whole batch agrees,
the next one walks twice as far, up to `EWConfig.longest`: a model of EW 1 whose plan fails is wrong somewhere
further out. Of the first batch with a disagreement the walk that fails after the fewest steps is taken, as
the shortest counterexample is the easiest to reason about; ties go to the walk sampled first.

Source: Mahdavi et al. 2024, section 4.4 and Appendix B.3.

What was once seen in the world is known for good. An observation is a walk that the world executes and one
operator after it that the world executes or refuses. Whether a model agrees with it can be found out without
asking the world again, so a claim that was refuted for one candidate is refuted for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from envs.pddl.interface import DescribesSteps, TransitionSystem, World
from ew.score.config import EWConfig
from ew.score.directed import Direction as Direction
from ew.score.estimators import PREFIX
from ew.score.survival import GroundPair
from ew.walks.adapter import transitions_of
from ew.walks.walk import run_walks, walk_of


class Failure:
    """How a candidate falls short; `ew.counterexample.feedback.render_failure` puts it in words."""


@dataclass(frozen=True)
class Disagreement(Failure):
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
    pair = GroundPair(asked or transitions_of(world), model)
    found = config.by.difference(pair, config.walks, config.t_max, rng)
    longest = config.t_max
    while found is None and longest < config.longest:
        longest = min(2 * longest, config.longest)
        found = PREFIX.difference(pair, config.walks, longest, rng)
    return None if found is None else Disagreement(*found, state_before(world, found.walk))


def state_before(world: World, walk: Sequence[str]) -> str:
    """The state before the last operator of `walk`, with what bears on that operator where the world says it.

    Raises ValueError if the operators before it are refused.
    """
    if isinstance(world, DescribesSteps):
        return world.describe_step(walk)
    return world.describe(tuple(walk[:-1]))


@dataclass(frozen=True, order=True)
class Observation:
    """What the world did. Operators are texts; the order among observations is shorter walks first."""

    task: str  #: the task whose initial state the walk starts from
    length: int  #: of `walk`
    walk: tuple[str, ...]  #: the world executes it from the initial state
    operator: str
    executed: bool  #: whether the world executes `operator` after it

    @classmethod
    def of(cls, task: str, walk: Sequence[str], operator: str, executed: bool) -> Observation:
        """The observation of `operator` after `walk`."""
        return cls(task, len(walk), tuple(walk), operator, executed)

    def __str__(self) -> str:
        """One sentence."""
        when = f"After {', '.join(self.walk)}" if self.walk else "At the start"
        return f"{when}, the environment {'executes' if self.executed else 'refuses'} {self.operator}."


def contradiction(world: World, model: TransitionSystem, seen: Observation) -> Disagreement | None:
    """How `model` contradicts what was seen, or None; costs no world query, as the walk is known to run."""
    walk = (*seen.walk, seen.operator)
    ran = int(run_walks(model, walk_of(model, walk))[0])
    if ran < len(seen.walk) or (ran == len(seen.walk) and seen.executed):
        direction, shown = Direction.FORWARD, walk[: ran + 1]
    elif ran == len(walk) and not seen.executed:
        direction, shown = Direction.BACKWARD, walk
    else:
        return None
    return Disagreement(direction, shown, state_before(world, shown))


def first_contradiction(
    world: World, model: TransitionSystem, seen: Iterable[Observation]
) -> Disagreement | None:
    """How `model` contradicts the first observation, in their order, that it does contradict."""
    found = (contradiction(world, model, observation) for observation in sorted(seen))
    return next((disagreement for disagreement in found if disagreement is not None), None)
