"""A model as repair sees it: literals that may be edited, and what is left as it is.

Of a precondition, the literals of its top-level conjunction may be dropped and others added; disjunctions,
quantifiers and equalities stay. Of the effects, those without condition and quantifier may be edited. Only
well-typed literals over an action's parameters and the domain's constants are ever added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from envs.pddl.language import Problem
from envs.pddl.lifted import And, Condition, LiftedEffect, LiftedTask, Literal, Schema, lift

#: An added (positive) or deleted atom.
Effect = Literal


@dataclass(frozen=True, eq=False)
class Editable:
    """One action in parts. Terms are as in `envs.pddl.lifted`."""

    schema: Schema
    preconditions: tuple[Literal, ...]
    fixed: tuple[Condition, ...]  #: parts of the precondition that stay
    effects: frozenset[Effect]
    conditional: tuple[LiftedEffect, ...]  #: effects that stay
    candidates: tuple[Literal, ...]  #: every well-typed literal, negative ones after their atoms


@dataclass(frozen=True, eq=False)
class Model:
    """A problem in parts that can be edited one by one."""

    problem: Problem
    task: LiftedTask
    actions: dict[str, Editable]

    @classmethod
    def of(cls, problem: Problem) -> Model:
        """The parts of `problem`."""
        task = lift(problem)
        actions = {s.name: _editable(s, tuple(_literals(s, problem, task))) for s in task.schemas}
        return cls(problem, task, actions)

    @property
    def base(self) -> int:
        """How many objects there are."""
        return len(self.task.objects)


def _editable(schema: Schema, candidates: tuple[Literal, ...]) -> Editable:
    parts = schema.precondition.parts if isinstance(schema.precondition, And) else (schema.precondition,)
    plain = [e for e in schema.effects if not e.variables and e.condition == And(())]
    return Editable(
        schema,
        tuple(p for p in parts if isinstance(p, Literal)),
        tuple(p for p in parts if not isinstance(p, Literal)),
        frozenset(Literal(e.predicate, e.terms, e.adds) for e in plain),
        tuple(e for e in schema.effects if e not in plain),
        candidates,
    )


def _literals(schema: Schema, problem: Problem, task: LiftedTask) -> Iterator[Literal]:
    """Every well-typed literal over parameters and constants, predicates in the order of their declaration."""
    domain = problem.domain
    kinds = {~v: str(p.sort.name) for v, p in enumerate(domain.actions[schema.name].parameters)}
    numbers = {name: i for i, name in enumerate(task.objects)}
    kinds |= {numbers[name]: kind for name, kind in domain.constants.items()}
    for name, declared in domain.vocabulary.predicates.items():
        fitting = [
            [term for term, kind in kinds.items() if domain.is_subtype(kind, wanted)] for _, wanted in declared
        ]
        for terms in product(*fitting):
            yield Literal(name, terms, True)
            yield Literal(name, terms, False)
