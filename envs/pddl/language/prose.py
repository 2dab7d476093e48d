"""Conditions, effects and actions in words: the forms of a sentence that each form of formula takes.

The words for predicates and types come from the caller; here is only how they are joined. An action's
parameters go by A, B, C, … in their order, bound variables by X, Y, Z, …. If the caller has different words
for different predicates and types, actions that differ in any literal are said differently.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tarski import syntax as fol
from tarski.fstrips import DelEffect, UniversalEffect
from tarski.syntax.builtins import BuiltinPredicateSymbol

from envs.pddl.language.formulas import conjuncts
from envs.pddl.language.structure import Action, Effect

_BOUND = ("X", "Y", "Z", "W", "V", "U")

#: The words for an atom: its predicate, what its arguments are called, whether it holds.
Clause = Callable[[str, Sequence[str], bool], str]
#: What a thing of a type is called.
Noun = Callable[[str], str]


def say_action(
    action: Action, clause: Clause, noun: Noun, about: str = "", meanings: Mapping[str, str] | None = None
) -> str:
    """All that an action needs and changes, in one paragraph.

    `about` is a sentence on the action; `meanings` say what its parameters are, by variable, beside their
    types.
    """
    names = {variable.symbol: letter(place) for place, variable in enumerate(action.parameters)}
    nouns = {variable.symbol: with_article(noun(variable.sort.name)) for variable in action.parameters}
    speaker = Speaker(clause, noun, names)
    typed = []
    for variable, name in names.items():
        meaning = (meanings or {}).get(variable, "")
        typed.append(f"{name} ({nouns[variable]}{f': {meaning}' if meaning else ''})")
    parts = [f"{action.name}:", *([about] if about else [])]
    subject = "parameter is" if len(typed) == 1 else "parameters are, in this order,"
    parts.append(f"Its {subject} {listed(typed)}." if typed else "It has no parameters.")
    needed, changes = speaker.needs(action), speaker.changes(action)
    parts.append(f"It can be done when {needed}." if needed else "It can always be done.")
    parts.append(f"Afterwards {changes}." if changes else "It changes nothing.")
    if changes:
        parts.append("Nothing else changes.")
    return " ".join(parts)


def letter(place: int) -> str:
    """A, B, … T, A2, …; the letters from U on are for bound variables."""
    letters = string.ascii_uppercase[:20]
    return letters[place % 20] + (str(place // 20 + 1) if place >= 20 else "")


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


@dataclass(frozen=True)
class Speaker:
    """Says the conditions and effects of one action."""

    clause: Clause
    noun: Noun
    names: Mapping[str, str]  #: what each variable is called, by its symbol

    def needs(self, action: Action) -> str:
        """The action's precondition; empty if it can always be done."""
        return self._all_of(conjuncts(action.precondition))

    def changes(self, action: Action) -> str:
        """The action's effects, what becomes true first; empty if there are none."""
        true_first = sorted(action.effects, key=lambda effect: isinstance(effect, DelEffect))
        return "; ".join(map(self._effect, true_first))

    def _all_of(self, parts: Sequence[fol.Formula]) -> str:
        return "; and ".join(map(self._formula, parts))

    def _formula(self, formula: fol.Formula) -> str:
        if isinstance(formula, fol.Tautology):
            return "anything holds"
        if isinstance(formula, fol.Contradiction):
            return "the impossible holds"
        if isinstance(formula, fol.Atom):
            return self._atom(formula, holds=True)
        if isinstance(formula, fol.QuantifiedFormula):
            return self._quantified(formula)
        return self._compound(formula)

    def _effect(self, effect: Effect) -> str:
        """A change, with its condition in front."""
        if isinstance(effect, UniversalEffect):
            inner, bound = self._bind(effect.variables)
            changes = "; ".join(map(inner._effect, effect.effects))
            return f"for every {' and every '.join(bound)} ({changes})"
        change = self._atom(effect.atom, holds=not isinstance(effect, DelEffect))
        if isinstance(effect.condition, fol.Tautology):
            return change
        return f"if before it {self._all_of(conjuncts(effect.condition))}, then {change}"

    def _compound(self, formula: fol.CompoundFormula) -> str:
        parts = formula.subformulas
        if formula.connective is fol.Connective.Not:
            if isinstance(parts[0], fol.Atom):
                return self._atom(parts[0], holds=False)
            return f"it is not the case that ({self._formula(parts[0])})"
        if formula.connective is fol.Connective.And:
            return f"all of this holds ({self._all_of(parts)})"
        return f"at least one of this holds ({'; or '.join(map(self._formula, parts))})"

    def _quantified(self, formula: fol.QuantifiedFormula) -> str:
        inner, bound = self._bind(formula.variables)
        if formula.quantifier is fol.Quantifier.Forall:
            return f"for every {' and every '.join(bound)} ({inner._formula(formula.formula)})"
        found = " and ".join(map(with_article, bound))
        return f"there is {found} such that ({inner._formula(formula.formula)})"

    def _bind(self, variables: Iterable[fol.Variable]) -> tuple[Speaker, list[str]]:
        """A speaker that knows the bound variables too, and the words that introduce each of them."""
        names = dict(self.names)
        introduced = []
        for variable in variables:
            names[variable.symbol] = self._fresh(names)
            introduced.append(f"{self.noun(variable.sort.name)} {names[variable.symbol]}")
        return replace(self, names=names), introduced

    def _fresh(self, names: Mapping[str, str]) -> str:
        taken = set(names.values())
        return next(
            name
            for round_ in range(len(taken) + 1)
            for letter in _BOUND
            if (name := letter + ("" if not round_ else str(round_ + 1))) not in taken
        )

    def _atom(self, atom: fol.Atom, *, holds: bool) -> str:
        terms = [self.names.get(str(term.symbol), str(term.symbol)) for term in atom.subterms]
        if atom.predicate.symbol == BuiltinPredicateSymbol.EQ:
            return f"{terms[0]} and {terms[1]} are {'the same' if holds else 'different'}"
        return self.clause(str(atom.predicate.symbol), terms, holds)


def with_article(noun: str) -> str:
    """The noun with `a` or `an` before it."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"
