"""Whether a fact of the initial state may be at fault where a model and its environment part.

The step that parts depends on an atom that nothing touched along the walk, or that no action of the model
changes: then no effect has had a say in it, and the precondition or the initial state is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.lifted import Literal, lift, literals_of
from ew.counterexample.disagreement import Direction, Disagreement
from ew.counterexample.retrial import Step, Walked, touched
from ew.lifted.relations import Holds, TooManyAtoms


def may_be_initial(problem: Problem, found: Disagreement) -> bool:
    """Whether a fact of `problem` may be why the last operator of a disagreement is treated differently.

    True also for a model that is too wide to be looked into.
    """
    task = lift(problem)
    numbers = {name: i for i, name in enumerate(task.objects)}
    walk: list[Step] = []
    for operator in found.walk:
        action, names = parse_operator(operator)
        walk.append((action, tuple(numbers[a] for a in names)))
    *executed, (name, arguments) = walk
    schema = next(s for s in task.schemas if s.name == name)
    try:
        state = Walked(task).after(tuple(executed))
    except TooManyAtoms:
        return True
    if state is None:
        return False
    holds = Holds(schema, state, len(task.objects))
    columns = {v: np.array([a]) for v, a in enumerate(arguments)}
    refused = found.direction is Direction.FORWARD
    for literal in _about_parameters(literals_of(schema.precondition), schema.arity):
        atom = literal.predicate, tuple(t if t >= 0 else arguments[~t] for t in literal.terms)
        if not touched(task, atom, executed) and holds.rows(literal, columns, 1)[0] != refused:
            return True
    return any(v >= schema.arity for p in literals_of(schema.precondition) for v in (~t for t in p.terms))


def _about_parameters(literals: Iterator[Literal], arity: int) -> Iterator[Literal]:
    return (p for p in literals if all(~t < arity for t in p.terms))
