"""A domain's rules in the form of learned operators: the inverse of `agents.operators.lifted.domain_of`.

So rules that somebody wrote can be held against traces, and compared with what was learned. Preconditions are
read as clauses: conjuncts of which each is a disjunction of conditions, and each of these a conjunction of
literals that hold for some objects or for none. What needs more, such as a disjunction below a quantifier
that asks for all objects' sake, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tarski.fstrips import AddEffect, UniversalEffect
from tarski.syntax import Atom, CompoundFormula, Contradiction, QuantifiedFormula, Tautology
from tarski.syntax.builtins import BuiltinPredicateSymbol
from tarski.syntax.formulas import Connective, Formula, Quantifier

from agents.operators.lifted import EQUAL, Clause, Condition, ConditionalEffect, NamedLiteral, Operator
from envs.pddl.language.domain import Action, Domain
from envs.pddl.language.vocabulary import Parameters


def operators_of(domain: Domain) -> Iterator[Operator]:
    """The rules of a domain, an operator an action, by name.

    Raises ValueError, with the action's name, for a rule that operators have no form for.
    """
    for name, action in sorted(domain.actions.items()):
        try:
            yield _operator(name, action, domain)
        except ValueError as error:
            raise ValueError(f"action {name}: {error}") from error


def _operator(name: str, action: Action, domain: Domain) -> Operator:
    clauses = list(_clauses(action.precondition, True))
    plain = [clause[0].literals[0] for clause in clauses if _is_literal(clause)]
    effects = [effect for part in action.effects for effect in _effects(part)]
    return Operator(
        name,
        domain.vocabulary.actions[name],
        tuple(sorted(plain)),
        tuple(sorted(e.effect for e in effects if not e.conditions and not e.variables)),
        tuple(sorted(clause for clause in clauses if not _is_literal(clause))),
        tuple(sorted(e for e in effects if e.conditions or e.variables)),
    )


def _is_literal(clause: Clause) -> bool:
    return len(clause) == 1 and not clause[0].variables and len(clause[0].literals) == 1


def _clauses(formula: Formula, positive: bool) -> Iterator[Clause]:
    """The clauses of a formula, or of its negation where it is not `positive`."""
    for part, sign in _parts(formula, positive, Connective.And):
        if isinstance(part, Tautology | Contradiction):
            if isinstance(part, Tautology) != sign:
                raise ValueError("a condition that never holds")
            continue
        yield tuple(_condition(*one) for one in _parts(part, sign, Connective.Or))


def _parts(formula: Formula, positive: bool, joined_by: Connective) -> Iterator[tuple[Formula, bool]]:
    """What a conjunction (or a disjunction) is made of, with signs; the formula itself if it is none."""
    if isinstance(formula, CompoundFormula):
        other = Connective.Or if joined_by is Connective.And else Connective.And
        if formula.connective is Connective.Not:
            yield from _parts(formula.subformulas[0], not positive, joined_by)
            return
        if formula.connective is (joined_by if positive else other):
            for part in formula.subformulas:
                yield from _parts(part, positive, joined_by)
            return
    yield formula, positive


def _condition(formula: Formula, positive: bool) -> Condition:
    """A conjunction of literals, for some objects or for none."""
    if not isinstance(formula, QuantifiedFormula):
        return Condition(tuple(_literals(formula, positive)))
    some = formula.quantifier is Quantifier.Exists
    variables, body = _variables(formula), formula.formula
    # for all objects: for none the opposite
    return Condition(tuple(_literals(body, some)), variables, some == positive)


def _literals(formula: Formula, positive: bool) -> Iterator[NamedLiteral]:
    for part, sign in _parts(formula, positive, Connective.And):
        if not isinstance(part, Atom):
            raise ValueError(f"{part} is no literal, where operators have conjunctions of literals")
        yield _literal(part, sign)


def _literal(atom: Atom, positive: bool) -> NamedLiteral:
    name, terms = atom.predicate.name, tuple(str(term.symbol) for term in atom.subterms)
    if name is BuiltinPredicateSymbol.NE:
        name, positive = BuiltinPredicateSymbol.EQ, not positive
    return NamedLiteral(EQUAL if name is BuiltinPredicateSymbol.EQ else str(name), terms, positive)


def _effects(effect: Any, variables: Parameters = ()) -> Iterator[ConditionalEffect]:
    """Each change, with what it needs and the objects that it is for."""
    if isinstance(effect, UniversalEffect):
        for part in effect.effects:
            yield from _effects(part, _variables(effect))
        return
    conditions = list(_clauses(effect.condition, True))
    if any(len(clause) > 1 for clause in conditions):
        raise ValueError("an effect depends on a disjunction")
    changed = _literal(effect.atom, isinstance(effect, AddEffect))
    yield ConditionalEffect(changed, tuple(clause[0] for clause in conditions), variables)


def _variables(of: Any) -> Parameters:
    return tuple((variable.symbol, str(variable.sort.name)) for variable in of.variables)
