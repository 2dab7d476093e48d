"""An action with one literal more or less at the top of its precondition or its effect.

Literals are those of `simulation.lifted`: their terms are parameters by `~place`, and objects by number. What
is edited are an action's formulas themselves: no text is written or read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tarski.fstrips import AddEffect, DelEffect
from tarski.syntax import Atom, CompoundFormula, Connective, Formula, Term, Variable
from tarski.syntax.builtins import BuiltinPredicateSymbol

from envs.pddl.language.formulas import ObjectName, junction, negation
from envs.pddl.language.render import render_effect, render_formula
from envs.pddl.language.structure import Action, Domain
from envs.pddl.language.terms import Part
from envs.pddl.simulation.lifted import Literal


def with_literal(
    action: Action, part: Part, literal: Literal, domain: Domain, objects: Sequence[str]
) -> Action:
    """The action with the literal as the last of the part; `objects` are the names that numbers stand for."""
    formula = _formula(literal, action, domain, objects)
    if part is Part.PRECONDITION:
        return replace(action, precondition=junction(Connective.And, [action.precondition, formula]))
    made = AddEffect(formula) if literal.positive else DelEffect(formula.subformulas[0])
    return replace(action, effects=(*action.effects, made))


def without_literal(action: Action, part: Part, literal: str) -> Action:
    """The action without the literal, given as PDDL. Raises ValueError unless it is at the part's top."""
    if part is Part.PRECONDITION:
        whole = action.precondition
        joined = isinstance(whole, CompoundFormula) and whole.connective is Connective.And
        parts = list(whole.subformulas) if joined else [whole]
        kept = [formula for formula in parts if render_formula(formula) != literal]
        less = replace(action, precondition=junction(Connective.And, kept))
    else:
        parts = list(action.effects)
        kept = [effect for effect in parts if render_effect(effect) != literal]
        less = replace(action, effects=tuple(kept))
    if len(kept) == len(parts):
        raise not_at_the_top(action.name, part, literal)
    return less


def not_at_the_top(action: str, part: Part, literal: str) -> ValueError:
    """What is wrong where a literal is to go that stands deeper, or nowhere."""
    return ValueError(f"{literal} does not stand at the top of the {part} of {action}")


def _formula(literal: Literal, action: Action, domain: Domain, objects: Sequence[str]) -> Formula:
    symbol = BuiltinPredicateSymbol.EQ if literal.predicate == "=" else literal.predicate
    arguments = [_argument(term, action.parameters, domain, objects) for term in literal.terms]
    atom = Atom(domain.language.get_predicate(symbol), arguments)
    return atom if literal.positive else negation(atom)


def _argument(term: int, parameters: Sequence[Variable], domain: Domain, objects: Sequence[str]) -> Term:
    if term < 0:
        return parameters[~term]
    name = objects[term]
    return ObjectName(name, domain.language.sort_of(domain.constants[name]))
