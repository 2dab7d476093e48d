"""What is made of a disagreement: feedback, as found or at its shortest with likely causes, and a story.

The first is the published form. The second asks the world more: to leave operators out of the walk, and to
compare all actions along that walk and along a few others; these world queries belong to the candidate's
score like all others.

A *story* is a walk step by step on both sides, for reports. The world's changes are sentences of its state in
words, the model's are atoms. A side that refuses an operator stays in its state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.simulation.simulator import Task
from ew.counterexample.agreement import AgreementConfig, agreement
from ew.counterexample.causes import NO_CAUSES, Causes
from ew.counterexample.disagreement import Disagreement
from ew.counterexample.feedback import Explained
from ew.counterexample.shrink import Shrunk, shrink
from ew.lifted.joins import JoinTooLarge
from ew.lifted.relations import TooManyAtoms
from ew.lifted.sampled import SamplingGaveUp
from experiments.runs.records import Story, StoryStep

#: World queries that a look at longer walks may take, the score's own included, where its walks all agree.
MAX_FURTHER = 3000
#: World queries that leaving operators out may take.
MAX_SHRINKING = 2000
#: Literals over the parameters of all actions that may be weighed as a cause in every state.
MAX_WEIGHED = 5000
#: Besides the walk of the disagreement itself.
COMPARED = AgreementConfig(walks=5)
#: The story of a longer walk ends with this step.
MAX_STEPS = 60

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Counterexample:
    """A disagreement to be put in words, and the world queries that explaining it took."""

    failure: Disagreement | Shrunk | Explained
    shown: Disagreement  #: the one that the words are about
    world_queries: int = 0
    causes: Causes = NO_CAUSES  #: what would explain it, if that was looked for


def shortest(world: World, model: TransitionSystem, found: Disagreement) -> Shrunk:
    """The disagreement cut down as far as `MAX_SHRINKING` queries go."""
    return shrink(world, model, found, MAX_SHRINKING)


def explained(
    world: World, problem: Problem, model: TransitionSystem, found: Disagreement, rng: np.random.Generator
) -> Counterexample:
    """The shortest disagreement, the actions that differ and their likely causes.

    Of a model too large to be compared action by action, the shortest disagreement alone is shown.
    """
    short = shortest(world, model, found)
    if weighed(problem.domain) > MAX_WEIGHED:
        return Counterexample(short, short.disagreement, short.world_queries)
    try:
        compared = agreement(world, problem, rng, COMPARED, led=short.disagreement.executed)
    except (JoinTooLarge, SamplingGaveUp, TooManyAtoms):
        return Counterexample(short, short.disagreement, short.world_queries)
    queries = short.world_queries + compared.world_queries
    failure = Explained.by(short, compared, frozenset(problem.domain.predicates))
    return Counterexample(failure, short.disagreement, queries, failure.causes)


def weighed(domain: Domain) -> int:
    """An upper bound of the atoms that fit the parameters of some action."""
    arities = [len(p.parameters) for p in domain.predicates.values()]
    return sum(len(a.parameters) ** arity for a in domain.actions.values() for arity in arities)


def story_of(world: World, model: Task, direction: str, walk: Sequence[str]) -> Story:
    """The story of `walk`, operator texts from the initial state; the operators may be refused."""
    shown = tuple(walk[:MAX_STEPS])
    there = list(_world_states(world, shown))
    here = list(_model_states(model, shown))
    steps = (
        StoryStep(operator, i < len(there), i < len(here), *_change(there, i), *_change(here, i))
        for i, operator in enumerate(shown, start=1)
    )
    return Story(direction, there[0], tuple(steps))


def _change(states: Sequence[Lines], step: int) -> tuple[Lines, Lines]:
    """What appeared and what vanished in this step (1-based); nothing where it did not run."""
    if step >= len(states):
        return (), ()
    before, after = states[step - 1 : step + 1]
    return tuple(x for x in after if x not in before), tuple(x for x in before if x not in after)


def _world_states(world: World, walk: Lines) -> Iterator[Lines]:
    """The initial state and the state after each operator that runs."""
    ran = world.executable(walk).steps
    for steps in range(ran + 1):
        yield tuple(line for line in world.describe(walk[:steps]).splitlines() if line.strip())


def _model_states(model: Task, walk: Lines) -> Iterator[Lines]:
    """The initial state and the state after each operator that runs."""
    state = model.initial(1)
    yield _atoms(model, state)
    for operator in walk:
        index = model.operator_index.get(operator)
        if index is None or not model.applicable(state)[0, index]:
            return
        state = model.successors(state, np.array([index], dtype=np.int64))
        yield _atoms(model, state)


def _atoms(model: Task, state: NDArray[np.uint64]) -> Lines:
    """The fluent atoms of one state, sorted."""
    return tuple(f"({' '.join(atom)})" for atom in sorted(model.atoms_of(state[0]) - model.static))
