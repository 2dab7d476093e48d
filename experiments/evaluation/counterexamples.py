"""What is told of a disagreement: as it was found, or at its shortest with what speaks for a cause.

The first is the published form. The second asks the world more: to leave operators out of the walk, and to
compare all actions along that walk and along a few others; these world queries belong to the candidate's
score like all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Domain, Problem
from ew.counterexample.agreement import AgreementConfig, agreement
from ew.counterexample.causes import NO_CAUSES, Causes
from ew.counterexample.disagreement import Disagreement
from ew.counterexample.feedback import Explained
from ew.counterexample.shrink import Shrunk, shrink
from ew.lifted.joins import JoinTooLarge
from ew.lifted.relations import TooManyAtoms
from ew.lifted.sampled import SamplingGaveUp

#: World queries that a look at longer walks may take, the score's own included, where its walks all agree.
MAX_FURTHER = 3000
#: World queries that leaving operators out may take.
MAX_SHRINKING = 2000
#: Literals over the parameters of all actions that may be weighed as a cause in every state.
MAX_WEIGHED = 5000
#: Besides the walk of the disagreement itself.
COMPARED = AgreementConfig(walks=5)


@dataclass(frozen=True)
class Told:
    """A disagreement to be put in words, and the world queries that finding its words took."""

    failure: Disagreement | Shrunk | Explained
    shown: Disagreement  #: the one that the words are about
    world_queries: int = 0
    causes: Causes = NO_CAUSES  #: what would explain it, if that was looked for


def shortest(world: World, model: TransitionSystem, found: Disagreement) -> Shrunk:
    """The disagreement cut down as far as `MAX_SHRINKING` queries go."""
    return shrink(world, model, found, MAX_SHRINKING)


def explained(
    world: World, problem: Problem, model: TransitionSystem, found: Disagreement, rng: np.random.Generator
) -> Told:
    """The shortest disagreement, the actions that differ and their likely causes.

    A model too large to be compared action by action is told its shortest disagreement alone.
    """
    short = shortest(world, model, found)
    if weighed(problem.domain) > MAX_WEIGHED:
        return Told(short, short.disagreement, short.world_queries)
    try:
        compared = agreement(world, problem, rng, COMPARED, led=short.disagreement.executed)
    except (JoinTooLarge, SamplingGaveUp, TooManyAtoms):
        return Told(short, short.disagreement, short.world_queries)
    queries = short.world_queries + compared.world_queries
    failure = Explained.by(short, compared, frozenset(problem.domain.predicates))
    return Told(failure, short.disagreement, queries, failure.causes)


def weighed(domain: Domain) -> int:
    """An upper bound of the atoms that fit the parameters of some action."""
    arities = [len(p.parameters) for p in domain.predicates.values()]
    return sum(len(a.parameters) ** arity for a in domain.actions.values() for arity in arities)
