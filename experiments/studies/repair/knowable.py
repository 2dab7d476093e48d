"""Why a repair that failed could not have known better, with a proof.

A repaired domain is a function of what repair was given and of what it saw. That it is right in a task that
repair has not seen cannot be known

- if another task reads the same in the given words and allows other walks (`twin`): a predicate is gone with
  its initial atoms, and what only it says, such as where a lift is, differs between states of one task, or
  between objects that are alike but for it;
- if the repaired model and the world allow the same in all states of the tasks that were seen, and all of
  these were looked at (`nothing_left_to_see`), or if they differ in actions alone of which the planner
  proves that neither lets them run there (`differ_where_nothing_runs`): the world has no more to say. That
  counts only where the model agrees by rules alone; one that needs other initial atoms is no rival of the
  truth elsewhere.

All are proved by search; what no proof is found for counts as knowable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from envs.pddl.equivalence.deadline import Deadline, OutOfTime, Undecided
from envs.pddl.equivalence.graphs.refinement import refined
from envs.pddl.equivalence.graphs.scenes import INIT, draw, kinds_of
from envs.pddl.equivalence.graphs.symmetries import Demand, Symmetries, mapped
from envs.pddl.language.domain import Problem
from envs.pddl.language.render import render_formula
from envs.pddl.language.terms import differing_actions
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.probes import Probe, to_be_shown
from envs.pddl.simulation.simulator import Task
from ew.counterexample.exposure import Kind, first_difference
from experiments.evaluation.judge import planned_by

#: What repair gets of a task.
Given = Callable[[Problem], Problem]
#: Seconds for the mappings of one task onto itself, and mappings that are looked for.
_MAPPING_S, _MAPPINGS = 5.0, 50
#: States of a task that are looked through for some that read as its initial state does, and such states.
_NEARBY, _ALIKE = 2_000, 50
#: Pairs of states that are looked at for a walk that only one of two tasks allows.
_PAIRS = 1_000


def twin(original: Problem, given: Given) -> Problem | None:
    """A task that reads as the original in the given words, and allows another walk; None if none is found.

    It has the same objects, and begins in a state that the original can come to, or in its initial state
    under a mapping of objects onto objects that keeps all that is given.
    """
    read = given(original)
    lost = {name for name, kinds in original.domain.predicates.items() if _is_lost(name, kinds, read)}
    if not lost:
        return None
    task = compile_task(original)
    for other in chain(_nearby(original, task, lost), _mapped_problems(original, read)):
        same = given(other).init == read.init
        if same and first_difference(task, compile_task(other), _PAIRS).kind is Kind.EXECUTABLE:
            return other
    return None


def nothing_left_to_see(world: Task | None, model: Task | None) -> bool:
    """Whether two tasks allow the same walks and reach the goal by the same ones, all states looked at."""
    return world is not None and model is not None and first_difference(world, model).kind is Kind.NONE


def differ_where_nothing_runs(world: Problem, model: Problem, planner: Planner) -> bool:
    """Whether all that two problems differ in is actions that run in no state of either: proved.

    Then both allow the same walks. False if they do not differ. Raises PlannerMissing, MachineFault.
    """
    differing = differing_actions(world.domain, model.domain)
    if not differing or _but_for_actions(world) != _but_for_actions(model):
        return False
    return all(_never_runs(problem, name, planner) for name in differing for problem in (world, model))


def _but_for_actions(problem: Problem) -> tuple[object, ...]:
    """All of a problem but its domain's actions."""
    words = problem.domain.vocabulary
    return problem.objects, problem.init, render_formula(problem.goal), words.types.parents, words.constants


def _never_runs(problem: Problem, action: str, planner: Planner) -> bool:
    result = planned_by(planner, *planner_texts(to_be_shown(problem, Probe(action))))
    return result.outcome is PlanOutcome.UNSOLVABLE_PROVED


def _is_lost(name: str, kinds: Sequence[object], read: Problem) -> bool:
    """Whether the given words lack a predicate, or have it with other parameters."""
    declared = read.domain.predicates.get(name)
    return declared is None or len(declared) != len(kinds)


def _nearby(original: Problem, task: Task, lost: Collection[str]) -> Iterator[Problem]:
    """The original from later states in which only atoms of lost predicates differ, those soon met first."""
    kept = np.array([atom[0] not in lost for atom in task.atoms], dtype=np.bool_)
    start = task.initial(1)
    first, seen, open_ = task.bits(start)[0, kept], {start[0].tobytes()}, deque([start])
    found = 0
    while open_ and len(seen) < _NEARBY and found < _ALIKE:
        here = open_.popleft()
        operators = np.flatnonzero(task.applicable(here)[0])
        after = task.successors(np.repeat(here, len(operators), axis=0), operators)
        alike = (task.bits(after)[:, kept] == first).all(axis=1)
        for row in range(len(after)):
            if after[row].tobytes() not in seen:
                seen.add(after[row].tobytes())
                open_.append(after[row : row + 1])
                if alike[row]:
                    found += 1
                    yield replace(original, init=task.atoms_of(after[row]))


def _mapped_problems(original: Problem, read: Problem) -> Iterator[Problem]:
    """The original under mappings that keep what is read of it and move what only the original says."""
    lost = original.init - read.init
    graph = draw(kinds_of(read), [(INIT, read.init)])
    classes = dict(zip(graph.objects, refined(graph.colours, graph.edges).tolist(), strict=False))
    symmetries, deadline = Symmetries(read.init, classes), Deadline(_MAPPING_S)
    for atom in sorted(lost)[:_MAPPINGS]:
        moved = Demand(frozenset({atom}), lost, forbidden=True)
        try:
            mapping = symmetries.find([moved], (), deadline)
        except (OutOfTime, Undecided):
            return
        if mapping is not None:
            yield replace(original, init=frozenset(mapped(a, mapping) for a in original.init))
