"""A model as repair sees it: literals that may be edited, and what is left as it is.

Of a precondition, the literals of its top-level conjunction may be dropped and others added, equalities
included, which are literals of the predicate `=`; disjunctions and quantifiers stay. Of the effects, those
without condition and quantifier may be edited. Only well-typed literals over an action's parameters and the
domain's constants are ever added; where there are too many, only those with one constant at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from envs.pddl.language.domain import Problem
from envs.pddl.simulation.lifted import (
    And,
    Condition,
    Equality,
    LiftedEffect,
    LiftedTask,
    Literal,
    Schema,
    lift,
    literals_of,
)

#: An added (positive) or deleted atom.
Effect = Literal
#: The predicate that holds of each object and itself, and that no effect changes.
EQUAL = "="
#: Literals of one action above which those with several constants are left out.
MAX_LITERALS = 1000


@dataclass(frozen=True, eq=False)
class Editable:
    """One action in parts. Terms are as in `envs.pddl.simulation.lifted`."""

    schema: Schema
    preconditions: tuple[Literal, ...]
    fixed: tuple[Condition, ...]  #: parts of the precondition that stay
    effects: frozenset[Effect]
    conditional: tuple[LiftedEffect, ...]  #: effects that stay
    #: what effects may be: every well-typed literal, atoms before their negations
    candidates: tuple[Literal, ...]
    tests: tuple[Literal, ...]  #: what preconditions may be: these, and then equalities of parameters

    @property
    def name(self) -> str:
        """The action's name."""
        return self.schema.name


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
        actions = {s.name: _editable(s, _candidates(s, problem, task)) for s in task.schemas}
        return cls(problem, task, actions)

    @property
    def base(self) -> int:
        """How many objects there are."""
        return len(self.task.objects)

    @property
    def wanted(self) -> frozenset[tuple[str, bool]]:
        """The predicates that the goal reads, each with the truth that it asks for."""
        return frozenset((p.predicate, p.positive) for p in literals_of(self.task.goal.precondition))


def _editable(schema: Schema, candidates: tuple[Literal, ...]) -> Editable:
    whole = schema.precondition
    parts = tuple(_test(part) for part in (whole.parts if isinstance(whole, And) else (whole,)))
    plain = [e for e in schema.effects if not e.variables and e.condition == And(())]
    return Editable(
        schema,
        tuple(dict.fromkeys(p for p in parts if isinstance(p, Literal))),  # each once if it stands twice
        tuple(p for p in parts if not isinstance(p, Literal)),
        frozenset(Literal(e.predicate, e.terms, e.adds) for e in plain),
        tuple(e for e in schema.effects if e not in plain),
        candidates,
        (*candidates, *_equalities(schema)),
    )


def _test(part: Condition) -> Condition:
    """An equality as a literal; all else as it is."""
    return Literal(EQUAL, part.terms, part.positive) if isinstance(part, Equality) else part


def _equalities(schema: Schema) -> Iterator[Literal]:
    """Each two parameters that can denote the same object; unequal first, as that is the usual test."""
    for one, other in combinations(range(schema.arity), 2):
        if set(schema.members[one]) & set(schema.members[other]):
            yield Literal(EQUAL, (~one, ~other), False)
            yield Literal(EQUAL, (~one, ~other), True)


def _candidates(schema: Schema, problem: Problem, task: LiftedTask) -> tuple[Literal, ...]:
    """The literals that may be added; see the module."""
    found = tuple(_literals(schema, problem, task))
    if len(found) <= MAX_LITERALS:
        return found
    return tuple(literal for literal in found if sum(t >= 0 for t in literal.terms) <= 1)


def _literals(schema: Schema, problem: Problem, task: LiftedTask) -> Iterator[Literal]:
    """Every well-typed literal over parameters and constants, in the order of their declaration."""
    domain = problem.domain
    kinds = {~v: str(p.sort.name) for v, p in enumerate(domain.actions[schema.name].parameters)}
    numbers = {name: i for i, name in enumerate(task.objects)}
    kinds |= {numbers[name]: kind for name, kind in domain.constants.items()}
    for name, declared in domain.vocabulary.predicates.items():
        fitting = [
            [term for term, kind in kinds.items() if domain.is_subtype(kind, wanted)]
            for _, wanted in declared
        ]
        for terms in product(*fitting):
            yield Literal(name, terms, True)
            yield Literal(name, terms, False)
