"""A goal as literals over fluent atoms: what can be compared atom by atom.

Quantifiers are written out over the problem's objects, and what the initial state settles for good is
folded away: equalities and atoms of predicates that no effect changes. What is left must be a conjunction
of literals; any other goal has no such form, and `NotLiterals` says so. A `CompletedGoal` is a goal with all
that it implies, and how sure that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import Any

from tarski.fstrips import UniversalEffect
from tarski.syntax import Atom, CompoundFormula, Contradiction, QuantifiedFormula, Tautology
from tarski.syntax.builtins import BuiltinPredicateSymbol
from tarski.syntax.formulas import Connective, Quantifier

from envs.pddl.language.structure import Domain, GroundAtom, Problem
from envs.pddl.language.terms import show

#: Assignments of quantified variables, all quantifiers of a goal together, that are written out.
MAX_ASSIGNMENTS = 100_000

_Binding = Mapping[str, str]
#: A ground atom and whether it is to be true.
Signed = tuple[GroundAtom, bool]
#: The literals whose conjunction a formula is; none of them if it is true, None if it is false.
_Folded = tuple[Signed, ...] | None


class NotLiterals(ValueError):
    """A goal that is no conjunction of literals, or is too large to tell. Plain data; survives pickling."""


@dataclass(frozen=True)
class Goal:
    """The fluent atoms that a goal wants true and false.

    `impossible` names, in PDDL, a part of the goal that no reachable state satisfies; empty if none is known.
    """

    positive: frozenset[GroundAtom] = frozenset()
    negative: frozenset[GroundAtom] = frozenset()
    impossible: str = ""

    @classmethod
    def of(cls, signed: Iterable[Signed], impossible: str = "") -> Goal:
        """The goal of these literals."""
        atoms: dict[bool, set[GroundAtom]] = {True: set(), False: set()}
        for atom, sign in signed:
            atoms[sign].add(atom)
        return cls(frozenset(atoms[True]), frozenset(atoms[False]), impossible)

    @property
    def signed(self) -> frozenset[Signed]:
        """The literals."""
        return frozenset([*((a, True) for a in self.positive), *((a, False) for a in self.negative)])

    def renamed(self, names: Mapping[str, str]) -> Goal:
        """The same about the objects' images."""
        renamed = (((a[0], *(names[name] for name in a[1:])), sign) for a, sign in self.signed)
        return Goal.of(renamed, self.impossible)


def fluents_of(domain: Domain) -> frozenset[str]:
    """The predicates that some effect changes; all others are static."""
    effects = (effect for action in domain.actions.values() for effect in action.effects)
    return frozenset(
        str(part.atom.predicate.symbol)
        for effect in effects
        for part in (effect.effects if isinstance(effect, UniversalEffect) else (effect,))
    )


def read_goal(problem: Problem) -> Goal:
    """The literals of a problem's goal. Raises NotLiterals if it is no conjunction of literals."""
    return _Reader(problem).goal()


def show_signed(atom: GroundAtom, positive: bool) -> str:
    """An atom or its negation as PDDL."""
    return show(atom if positive else ("not", atom))


class _Reader:
    """Folds one goal."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._fluents = fluents_of(problem.domain)
        self._left = MAX_ASSIGNMENTS
        self._refuted = ""

    def goal(self) -> Goal:
        signed = self._folded(self._problem.goal, True, {})
        if signed is None:
            return Goal(impossible=self._refuted or "the goal")
        goal = Goal.of(signed)
        both = sorted(goal.positive & goal.negative)
        clash = f"(and {show_signed(both[0], True)} {show_signed(both[0], False)})" if both else ""
        return replace(goal, impossible=clash)

    def _folded(self, formula: Any, positive: bool, binding: _Binding) -> _Folded:
        if isinstance(formula, Tautology | Contradiction):
            return () if isinstance(formula, Tautology) == positive else None
        if isinstance(formula, Atom):
            return self._atom(formula, positive, binding)
        if isinstance(formula, CompoundFormula) and formula.connective is Connective.Not:
            return self._folded(formula.subformulas[0], not positive, binding)
        conjunctive, parts = self._parts(formula, positive, binding)
        folded = (self._folded(part, positive, inner) for part, inner in parts)
        return _all_of(folded) if conjunctive else _any_of(folded)

    def _parts(
        self, formula: Any, positive: bool, binding: _Binding
    ) -> tuple[bool, Iterator[tuple[Any, _Binding]]]:
        """Whether the parts are joined by `and` (else by `or`), and each part with its binding."""
        if isinstance(formula, CompoundFormula):
            conjunctive = (formula.connective is Connective.And) == positive
            return conjunctive, ((part, binding) for part in formula.subformulas)
        if isinstance(formula, QuantifiedFormula):
            conjunctive = (formula.quantifier is Quantifier.Forall) == positive
            extended = self._extended(formula.variables, binding)
            return conjunctive, ((formula.formula, inner) for inner in extended)
        raise NotLiterals(f"formula of unknown kind {type(formula).__name__}")

    def _extended(self, variables: Sequence[Any], binding: _Binding) -> Iterator[_Binding]:
        objects, is_subtype = self._problem.objects, self._problem.domain.is_subtype
        members = [[o for o, kind in objects.items() if is_subtype(kind, v.sort.name)] for v in variables]
        for chosen in product(*members):
            self._left -= 1
            if self._left < 0:
                raise NotLiterals(f"the goal's quantifiers have more than {MAX_ASSIGNMENTS:,} instances")
            yield {**binding, **{v.symbol: o for v, o in zip(variables, chosen, strict=True)}}

    def _atom(self, atom: Any, positive: bool, binding: _Binding) -> _Folded:
        name = atom.predicate.symbol
        arguments = [binding.get(term.symbol, str(term.symbol)) for term in atom.subterms]
        if name is BuiltinPredicateSymbol.EQ or name is BuiltinPredicateSymbol.NE:
            same = (arguments[0] == arguments[1]) == (name is BuiltinPredicateSymbol.EQ)
            return self._constant(("=", *arguments), positive, same == positive)
        ground = (str(name), *arguments)
        if ground[0] in self._fluents:
            return ((ground, positive),)
        return self._constant(ground, positive, (ground in self._problem.init) == positive)

    def _constant(self, atom: GroundAtom, positive: bool, holds: bool) -> _Folded:
        if holds:
            return ()
        self._refuted = self._refuted or show_signed(atom, positive)
        return None


def _all_of(parts: Iterator[_Folded]) -> _Folded:
    joined: list[Signed] = []
    for part in parts:
        if part is None:
            return None
        joined.extend(part)
    return tuple(joined)


def _any_of(parts: Iterator[_Folded]) -> _Folded:
    """The one open part of a disjunction. Raises NotLiterals if several are open."""
    kept: _Folded = None
    for part in parts:
        if part == ():
            return ()
        if part is not None and kept is not None and frozenset(part) != frozenset(kept):
            raise NotLiterals("the goal is no conjunction of literals: it leaves a choice")
        kept = kept if part is None else part
    return kept


class Exactness(StrEnum):
    """How a completed goal relates to what holds in all reachable goal states."""

    EXACT = "exact"
    SOUND = "sound"  #: all that was added holds there; more may hold
    UNREACHABLE = "unreachable"  #: no reachable state satisfies the goal


@dataclass(frozen=True)
class CompletedGoal:
    """A completed goal."""

    goal: Goal
    exactness: Exactness
    reason: str = ""  #: why it is not exact, in words


def unreachable(goal: Goal, part: str) -> CompletedGoal:
    """The completion of a goal of which a part holds in no reachable state."""
    return CompletedGoal(goal, Exactness.UNREACHABLE, f"no reachable state satisfies {part}")
