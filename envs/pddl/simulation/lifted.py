"""A problem as plain integers: what grounding and compiling read instead of tarski's objects.

Objects are numbered in the order of their sorted names, so that integer order is text order. Within one
schema every variable, quantified ones included, has its own number and its own members, so no two ever
shadow each other. A term is an object's number, or `~v` (negative) for variable `v`. Conditions are in
negation normal form: only literals carry a sign. Nothing is ground here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, TypeVar

from tarski.fstrips import AddEffect, DelEffect, UniversalEffect
from tarski.syntax import Atom, CompoundFormula, Contradiction, QuantifiedFormula, Tautology
from tarski.syntax.builtins import BuiltinPredicateSymbol
from tarski.syntax.formulas import Connective, Formula, Quantifier

from envs.pddl.language.structure import Problem

V = TypeVar("V")
#: The numbers of the variables in reach, by their symbols.
_Scope = dict[str, int]
#: An object's number (>= 0), or `~v` for variable number `v`.
Term = int


@dataclass(frozen=True, slots=True)
class Literal:
    """A lifted atom or its negation."""

    predicate: str
    terms: tuple[Term, ...]
    positive: bool


@dataclass(frozen=True, slots=True)
class Equality:
    """Two terms denote the same object (or, negated, two different ones)."""

    terms: tuple[Term, Term]
    positive: bool


@dataclass(frozen=True, slots=True)
class And:
    """Every part holds; without parts, true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Some part holds; without parts, false."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Forall:
    """The body holds for every assignment of the variables."""

    variables: tuple[int, ...]
    body: Condition


@dataclass(frozen=True, slots=True)
class Exists:
    """The body holds for some assignment of the variables."""

    variables: tuple[int, ...]
    body: Condition


Condition = Literal | Equality | And | Or | Forall | Exists
TRUE: Condition = And(())
FALSE: Condition = Or(())


@dataclass(frozen=True, slots=True)
class LiftedEffect:
    """One added or deleted atom, for every assignment of `variables` under which `condition` held before."""

    variables: tuple[int, ...]
    condition: Condition
    predicate: str
    terms: tuple[Term, ...]
    adds: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """An action; variables 0 .. arity-1 are its parameters. A goal is one without parameters or effects."""

    name: str
    arity: int
    members: tuple[tuple[int, ...], ...]  #: per variable, the objects it ranges over, ascending
    precondition: Condition
    effects: tuple[LiftedEffect, ...]


@dataclass(frozen=True, slots=True)
class LiftedTask:
    """A problem over numbered objects. `init` holds atoms of every predicate, arguments as numbers."""

    objects: tuple[str, ...]
    schemas: tuple[Schema, ...]  #: sorted by name
    goal: Schema
    fluents: frozenset[str]  #: predicates in some effect; all others are static
    init: Mapping[str, tuple[tuple[int, ...], ...]]  #: predicate → its atoms' arguments, sorted


def lift(problem: Problem, names: Collection[str] = ()) -> LiftedTask:
    """The plain form of a problem. Raises ValueError for a construct this kernel has no meaning for.

    `names` are objects of other problems, which are numbered too and are of no type: an object then has the
    same number in all of them.
    """
    objects = tuple(sorted({*problem.objects, *names}))
    number = {name: i for i, name in enumerate(objects)}
    schemas = lifted_actions(problem, objects, sorted(problem.domain.actions))
    init: dict[str, list[tuple[int, ...]]] = {}
    for name, *arguments in sorted(problem.init):
        init.setdefault(name, []).append(tuple(number[a] for a in arguments))
    return LiftedTask(
        objects=objects,
        schemas=schemas,
        goal=_Lifter(number, _members_by_type(problem, objects)).schema("goal", (), problem.goal, ()),
        fluents=frozenset(e.predicate for s in schemas for e in s.effects),
        init={name: tuple(sorted(rows)) for name, rows in init.items()},
    )


def lifted_actions(problem: Problem, objects: Sequence[str], names: Iterable[str]) -> tuple[Schema, ...]:
    """The schemas of some actions, with these objects by number, which may be more than the problem has."""
    number, members = {name: i for i, name in enumerate(objects)}, _members_by_type(problem, objects)
    named = ((name, problem.domain.actions[name]) for name in names)
    return tuple(
        _Lifter(number, members).schema(name, a.parameters, a.precondition, a.effects) for name, a in named
    )


def _members_by_type(problem: Problem, objects: Sequence[str]) -> Callable[[str], tuple[int, ...]]:
    """The numbers of the problem's objects of each type, ascending."""
    types, is_subtype = problem.objects, problem.domain.is_subtype

    @cache
    def members(kind: str) -> tuple[int, ...]:
        return tuple(i for i, name in enumerate(objects) if name in types and is_subtype(types[name], kind))

    return members


def conjunction(parts: Iterable[Condition]) -> Condition:
    """The conjunction, flattened; false as soon as one part is."""
    return _joined(And, FALSE, parts)


def disjunction(parts: Iterable[Condition]) -> Condition:
    """The disjunction, flattened; true as soon as one part is."""
    return _joined(Or, TRUE, parts)


def _joined(kind: type[And | Or], dominant: Condition, parts: Iterable[Condition]) -> Condition:
    flat: list[Condition] = []
    for part in parts:
        if part == dominant:
            return dominant
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def conjuncts(condition: Condition) -> Sequence[Condition]:
    """The parts of a conjunction; the condition itself if it is none."""
    return condition.parts if isinstance(condition, And) else (condition,)


def bindings(
    variables: Sequence[int], members: Sequence[Sequence[int]], bound: Mapping[int, V], of: Callable[[int], V]
) -> Iterator[dict[int, V]]:
    """What is `bound` with each choice of members for the variables; `of` makes the value of an object."""
    for objects in product(*(members[v] for v in variables)):
        yield {**bound, **{v: of(o) for v, o in zip(variables, objects, strict=True)}}


def denoted(terms: Iterable[Term], bound: Mapping[int, int]) -> tuple[int, ...]:
    """The objects that terms stand for."""
    return tuple(t if t >= 0 else bound[~t] for t in terms)


def tests_of(condition: Condition) -> Iterator[Literal | Equality]:
    """Every literal and equality in the condition, at any depth; repeats included."""
    match condition:
        case And(parts=parts) | Or(parts=parts):
            for part in parts:
                yield from tests_of(part)
        case Forall(body=body) | Exists(body=body):
            yield from tests_of(body)
        case _:
            yield condition


def variables_of(condition: Condition) -> Iterator[int]:
    """Every variable number in the condition's atoms, bound ones included, repeats included."""
    return (~term for test in tests_of(condition) for term in test.terms if term < 0)


def literals_of(condition: Condition) -> Iterator[Literal]:
    """Every literal in the condition, at any depth, equalities aside; repeats included."""
    return (test for test in tests_of(condition) if isinstance(test, Literal))


class _Lifter:
    """Lifts one schema: allots its variables' numbers while it walks down the formulas."""

    def __init__(self, number: Mapping[str, int], members: Callable[[str], tuple[int, ...]]):
        self._number = number
        self._members = members
        self._variables: list[tuple[int, ...]] = []

    def schema(
        self, name: str, parameters: Sequence[Any], precondition: Formula, effects: Sequence[Any]
    ) -> Schema:
        bound, scope = self._bind(parameters, {})
        lifted = self._condition(precondition, True, scope)
        changes = tuple(c for e in effects for c in self._effect(e, (), TRUE, scope))
        return Schema(name, len(bound), tuple(self._variables), lifted, changes)

    def _bind(self, variables: Sequence[Any], scope: _Scope) -> tuple[tuple[int, ...], _Scope]:
        inner, bound = dict(scope), []
        for variable in variables:
            inner[variable.symbol] = len(self._variables)
            bound.append(len(self._variables))
            self._variables.append(self._members(variable.sort.name))
        return tuple(bound), inner

    def _terms(self, terms: Sequence[Any], scope: _Scope) -> tuple[Term, ...]:
        return tuple(~scope[t.symbol] if t.symbol in scope else self._number[str(t.symbol)] for t in terms)

    def _condition(self, formula: Formula, positive: bool, scope: _Scope) -> Condition:
        if isinstance(formula, Tautology | Contradiction):
            return TRUE if isinstance(formula, Tautology) == positive else FALSE
        if isinstance(formula, Atom):
            return self._atom(formula, positive, scope)
        if isinstance(formula, CompoundFormula):
            if formula.connective is Connective.Not:
                return self._condition(formula.subformulas[0], not positive, scope)
            join = conjunction if (formula.connective is Connective.And) == positive else disjunction
            return join(self._condition(f, positive, scope) for f in formula.subformulas)
        if isinstance(formula, QuantifiedFormula):
            return self._quantified(formula, positive, scope)
        raise ValueError(f"formula of unknown kind {type(formula).__name__}: {formula}")

    def _quantified(self, formula: QuantifiedFormula, positive: bool, scope: _Scope) -> Condition:
        bound, inner = self._bind(formula.variables, scope)
        body = self._condition(formula.formula, positive, inner)
        if (formula.quantifier is Quantifier.Forall) == positive:
            return TRUE if body == TRUE else Forall(bound, body)
        return FALSE if body == FALSE else Exists(bound, body)

    def _atom(self, atom: Atom, positive: bool, scope: _Scope) -> Condition:
        name = atom.predicate.name
        terms = self._terms(atom.subterms, scope)
        if name is BuiltinPredicateSymbol.EQ or name is BuiltinPredicateSymbol.NE:
            return Equality((terms[0], terms[1]), positive == (name is BuiltinPredicateSymbol.EQ))
        if isinstance(name, BuiltinPredicateSymbol):
            raise ValueError(f"predicate without a meaning here: {name}")
        return Literal(str(name), terms, positive)

    def _effect(
        self, effect: Any, bound: tuple[int, ...], outer: Condition, scope: _Scope
    ) -> Iterator[LiftedEffect]:
        if isinstance(effect, UniversalEffect):
            more, scope = self._bind(effect.variables, scope)
            condition = conjunction((outer, self._condition(effect.condition, True, scope)))
            for part in effect.effects:
                yield from self._effect(part, bound + more, condition, scope)
        elif isinstance(effect, AddEffect | DelEffect):
            condition = conjunction((outer, self._condition(effect.condition, True, scope)))
            terms, name = self._terms(effect.atom.subterms, scope), str(effect.atom.predicate.name)
            yield LiftedEffect(bound, condition, name, terms, isinstance(effect, AddEffect))
        else:
            raise ValueError(f"effect of unknown kind {type(effect).__name__}: {effect}")
