"""Edits of predicates: one parameter more, or one less, everywhere in the domain and the problem.

`(free ?gripper)` cannot say whose gripper is free, whatever actions do with it: no edit of literals mends it.
An added parameter gets, in each action, the first variable of its type that the atom does not name yet. Which
initial atoms it needs is not known: of those for every object of its type the ones stay that an operator
which the world executed needs before anything has changed them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from agents.repair.lessons import Lessons
from agents.repair.model import Model
from agents.repair.search import Repairs
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults


@dataclass(frozen=True, eq=False)
class Variant:
    """A problem with another parameter list of one predicate."""

    edit: ParameterFault
    problem: Problem
    worth: float  #: of the variant as it is, the edit included; see `Candidate.worth`


def best_variant(
    problem: Problem, seen: Lessons, suspects: Collection[str], stop: Callable[[], bool]
) -> Variant | None:
    """The variant of the lowest worth, the first of equals; None if there is none before `stop`."""
    best: Variant | None = None
    for edit, changed in _variants(problem, suspects):
        if stop():
            break
        if not edit.dropped:
            changed = _needed(changed, seen, edit.predicate)
        worth = 1 + Repairs(Model.of(changed), seen).candidate(frozenset()).worth
        if best is None or worth < best.worth:
            best = Variant(edit, changed, worth)
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


def _needed(problem: Problem, seen: Lessons, predicate: str) -> Problem:
    """The problem with those initial atoms of a predicate alone that executed operators need."""
    model = Model.of(problem)
    repairs = Repairs(model, seen)
    needed: set[int] = set()
    for name, action in sorted(model.actions.items()):
        for literal in action.preconditions:
            if literal.predicate == predicate and literal.positive:
                needed |= repairs.read(name, literal)
    base, numbers = model.base, {name: i for i, name in enumerate(model.task.objects)}

    def key(atom: tuple[str, ...]) -> int:
        return int(np.dot([numbers[a] for a in atom[1:]], [base**i for i in reversed(range(len(atom) - 1))]))

    kept = frozenset(atom for atom in problem.init if atom[0] != predicate or key(atom) in needed)
    return replace(problem, init=kept)
