"""tarski's formulas and effects, built from checked trees.

Conventions that consumers can rely on:

- true is `top` (Tautology), false is `bot` (Contradiction, only from an empty `or` or a negated true); both
  are folded away inside and, or and not, so they stand alone or directly under a quantifier;
- and, or are CompoundFormula over two or more parts, never nested in their own kind; `imply` is
  `(or (not a) b)`; not is CompoundFormula over one part, never doubled;
- `=` is an Atom of the language's equality predicate;
- quantifiers are QuantifiedFormula over a list of Variables; a variable that would hide an outer one is
  renamed (`?x` to `?x-2`), so within one action or goal an inner name is never an outer name;
- arguments are typed Variables and Constants; objects of a problem do not enter the domain's language;
- effects are a flat tuple of AddEffect and DelEffect with `.condition` (`top` if there is none), and of
  UniversalEffect (`variables`, `effects` that are Add and Del, condition `top`); nested `when` and `forall`
  are joined into one.

The grammar is that of `envs.pddl.diagnosis.formulas`; what passed there builds here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count, groupby
from typing import TypeAlias

from tarski import syntax as fol
from tarski.fstrips import AddEffect, DelEffect, UniversalEffect
from tarski.syntax.builtins import BuiltinPredicateSymbol

from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.structure import Cost, Effect, Language
from envs.pddl.language.vocabulary import Parameters, read_typed

#: The conditions that an effect stands under, as the outermost one and the conditions inside it.
_Conditions: TypeAlias = "tuple[fol.Formula, _Conditions] | None"
#: An effect as it is read: the variables that it is bound by, its conditions, its atom, and its kind.
_Change: TypeAlias = tuple[tuple[fol.Variable, ...], _Conditions, fol.Atom, type[AddEffect] | type[DelEffect]]
#: The changes of an effect tree, and all names that are in use around or inside it.
_Changes: TypeAlias = tuple[list[_Change], frozenset[str]]


class ObjectName(fol.Constant):  # type: ignore[misc]
    """A constant of a problem or domain. Unlike tarski's own it does not extend its sort's domain.

    One language serves many problems, so an object must leave no trace in it.
    """

    def __init__(self, name: str, sort: fol.Sort):
        self.name = name
        self._sort = sort


@dataclass(frozen=True)
class _Bound:
    """The variables bound at some place by their names in the text, and all names in use around it."""

    names: Mapping[str, fol.Variable]
    taken: frozenset[str]

    @classmethod
    def of(cls, variables: Iterable[fol.Variable]) -> _Bound:
        names = {variable.symbol: variable for variable in variables}
        return cls(names, frozenset(names))


@dataclass(frozen=True)
class FormulaBuilder:
    """Builds over one language; `objects` gives each object's type."""

    language: Language
    objects: Mapping[str, str]

    def variables(self, parameters: Parameters) -> tuple[fol.Variable, ...]:
        """A Variable for each parameter."""
        return tuple(fol.Variable(name, self.language.sort_of(kind)) for name, kind in parameters)

    def condition(self, node: Node | None, variables: Iterable[fol.Variable] = ()) -> fol.Formula:
        """The formula of a precondition or goal (None: true) over `variables`."""
        return self._condition(node, _Bound.of(variables))

    def effects(self, node: Node | None, variables: Iterable[fol.Variable] = ()) -> tuple[Effect, ...]:
        """The flat effects of an effect tree over `variables`; its cost is left to `cost_of`."""
        changes, _ = self._changes(node, _Bound.of(variables), ())
        distinct = {id(met): met for _, met, _, _ in changes}
        joined = {key: _joined(met) for key, met in distinct.items()}
        effects: list[Effect] = []
        for _, group in groupby(changes, key=lambda change: id(change[0])):  # variables overload ==
            here = list(group)
            bound, parts = here[0][0], [kind(atom, joined[id(met)]) for _, met, atom, kind in here]
            effects.extend([UniversalEffect(list(bound), parts)] if bound else parts)
        return tuple(effects)

    def _condition(self, node: Node | None, scope: _Bound) -> fol.Formula:
        if not isinstance(node, Group) or not node.items:
            return fol.top
        head, parts = node.head, node.parts
        if head in ("and", "or"):
            connective = fol.Connective.And if head == "and" else fol.Connective.Or
            return junction(connective, [self._condition(p, scope) for p in parts])
        if head == "not":
            return negation(self._condition(parts[0], scope))
        if head == "imply":
            left, right = (self._condition(p, scope) for p in parts)
            return junction(fol.Connective.Or, [negation(left), right])
        if head in ("exists", "forall"):
            bound, inner = self._bind(parts[0], scope)
            quantifier = fol.Quantifier.Exists if head == "exists" else fol.Quantifier.Forall
            return fol.QuantifiedFormula(quantifier, list(bound), self._condition(parts[1], inner))
        return self._atom(node, scope)

    def _atom(self, node: Group, scope: _Bound) -> fol.Atom:
        symbol = BuiltinPredicateSymbol.EQ if node.head == "=" else node.head
        sort_of = self.language.sort_of
        terms = [
            scope.names[name] if name[0] == "?" else ObjectName(name, sort_of(self.objects[name]))
            for name in map(str, node.items[1:])
        ]
        return fol.Atom(self.language.get_predicate(symbol), terms)

    def _bind(self, listed: Group, scope: _Bound) -> tuple[tuple[fol.Variable, ...], _Bound]:
        names, taken = dict(scope.names), set(scope.taken)
        bound: list[fol.Variable] = []
        for name, kind in read_typed(map(str, listed.items)):
            bound.append(fol.Variable(_fresh(name, taken), self.language.sort_of(kind)))
            taken.add(bound[-1].symbol)
            names[name] = bound[-1]
        return tuple(bound), _Bound(names, frozenset(taken))

    def _changes(self, node: Node | None, scope: _Bound, bound: tuple[fol.Variable, ...]) -> _Changes:
        if not isinstance(node, Group) or not node.items or node.head == "increase":
            return [], scope.taken
        if node.head == "and":
            found = [self._changes(part, scope, bound) for part in node.parts]
            return [c for changes, _ in found for c in changes], scope.taken.union(
                *(taken for _, taken in found if taken is not scope.taken)
            )
        if node.head == "when":
            return self._conditional(node, scope, bound)
        if node.head == "forall":
            more, inner = self._bind(node.parts[0], scope)
            return self._changes(node.parts[1], inner, bound + more)
        kind = DelEffect if node.head == "not" else AddEffect
        atom = self._atom(node.parts[0] if node.head == "not" else node, scope)
        return [(bound, None, atom, kind)], scope.taken

    def _conditional(self, node: Group, scope: _Bound, bound: tuple[fol.Variable, ...]) -> _Changes:
        """The changes under a `when`. Those that share conditions share the one object for them."""
        condition, effect = node.parts
        changes, taken = self._changes(effect, scope, bound)
        # Built last and once: it moves into the foralls below it and must not hide their variables.
        met = self._condition(condition, _Bound(scope.names, taken))
        under = {id(inner): (met, inner) for _, inner, _, _ in changes}
        return [(b, under[id(inner)], atom, kind) for b, inner, atom, kind in changes], taken


def _joined(conditions: _Conditions) -> fol.Formula:
    parts: list[fol.Formula] = []
    while conditions is not None:
        part, conditions = conditions
        parts.append(part)
    return junction(fol.Connective.And, parts)


def cost_of(node: Node | None) -> Cost | None:
    """The amount that an effect tree adds to the total cost; None if it adds none."""
    if not isinstance(node, Group) or not node.items:
        return None
    if node.head == "increase":
        amount = node.items[2]
        return tuple(map(str, amount.items)) if isinstance(amount, Group) else float(amount.text)
    parts = node.parts if node.head == "and" else ()
    return next((cost for cost in map(cost_of, parts) if cost is not None), None)


def show_cost(cost: Cost) -> str:
    """The text of an amount."""
    return f"({' '.join(cost)})" if isinstance(cost, tuple) else show_number(cost)


def show_number(value: float) -> str:
    """The text of a number, a whole one without a point."""
    return str(int(value)) if value.is_integer() else f"{value:.6f}".rstrip("0")


def junction(connective: fol.Connective, parts: list[fol.Formula]) -> fol.Formula:
    """And or or of parts: flat, without the neutral element, with the dominant one winning."""
    neutral, dominant = (fol.top, fol.bot) if connective is fol.Connective.And else (fol.bot, fol.top)
    flat: list[fol.Formula] = []
    for part in parts:
        nested = isinstance(part, fol.CompoundFormula) and part.connective is connective
        flat.extend(part.subformulas if nested else [part])
    kept = [p for p in flat if not isinstance(p, type(neutral))]
    if any(isinstance(p, type(dominant)) for p in kept):
        return dominant
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else fol.CompoundFormula(connective, kept)


def conjuncts(formula: fol.Formula) -> list[fol.Formula]:
    """The parts of a conjunction; the formula itself if it is none; nothing if it is true."""
    if isinstance(formula, fol.CompoundFormula) and formula.connective is fol.Connective.And:
        return list(formula.subformulas)
    return [] if isinstance(formula, fol.Tautology) else [formula]


def negation(part: fol.Formula) -> fol.Formula:
    """The negation of `part`, folded: never doubled, nor before true or false."""
    if isinstance(part, fol.Tautology):
        return fol.bot
    if isinstance(part, fol.Contradiction):
        return fol.top
    if isinstance(part, fol.CompoundFormula) and part.connective is fol.Connective.Not:
        return part.subformulas[0]
    return fol.CompoundFormula(fol.Connective.Not, [part])


def _fresh(name: str, taken: set[str]) -> str:
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(fresh for fresh in names if fresh not in taken)
