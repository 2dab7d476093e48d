"""An action with one literal more or less, made in its domain's own formulas: no text is written or read.

Literals stand at the top of a part, which is a conjunction. The action is the one that is read from the text
with the same edit (`envs.pddl.language.terms`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tarski.fstrips import AddEffect, DelEffect
from tarski.syntax import Atom, CompoundFormula, Connective, Formula
from tarski.syntax.builtins import BuiltinPredicateSymbol

from envs.pddl.language.formulas import ObjectName, junction, negation
from envs.pddl.language.render import render_effect, render_formula
from envs.pddl.language.structure import Action, Domain
from envs.pddl.language.terms import Part

_EQUAL = "="


def literal_formula(
    domain: Domain, action: Action, predicate: str, words: Sequence[str], positive: bool
) -> Formula:
    """A literal over the action's parameters, `?x`, and the domain's constants. Raises KeyError."""
    parameters = {str(p.symbol): p for p in action.parameters}
    arguments = [
        parameters[word]
        if word in parameters
        else ObjectName(word, domain.language.sort_of(domain.constants[word]))
        for word in words
    ]
    symbol = BuiltinPredicateSymbol.EQ if predicate == _EQUAL else predicate
    atom = Atom(domain.language.get_predicate(symbol), arguments)
    return atom if positive else negation(atom)


def with_literal(action: Action, part: Part, literal: Formula) -> Action:
    """The action with the literal behind all else in that part."""
    if part is Part.PRECONDITION:
        return replace(action, precondition=junction(Connective.And, [action.precondition, literal]))
    made = AddEffect(literal) if isinstance(literal, Atom) else DelEffect(literal.subformulas[0])
    return replace(action, effects=(*action.effects, made))


def without_literal(action: Action, part: Part, literal: Formula) -> Action:
    """The action without the literal. Raises ValueError if it is not at the top of that part."""
    text = render_formula(literal)
    if part is Part.PRECONDITION:
        whole = action.precondition
        joined = isinstance(whole, CompoundFormula) and whole.connective is Connective.And
        parts = list(whole.subformulas) if joined else [whole]
        kept = [one for one in parts if render_formula(one) != text]
        edited = replace(action, precondition=junction(Connective.And, kept))
        found = len(kept) < len(parts)
    else:
        effects = tuple(effect for effect in action.effects if render_effect(effect) != text)
        edited = replace(action, effects=effects)
        found = len(effects) < len(action.effects)
    if not found:
        raise ValueError(f"{text} does not stand at the top of the {part} of {action.name}")
    return edited
