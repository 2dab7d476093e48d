"""Edits of predicates: one parameter more, or one less, everywhere in the domain and the problem.

`(free ?gripper)` cannot say whose gripper is free, whatever actions do with it: no edit of literals helps.
An added parameter gets, in each action, the first variable of its type that the atom does not name yet. Which
initial atoms it needs is not known: of those for every object of its type the ones stay that an operator
which the world executed needs before anything has changed them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from agents.repair.examples import TrainingExamples
from agents.repair.model import Model
from agents.repair.search import Repairs
from envs.pddl.language.domain import GroundAtom, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults


@dataclass(frozen=True, eq=False)
class ParameterVariant:
    """A problem with another parameter list of one predicate."""

    edit: ParameterFault
    problem: Problem
    cost: float  #: of the variant as it is, the edit included; see `Candidate.weighed_cost`


def best_variant(
    repairs: Repairs, suspects: Collection[str], stop: Callable[[], bool]
) -> ParameterVariant | None:
    """The variant of the lowest cost, the first of equals; None if there is none before `stop`."""
    best: ParameterVariant | None = None
    for edit, changed in _variants(repairs.model.problem, suspects):
        if stop():
            break
        if not edit.dropped:
            changed = _needed(changed, repairs.seen, edit.predicate)
        cost = 1 + Repairs(Model.of(changed), repairs.seen).candidate(frozenset()).weighed_cost
        if best is None or cost < best.cost:
            best = ParameterVariant(edit, changed, cost)
    return best


def _variants(problem: Problem, suspects: Collection[str]) -> Iterator[tuple[ParameterFault, Problem]]:
    for edit in parameter_faults(problem.domain):
        if edit.predicate not in suspects:
            continue
        try:
            domain = read_domain(faulty_domain(problem.domain, edit))
            yield edit, read_problem(faulty_problem(problem, edit), domain)
        except PDDLError:  # such as two predicates of one name and other uses that no longer fit
            continue


def _needed(problem: Problem, seen: TrainingExamples, predicate: str) -> Problem:
    """The problem with those initial atoms of a predicate alone that executed operators need."""
    model = Model.of(problem)
    repairs = Repairs(model, seen)
    needed: set[GroundAtom] = set()
    for name, action in sorted(model.actions.items()):
        for literal in action.preconditions:
            if literal.predicate == predicate and literal.positive:
                rows = repairs.read(name, literal)
                needed |= {(predicate, *(model.task.objects[a] for a in row)) for row in rows}
    return replace(problem, init=frozenset(a for a in problem.init if a[0] != predicate or a in needed))
