"""An action with one literal more or less, made in its domain's own formulas: no text is read.

Literals stand at the top of a part, which is a conjunction. The action is the one that is read from the text
with the same edit (`envs.pddl.language.terms`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tarski import syntax as fol
from tarski.fstrips import AddEffect, DelEffect

from envs.pddl.language.formulas import FormulaBuilder, conjuncts, junction
from envs.pddl.language.render import render_effect, render_formula
from envs.pddl.language.sexpr import Group, Node, Word
from envs.pddl.language.structure import Action, Domain
from envs.pddl.language.terms import Part, Tree, literal_of


def edited_action(domain: Domain, action: Action, part: Part, literal: str, added: bool) -> Action:
    """The action with a literal behind all else in that part, or without it.

    `literal` is PDDL over the action's parameters and the domain's constants. Raises KeyError for another
    name, and ValueError if a literal to be removed is not at the top of that part.
    """
    parts: Sequence[Any] = conjuncts(action.precondition) if part is Part.PRECONDITION else action.effects
    if added:
        builder = FormulaBuilder(domain.language, domain.constants)
        formula = builder.condition(_node(literal_of(literal)), action.parameters)
        kept = [*parts, formula if part is Part.PRECONDITION else _change(formula)]
    else:
        shown = render_formula if part is Part.PRECONDITION else render_effect
        kept = [one for one in parts if shown(one) != literal]
        if len(kept) == len(parts):
            raise ValueError(f"{literal} does not stand at the top of the {part} of {action.name}")
    if part is Part.PRECONDITION:
        return replace(action, precondition=junction(fol.Connective.And, kept))
    return replace(action, effects=tuple(kept))


def _node(tree: Tree) -> Node:
    return Word(tree, 0) if isinstance(tree, str) else Group([_node(part) for part in tree], 0)


def _change(formula: fol.Formula) -> AddEffect | DelEffect:
    return AddEffect(formula) if isinstance(formula, fol.Atom) else DelEffect(formula.subformulas[0])
