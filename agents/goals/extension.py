"""Plan extension: which steps the hanging ones may have been for, some rounds ahead.

A hanging step's effects are matched with the preconditions of every operator by unification: what they have
in common is bound, all other parameters stay open. The operators that match are the first round; their
effects, open parameters included, are matched in the next one, and so on. An extension says what a step could
set up, not that it can be done.

Almost every operator needs some atom that almost every step gives, such as where the agent stands. So an
effect counts the more the fewer operators need anything like it: the weight of a match is the sum, over the
effects that it uses, of one divided by the number of operators with such a precondition. What an extension
needs of known objects and the state after the plan denies (that the axe in hand is a stick) speaks against it
and all that builds on it, before all weight. Of each round the first `width` are kept; extensions of equal
content are one.

Source: Siegel et al. 2024, section 5.2 and Algorithm 2; order and bounds are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from agents.goals.parsing import CausalGraph
from agents.operators.lifted import EQUAL, NamedLiteral, Operator, is_variable, kind_of, overlapping
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary


@dataclass(frozen=True)
class Bounds:
    """How far and how wide extensions grow."""

    rounds: int = 3  #: K of the paper
    width: int | None = 12  #: extensions of one round; None: all, as published


#: As published: every extension of every round.
UNBOUNDED = Bounds(width=None)


@dataclass(frozen=True)
class Extension:
    """A step that may follow. Open parameters are variables, other names are objects."""

    operator: Operator
    arguments: tuple[str, ...]
    uses: tuple[NamedLiteral, ...]  #: its preconditions that an earlier step gives, sorted
    weight: Fraction  #: how telling these are
    denied: int  #: preconditions, its own and those of extensions before it, that the state denies

    @property
    def text(self) -> str:
        """The step as text, such as `(craft-boat slot1 ?targetinv ?station new2 ?target ?t)`."""
        return f"({' '.join((self.operator.name, *self.arguments))})"

    @property
    def effects(self) -> tuple[NamedLiteral, ...]:
        """What it would change; open parameters as they stand in the operator, unless bound."""
        names = dict(zip((v for v, _ in self.operator.parameters), self.arguments, strict=True))
        return tuple(effect.renamed(names) for effect in self.operator.effects)


@dataclass(frozen=True, eq=False)
class _Given:
    """An effect that may be used, and the types of its terms."""

    literal: NamedLiteral
    kinds: Mapping[str, str]


def extend(
    graph: CausalGraph,
    operators: Sequence[Operator],
    objects: Mapping[str, str],
    vocabulary: Vocabulary,
    facts: frozenset[GroundAtom],
    bounds: Bounds | None = None,
) -> tuple[tuple[Extension, ...], ...]:
    """The rounds of extensions of a plan, the likeliest first.

    `objects` gives the types of all objects, `facts` are what holds after the plan.
    """
    bounds = bounds or Bounds()
    known = [operator for operator in operators if operator.takes_arguments]
    matcher = _Matcher(known, vocabulary, facts)
    given = [(tuple(_Given(e, objects) for e in graph.steps[i].effects), 0) for i in graph.hanging]
    rounds: list[tuple[Extension, ...]] = []
    for _ in range(bounds.rounds):
        found = matcher.round(given)[: bounds.width]
        rounds.append(tuple(found))
        given = [(_effects(e, objects, number), e.denied) for number, e in enumerate(found)]
    return tuple(rounds)


def _effects(extension: Extension, objects: Mapping[str, str], number: int) -> tuple[_Given, ...]:
    """The effects of an extension, its open parameters renamed apart from those of all others."""
    own = dict(zip(extension.arguments, (kind for _, kind in extension.operator.parameters), strict=True))
    apart = {term: f"{term}.{number}" for term in own if is_variable(term)}
    kinds = {**objects, **{apart[term]: kind for term, kind in own.items() if is_variable(term)}}
    return tuple(_Given(effect.renamed(apart), kinds) for effect in extension.effects)


class _Matcher:
    """Matches effects with the preconditions of a library of operators."""

    def __init__(self, operators: Sequence[Operator], vocabulary: Vocabulary, facts: frozenset[GroundAtom]):
        self._operators, self._facts = operators, facts
        self._types, self._constants = vocabulary.types, vocabulary.constants
        self._needs = {o.name: tuple(p for p in o.preconditions if p.predicate != EQUAL) for o in operators}
        self._unequal = {
            o.name: tuple(p.terms for p in o.preconditions if p.predicate == EQUAL and not p.positive)
            for o in operators
        }
        self._takers: dict[tuple[str, bool, tuple[str, ...]], int] = {}

    def round(self, given: Iterable[tuple[Sequence[_Given], int]]) -> list[Extension]:
        """The extensions that each step's effects, beside what is denied of it, give; likeliest first."""
        best: dict[str, Extension] = {}
        for effects, denied in given:
            weights = {effect: self._weight(effect) for effect in effects}
            for operator in self._operators:
                extension = self._match(operator, weights, denied)
                if extension is None:
                    continue
                other = best.get(extension.text)
                if other is None or _order(extension) < _order(other):
                    best[extension.text] = extension
        return sorted(best.values(), key=_order)

    def _weight(self, given: _Given) -> Fraction:
        """One divided by the number of operators that need anything like the effect."""
        kinds = tuple(t if t in self._constants else given.kinds[t] for t in given.literal.terms)
        alike = given.literal.predicate, given.literal.positive, kinds
        if alike not in self._takers:
            self._takers[alike] = sum(
                any(self._unified(need, given, {}, o) is not None for need in self._needs[o.name])
                for o in self._operators
            )
        return Fraction(1, self._takers[alike] or 1)

    def _match(self, operator: Operator, weights: Mapping[_Given, Fraction], denied: int) -> Extension | None:
        """The operator with what the effects bind, the most telling effect first; None if nothing fits."""
        binding: dict[str, str] = {}
        used: list[NamedLiteral] = []
        weight = Fraction(0)
        for given in sorted(weights, key=lambda g: (-weights[g], g.literal)):
            for need in self._needs[operator.name]:
                found = None if need in used else self._unified(need, given, binding, operator)
                if found is not None:
                    binding, weight = found, weight + weights[given]
                    used.append(need)
                    break
        if not used:
            return None
        arguments = tuple(binding.get(variable, variable) for variable, _ in operator.parameters)
        bound = {variable: _closed(binding[variable], variable) for variable in binding}
        shown = tuple(_closed(a, v) for a, (v, _) in zip(arguments, operator.parameters, strict=True))
        denied += sum(self._denied(need, binding) for need in self._needs[operator.name] if need not in used)
        return Extension(operator, shown, tuple(sorted(need.renamed(bound) for need in used)), weight, denied)

    def _denied(self, need: NamedLiteral, binding: Mapping[str, str]) -> bool:
        """Whether a precondition is about objects alone, and false after the plan."""
        ground = need.renamed(binding)
        return not any(map(is_variable, ground.terms)) and not ground.holds({}, self._facts)

    def _unified(
        self, need: NamedLiteral, given: _Given, binding: Mapping[str, str], operator: Operator
    ) -> dict[str, str] | None:
        """The binding of the operator's parameters under which its precondition is the effect."""
        effect = given.literal
        if (need.predicate, need.positive, len(need.terms)) != (
            effect.predicate, effect.positive, len(effect.terms),
        ):  # fmt: skip
            return None
        found = dict(binding)
        for term, other in zip(need.terms, effect.terms, strict=True):
            if not is_variable(term):
                if term != other and not (is_variable(other) and self._fits(term, other, given, operator)):
                    return None
            elif found.setdefault(term, other) != other or not self._fits(term, other, given, operator):
                return None
        same = any(
            found.get(one, one) == found.get(other, other) for one, other in self._unequal[operator.name]
        )
        return None if same else found

    def _fits(self, own_term: str, term: str, given: _Given, operator: Operator) -> bool:
        """Whether a term's type allows it in the place of a parameter, or of a constant."""
        own = kind_of(own_term, operator.parameters, self._constants)
        kind = given.kinds.get(term) or self._constants.get(term, "object")
        return overlapping(own, kind, self._types)


def _order(extension: Extension) -> tuple[int, Fraction, str]:
    """Sorts the likeliest first."""
    return extension.denied, -extension.weight, extension.text


def _closed(term: str, variable: str) -> str:
    """A term that stays open is shown under the parameter's own name."""
    return variable if is_variable(term) else term


def texts_of(rounds: Iterable[Iterable[Extension]]) -> Iterator[str]:
    """A line for each extension, after the number of its round."""
    for number, extensions in enumerate(rounds, start=1):
        for extension in extensions:
            yield f"{number}. {extension.text}"
