"""The shortest counterexample with its likely causes: what a disagreement becomes before it is put in words.

It asks the world more than the walks did: to leave operators out of the walk, and to compare all actions
along that walk and along a few others. These world queries belong to the model's score like all others. In a
world that is one simulator, both together have a budget of simulator steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Domain, Problem
from ew.counterexample.agreement import AgreementConfig, agreement
from ew.counterexample.causes import NO_CAUSES, Causes
from ew.counterexample.disagreement import MOST_STEPS, Disagreement
from ew.counterexample.feedback import Explained
from ew.counterexample.shrink import Shrunk, shrink
from ew.lifted.relations import CannotWalk
from ew.walks.adapter import transitions_of
from ew.walks.budget import SimulatorCost, StepsExceeded
from ew.walks.simulator_cost import simulated

#: World queries of a search on longer walks, the score's own included, where all walks of the score agree.
MAX_FURTHER = 3000
#: World queries of shortening a disagreement.
MAX_SHRINKING = 2000
#: Literals over the parameters of all actions that may be weighed as a cause in every state.
MAX_WEIGHED = 5000
#: Joint walks that actions are compared on, beside the disagreement's own.
COMPARED = AgreementConfig(walks=5)


@dataclass(frozen=True)
class Counterexample:
    """A disagreement to be put in words, and the world queries that explaining it took."""

    failure: Disagreement | Shrunk | Explained
    world_queries: int = 0
    simulator: SimulatorCost | None = None  #: what the world's simulator did for it; None where it is batched

    @property
    def shown(self) -> Disagreement:
        """The disagreement that the words are about."""
        shrunk = self.failure.shrunk if isinstance(self.failure, Explained) else self.failure
        return shrunk.disagreement if isinstance(shrunk, Shrunk) else shrunk

    @property
    def causes(self) -> Causes:
        """What would explain it, as far as that was looked for."""
        return self.failure.causes if isinstance(self.failure, Explained) else NO_CAUSES


def explained(
    world: World,
    problem: Problem,
    model: TransitionSystem,
    found: Disagreement,
    rng: np.random.Generator,
    max_steps: int = MOST_STEPS,
    asked: TransitionSystem | None = None,
) -> Counterexample:
    """The shortest counterexample, the actions that differ and their likely causes.

    `model` is `problem`, ground. Of a model too large to be compared action by action, and where `max_steps`
    of a world's simulator do not suffice for comparing, the shortest counterexample that was found alone.
    `asked` is a system over the world's simulator that remembers other walks, such as those of the score.
    """
    simulator = simulated(asked or transitions_of(world))
    if simulator is None:
        return _explained(world, problem, model, found, rng, None)
    before = simulator.cost
    with simulator.capped(max_steps):
        made = _explained(world, problem, model, found, rng, simulator)
    return replace(made, simulator=simulator.cost - before)


def _explained(
    world: World,
    problem: Problem,
    model: TransitionSystem,
    found: Disagreement,
    rng: np.random.Generator,
    asked: TransitionSystem | None,
) -> Counterexample:
    short = shrink(world, model, found, MAX_SHRINKING, asked=asked)
    if weighed(problem.domain) > MAX_WEIGHED:
        return Counterexample(short, short.world_queries)
    try:
        compared = agreement(world, problem, rng, COMPARED, short.disagreement.executed, asked)
    except (CannotWalk, StepsExceeded):
        return Counterexample(short, short.world_queries)
    failure = Explained.by(short, compared, frozenset(problem.domain.predicates))
    return Counterexample(failure, short.world_queries + compared.world_queries)


def weighed(domain: Domain) -> int:
    """An upper bound of the atoms that fit the parameters of some action."""
    arities = [len(parameters) for parameters in domain.predicates.values()]
    return sum(len(a.parameters) ** arity for a in domain.actions.values() for arity in arities)
