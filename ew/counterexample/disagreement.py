"""The first walk on which the world and the model disagree, and observations that a model contradicts.

The walks are those of the score, as its estimator has them (`Estimator.difference`); a joint walk
shows an operator that only one side runs wherever there is one. So a score below 1, looked into with a
generator of the same seed, always has a disagreement. As long as a whole batch agrees,
the next one walks twice as far, up to `EWConfig.longest`: a model of EW 1 whose plan fails is wrong somewhere
further out. Of the first batch with a disagreement the walk that fails after the fewest steps is taken, as
the shortest counterexample is the easiest to reason about; ties go to the walk sampled first.

In a world that is one simulator the search has a budget of simulator steps: ten times what the score's walks
take, at most `MOST_STEPS`. So one for a model that agrees ends soon, on fewer and shorter walks than in a
world that is walked in batches, and says that its budget ended it.

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
from ew.score.forecast import fitting, score_steps
from ew.score.survival import GroundPair
from ew.walks.adapter import transitions_of
from ew.walks.budget import NO_COST, SimulatorCost, StepsExceeded
from ew.walks.simulator_cost import capped, simulated
from ew.walks.walk import run_walks, walk_of

#: Simulator steps of a search: so many times those of the score's walks, and never more than `MOST_STEPS`.
TIMES_SCORE = 10
MOST_STEPS = 20_000


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


@dataclass(frozen=True)
class DisagreementSearch:
    """What a search for a disagreement came to."""

    found: Disagreement | None
    longest: int  #: steps of the longest walks that were looked at
    budget: int | None = None  #: the simulator steps that ended the search; None if it was not ended by them
    simulator: SimulatorCost | None = None  #: what the simulator did; None where the world is batched

    def __str__(self) -> str:
        """One sentence."""
        if self.found is not None:
            return f"A disagreement was found on walks of up to {self.longest} steps."
        if self.budget is None:
            return f"No disagreement was found on walks of up to {self.longest} steps."
        within = f"within the budget of {self.budget:,} simulator steps"
        return f"No disagreement was found {within}, on walks of up to {self.longest} steps."


def first_disagreement(
    world: World,
    model: TransitionSystem,
    rng: np.random.Generator,
    config: EWConfig | None = None,
    asked: TransitionSystem | None = None,
) -> Disagreement | None:
    """What `search_disagreement` finds, without what is to be said of the search."""
    return search_disagreement(world, model, rng, config, asked).found


def search_disagreement(
    world: World,
    model: TransitionSystem,
    rng: np.random.Generator,
    config: EWConfig | None = None,
    asked: TransitionSystem | None = None,
) -> DisagreementSearch:
    """The shortest disagreement of the first batch of walks that has one, or none.

    `asked` stands for the world's own transition system, such as a `WorldWalks` that counts what it is asked.
    Where the world is not batched, `step_budget` ends the search; but the walks of the score are all looked
    at, by `prefix` in place of `survival` where the world lists nothing.
    Spawns two streams of `rng` (the world's walks, the model's) per batch; one more, first, for joint walks.
    """
    system = asked or transitions_of(world)
    config = fitting(config or EWConfig(), system)
    simulator, pair = simulated(system), GroundPair(system, model)
    before = NO_COST if simulator is None else simulator.cost
    found = config.by.difference(pair, config.walks, config.t_max, rng)
    longest, ended = config.t_max, False
    budget = step_budget(system, config)
    left = max(0, budget - score_steps(system, config)) if budget is not None else None
    try:
        with capped(system, left):
            while found is None and longest < config.longest and not ended:
                further = min(2 * longest, config.longest)
                walks = config.walks
                if simulator is not None and left is not None:
                    walks = min(walks, left // simulator.walk_steps(further))
                    left -= walks * simulator.walk_steps(further)
                ended = walks < PREFIX.least_walks(further)
                if not ended:
                    longest, found = further, PREFIX.difference(pair, walks, further, rng)
    except StepsExceeded:
        ended = True
    shown = None if found is None else Disagreement(*found, state_before(world, found.walk))
    spent = None if simulator is None else simulator.cost - before
    return DisagreementSearch(shown, longest, budget if ended else None, spent)


def step_budget(system: TransitionSystem, config: EWConfig) -> int | None:
    """Simulator steps that looking into one model may take beside its score; None where it is batched."""
    if simulated(system) is None:
        return None
    return min(TIMES_SCORE * score_steps(system, config), MOST_STEPS)


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
