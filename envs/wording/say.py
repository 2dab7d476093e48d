"""A domain in words, made from its PDDL: what there is, and what each action needs and changes.

It says everything that the PDDL says about executability, with the domain's phrases, and nothing else.
Parameters are called A, B, C, … in their order, bound variables X, Y, Z, ….
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tarski.fstrips import DelEffect, UniversalEffect
from tarski.syntax import (
    Atom,
    CompoundFormula,
    Connective,
    Contradiction,
    Formula,
    QuantifiedFormula,
    Quantifier,
    Tautology,
    Variable,
)
from tarski.syntax.builtins import BuiltinPredicateSymbol

from envs.pddl.formulas import Effect
from envs.pddl.language import Action, Domain
from envs.wording.words import Words, fill, listed, sentence

_CONFLICT = "Where an action would make something both true and false, it is true afterwards."
_BOUND = ("X", "Y", "Z", "W", "V", "U")


def say_domain(domain: Domain, words: Words) -> str:
    """The description of a domain: its types, the kinds of facts, and every action."""
    about = [f"This is about {words.about}."] if words.about else []
    kinds = "\n".join(_say_predicates(domain, words))
    count = len(domain.actions)
    actions = [
        f"{number}. {_say_action(action, words)}" for number, action in enumerate(domain.actions.values(), 1)
    ]
    heading = f"There {'is one action' if count == 1 else f'are {count} actions'}:"
    parts = [" ".join([*about, *_say_types(domain, words)]), kinds, heading, *actions, _CONFLICT]
    return "\n\n".join(part for part in parts if part)


def _say_types(domain: Domain, words: Words) -> Iterator[str]:
    for name, parent in domain.types.items():
        noun = words.type(name)
        if parent is not None:
            yield f"Every {noun.one} is {_a(words.type(parent).one)}."
        if noun.about:
            yield f"{_a(noun.one).capitalize()} is {noun.about}."
    for name, kind in domain.constants.items():
        yield f"There is always {_a(words.type(kind).one)} called {name}."


def _say_predicates(domain: Domain, words: Words) -> Iterator[str]:
    """Each kind of fact, with what its arguments are."""
    if domain.predicates:
        yield "These are the kinds of facts, each of which may be true or false:"
    for name, parameters in domain.vocabulary.predicates.items():
        letters = string.ascii_uppercase[: len(parameters)]
        template = words.predicate(name, len(parameters)).positive
        kinds = [
            f"{a} is {_a(words.type(kind).one)}" for a, (_, kind) in zip(letters, parameters, strict=True)
        ]
        yield f"- {fill(template, letters)}{f', where {listed(kinds)}' if kinds else ''}."


def _say_action(action: Action, words: Words) -> str:
    names = {variable.symbol: _letter(place) for place, variable in enumerate(action.parameters)}
    speaker = _Speaker(words, names)
    typed = [f"{names[v.symbol]} ({_a(words.type(v.sort.name).one)})" for v in action.parameters]
    parts = [f"{action.name}:"]
    if action.name in words.actions:
        parts.append(sentence(words.actions[action.name]))
    noun = "parameter is" if len(typed) == 1 else "parameters are, in this order,"
    parts.append(f"Its {noun} {listed(typed)}." if typed else "It has no parameters.")
    needed = list(_conjuncts(action.precondition))
    parts.append(f"It can be done when {speaker.all_of(needed)}." if needed else "It can always be done.")
    changes = [speaker.effect(effect) for effect in _true_first(action.effects)]
    parts.append(f"Afterwards {'; '.join(changes)}." if changes else "It changes nothing.")
    if changes:
        parts.append("Nothing else changes.")
    return " ".join(parts)


@dataclass(frozen=True)
class _Speaker:
    """Says formulas and effects; `names` holds what each variable is called."""

    words: Words
    names: Mapping[str, str]

    def all_of(self, parts: Sequence[Formula]) -> str:
        """A conjunction."""
        return "; and ".join(map(self.formula, parts)) if parts else "anything holds"

    def formula(self, formula: Formula) -> str:
        """A condition as a clause."""
        if isinstance(formula, Tautology):
            return "anything holds"
        if isinstance(formula, Contradiction):
            return "the impossible holds"
        if isinstance(formula, Atom):
            return self._atom(formula, holds=True)
        if isinstance(formula, QuantifiedFormula):
            return self._quantified(formula)
        return self._compound(formula)

    def effect(self, effect: Effect) -> str:
        """A change, with its condition in front."""
        if isinstance(effect, UniversalEffect):
            inner, bound = self._bind(effect.variables)
            changes = "; ".join(map(inner.effect, effect.effects))
            return f"for every {bound} ({changes})"
        change = self._atom(effect.atom, holds=not isinstance(effect, DelEffect))
        if isinstance(effect.condition, Tautology):
            return change
        return f"if before it {self.all_of(list(_conjuncts(effect.condition)))}, then {change}"

    def _compound(self, formula: CompoundFormula) -> str:
        parts = formula.subformulas
        if formula.connective is Connective.Not:
            if isinstance(parts[0], Atom):
                return self._atom(parts[0], holds=False)
            return f"it is not the case that ({self.formula(parts[0])})"
        if formula.connective is Connective.And:
            return f"all of this holds ({self.all_of(parts)})"
        return f"at least one of this holds ({'; or '.join(map(self.formula, parts))})"

    def _quantified(self, formula: QuantifiedFormula) -> str:
        inner, bound = self._bind(formula.variables)
        if formula.quantifier is Quantifier.Forall:
            return f"for every {bound} ({inner.formula(formula.formula)})"
        return f"there is {_article(bound)} {bound} such that ({inner.formula(formula.formula)})"

    def _bind(self, variables: Iterable[Variable]) -> tuple[_Speaker, str]:
        """A speaker that knows the bound variables too, and the words that introduce them."""
        names = dict(self.names)
        introduced = []
        for variable in variables:
            names[variable.symbol] = self._fresh(names)
            introduced.append(f"{self.words.type(variable.sort.name).one} {names[variable.symbol]}")
        return _Speaker(self.words, names), " and every ".join(introduced)

    def _fresh(self, names: Mapping[str, str]) -> str:
        taken = set(names.values())
        return next(
            name
            for round_ in range(len(taken) + 1)
            for letter in _BOUND
            if (name := letter + ("" if not round_ else str(round_ + 1))) not in taken
        )

    def _atom(self, atom: Atom, *, holds: bool) -> str:
        terms = [self.names.get(str(term.symbol), str(term.symbol)) for term in atom.subterms]
        if atom.predicate.symbol == BuiltinPredicateSymbol.EQ:
            return f"{terms[0]} and {terms[1]} are {'the same' if holds else 'different'}"
        templates = self.words.predicate(str(atom.predicate.symbol), len(terms))
        return fill(templates.positive if holds else templates.negative, terms)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, CompoundFormula) and formula.connective is Connective.And:
        yield from formula.subformulas
    elif not isinstance(formula, Tautology):
        yield formula


def _true_first(effects: Sequence[Effect]) -> list[Effect]:
    """What becomes true first, then what becomes false."""
    return sorted(effects, key=lambda effect: isinstance(effect, DelEffect))


def _letter(place: int) -> str:
    """A, B, … T, A2, …; the letters from U on are for bound variables."""
    letters = string.ascii_uppercase[:20]
    return letters[place % 20] + (str(place // 20 + 1) if place >= 20 else "")


def _a(noun: str) -> str:
    return f"{_article(noun)} {noun}"


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"
