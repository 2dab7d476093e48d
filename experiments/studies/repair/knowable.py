"""Broken domains that no repair can restore for certain, with a proof each.

A repaired domain is a function of what repair was given and of what it saw. It cannot be known to be right
in a task that it has not seen

- if another task reads the same in the given words and allows other walks: a predicate is gone with its
  initial atoms, say, and objects that only it told apart are alike now (`twin`);
- if the repaired model and the world allow the same in all states of the tasks that were seen, and all of
  these were looked at (`nothing_left_to_see`): the world has no more to say there.

Both are proved by search; what no proof is found for counts as knowable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envs.pddl.equivalence.deadline import Deadline, OutOfTime, Undecided
from envs.pddl.equivalence.graphs.refinement import refined
from envs.pddl.equivalence.graphs.scenes import INIT, draw, kinds_of
from envs.pddl.equivalence.graphs.symmetries import Demand, Symmetries, mapped
from envs.pddl.language.domain import Problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded
from envs.pddl.simulation.simulator import Task
from ew.counterexample.exposure import Kind, first_difference

#: Seconds for the mappings of one task onto itself, and mappings that are looked for.
_MAPPING_S, _MAPPINGS = 5.0, 50
#: Pairs of states that are looked at for a walk that only one of two tasks allows, or to exclude any.
_FEW_STATES, _ALL_STATES = 1_000, 20_000


def twin(original: Problem, given: Problem) -> Problem | None:
    """A problem that reads as `given` where `original` does, and allows another walk; None if none is found.

    Both problems have the same objects. The twin is the original with its initial atoms under a mapping of
    objects onto objects that keeps all that is given.
    """
    task = _compiled(original)
    if task is None:
        return None
    for other in _mapped_problems(original, given):
        model = _compiled(other)
        if model is not None and first_difference(task, model, _FEW_STATES).kind is Kind.EXECUTABLE:
            return other
    return None


def nothing_left_to_see(pairs: Sequence[tuple[Problem, Problem]]) -> bool:
    """Whether the problems of each pair allow and reach the same, all states looked at."""
    return all(_is_same(_compiled(one), _compiled(other)) for one, other in pairs)


def _is_same(one: Task | None, other: Task | None) -> bool:
    if one is None or other is None:
        return False
    return first_difference(one, other, _ALL_STATES).kind is Kind.NONE


def _mapped_problems(original: Problem, given: Problem) -> Iterator[Problem]:
    """The original under mappings that keep the given problem and move what only the original says."""
    lost = original.init - given.init
    graph = draw(kinds_of(given), [(INIT, given.init)])
    classes = dict(zip(graph.objects, refined(graph.colours, graph.edges).tolist(), strict=False))
    symmetries, deadline = Symmetries(given.init, classes), Deadline(_MAPPING_S)
    for atom in sorted(lost)[:_MAPPINGS]:
        moved = Demand(frozenset({atom}), lost, forbidden=True)
        try:
            mapping = symmetries.find([moved], (), deadline)
        except (OutOfTime, Undecided):
            return
        if mapping is not None:
            yield replace(original, init=frozenset(mapped(a, mapping) for a in original.init))


def _compiled(problem: Problem) -> Task | None:
    try:
        return compile_task(problem)
    except GroundingExploded:
        return None
