"""Two domains as the facts of `alignment.lp`, and the program's answer back.

Everything is numbered, so no name of a domain ever becomes part of a program's text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import clingo

from envs.pddl.alignment.clauses import (
    BUILT_IN,
    Clause,
    Leaf,
    Piece,
    clauses_of,
    is_reduced,
    pieces_of,
    renamed_type,
    within,
)
from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import Part
from envs.pddl.language.vocabulary import Parameters, Types

_PROGRAM = Path(__file__).parent / "alignment.lp"
#: Conflicts that clingo may run into, once to prove the fewest errors and once more to come near them.
MAX_CONFLICTS = 200_000
#: Pairs of literals above which two domains are not compared.
MAX_PAIRS = 200_000


@dataclass(frozen=True)
class Side:
    """One of the two domains: its clauses, its literals in their order, and its numbered predicates."""

    domain: Domain
    types: Mapping[str, str] = field(default_factory=dict)  #: true names of types, where they differ
    constants: Mapping[str, str] = field(default_factory=dict)  #: likewise
    cut: bool = False  #: whether predicates are cut by the types of their arguments

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Every clause."""
        return clauses_of(self.domain, self.types)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Every literal."""
        return tuple(leaf for clause in self.clauses for leaf in clause.leaves)

    @cached_property
    def predicates(self) -> tuple[Piece, ...]:
        """Every predicate that some literal names, in the order of first mention, or its pieces."""
        return self._pieces(self.cut)

    @cached_property
    def named(self) -> tuple[int, ...]:
        """For each literal the number of its predicate."""
        return tuple(map(self._number, self.leaves))

    @property
    def can_be_cut(self) -> bool:
        """Whether some predicate has several pieces."""
        return len(self._pieces(cut=True)) > len(self._pieces(cut=False))

    def places(self, piece: Piece) -> Parameters:
        """The parameters of a predicate, with true types; none for what the language brings."""
        declared = self.domain.vocabulary.predicates.get(piece.predicate, ())
        return self._true(tuple((name, kind) for (name, _), kind in zip(declared, piece.kinds, strict=True)))

    def parameters(self, action: str) -> Parameters:
        """The parameters of an action, with true types."""
        return self._true(self.domain.vocabulary.actions[action])

    def _pieces(self, cut: bool) -> tuple[Piece, ...]:
        return pieces_of(self.domain.vocabulary, self.leaves, cut)

    def _number(self, leaf: Leaf) -> int:
        types = self.domain.vocabulary.types
        return next(
            number
            for number, piece in enumerate(self.predicates)
            if piece.predicate == leaf.predicate
            and (leaf.predicate in BUILT_IN or within(types, leaf.kinds, piece.kinds))
        )

    def _true(self, parameters: Parameters) -> Parameters:
        return tuple((name, renamed_type(kind, self.types)) for name, kind in parameters)


@dataclass(frozen=True)
class Matching:
    """What the program chose, as numbers."""

    predicates: Mapping[int, int]
    places: Mapping[int, Mapping[int, int]]  #: for each true predicate, its places to the other's
    parameters: Mapping[int, Mapping[int, int]]  #: for each pair of actions, true parameters to the other's
    clauses: frozenset[tuple[int, int]]  #: the true domain's with those of the other's that correspond
    leaves: Mapping[int, int]
    wrong: frozenset[int]  #: the true leaves whose counterpart has another sign, place or arguments


class TooManyLiterals(ValueError):
    """The domains have too many literals in one action to be compared."""

    def __init__(self, pairs: int):
        super().__init__(pairs)
        self.pairs = pairs

    def __str__(self) -> str:
        return (
            f"{self.pairs:,} pairs of literals would have to be compared, and at most {MAX_PAIRS:,} are: "
            "an action has far too many literals"
        )


@dataclass(frozen=True)
class AlignmentProgram:
    """The comparison of two domains. `actions` are the pairs that correspond: (true name, other name)."""

    true: Side
    other: Side
    actions: tuple[tuple[str, str], ...]
    in_order: bool  #: whether parameters correspond by their place in the list

    def solve(
        self, max_conflicts: int = MAX_CONFLICTS, at_most: int | None = None
    ) -> tuple[Matching | None, int]:
        """The matching with the fewest errors, or the best one found, and how few any has at the least.

        None if none was found that has `at_most` so many. Errors of actions without counterpart are not
        counted. Raises TooManyLiterals.
        """
        pairs = sum(len(mine.leaves) * len(yours.leaves) for mine, yours in self._clause_pairs())
        if pairs > MAX_PAIRS:
            raise TooManyLiterals(pairs)
        text = _PROGRAM.read_text(encoding="utf-8") + "\n".join(self._facts())
        best = _run(text, "--opt-strategy=usc,oll", max_conflicts, at_most)
        if not best.proved:
            other = _run(text, "--opt-strategy=bb,hier", max_conflicts, at_most)
            at_least = max(best.at_least, other.at_least)
            found = [answer for answer in (best, other) if answer.symbols is not None]
            best = replace(min(found, key=lambda answer: answer.cost, default=best), at_least=at_least)
        return None if best.symbols is None else _matching(best.symbols), best.at_least

    def _facts(self) -> Iterator[str]:
        yield from self._predicate_facts()
        yield from (f"name({number})." for number in self._names.values())
        for number, (name, other) in enumerate(self.actions):
            yield from self._action_facts(number, self.true.parameters(name), self.other.parameters(other))
        for name, side in (("true", self.true), ("other", self.other)):
            yield from self._leaf_facts(name, side)
        for mine, yours in self._clause_pairs():
            yield f"pair({mine.number},{yours.number},{int(not shapes_agree(mine, yours))})."
            yield from self._pair_facts(mine, yours)

    def _predicate_facts(self) -> Iterator[str]:
        together = {
            (self.true.named[x.number], self.other.named[y.number])
            for mine, yours in self._clause_pairs()
            for x, y in product(mine.leaves, yours.leaves)
        }
        numbered = enumerate(self.true.predicates), enumerate(self.other.predicates)
        for (q, mine), (p, yours) in product(*numbered):
            if mine.predicate in BUILT_IN or yours.predicate in BUILT_IN:
                if mine.predicate == yours.predicate:
                    yield f"given_predicate({q},{p})."
            elif (q, p) in together:
                yield f"likely({q},{p})."
                if mine.predicate != yours.predicate:
                    yield f"renamed({q},{p})."
                yield from (f"fits({q},{k},{p},{place})." for k, place in self._fitting(mine, yours))
        for name, side in (("true", self.true), ("other", self.other)):
            for q, predicate in enumerate(side.predicates):
                yield from (f"{name}_place({q},{k})." for k in range(len(side.places(predicate))))

    def _fitting(self, mine: Piece, yours: Piece) -> Iterator[tuple[int, int]]:
        """Places of two predicates whose types can have an object in common."""
        types = self.true.domain.vocabulary.types
        places = product(enumerate(self.true.places(mine)), enumerate(self.other.places(yours)))
        for (k, (_, kind)), (place, (_, other)) in places:
            if _related(types, kind, other):
                yield k, place

    def _action_facts(self, number: int, mine: Parameters, yours: Parameters) -> Iterator[str]:
        yield f"action({number})."
        yield from (f"true_parameter({number},{x})." for x in range(len(mine)))
        yield from (f"other_parameter({number},{y})." for y in range(len(yours)))
        for (x, (_, kind)), (y, (_, other)) in product(enumerate(mine), enumerate(yours)):
            if kind == other:
                yield f"same_type({number},{x},{y})."
        if self.in_order:
            yield f"is_given({number})."
            yield from (f"given({number},{x},{x})." for x in range(min(len(mine), len(yours))))

    def _leaf_facts(self, name: str, side: Side) -> Iterator[str]:
        own = {pair[side is self.other]: number for number, pair in enumerate(self.actions)}
        for clause in side.clauses:
            for leaf in clause.leaves if clause.action in own else ():
                i = leaf.number
                yield f"{name}_leaf({i},{clause.number}). {name}_in({i},{own[clause.action]})."
                if leaf.is_condition:
                    yield f"{name}_condition({i})."
                elif clause.part is Part.EFFECT:
                    yield f"{name}_head({clause.number},{i})."
                terms = self._terms(side, clause.action, leaf)
                yield from (f"{name}_argument({i},{k},{term})." for k, term in enumerate(terms))
        for clause in side.clauses:
            if clause.conjoined:
                yield f"{name}_conjunction({clause.number})."
            yield from (f"{name}_conjoined({a},{b})." for a, b in clause.conjoined)

    def _pair_facts(self, c: Clause, d: Clause) -> Iterator[str]:
        """The literals of two clauses that may correspond."""
        same_shape = c.shape == d.shape
        for mine, yours in product(c.leaves, d.leaves):
            built_in = mine.predicate in BUILT_IN or yours.predicate in BUILT_IN
            if mine.is_condition != yours.is_condition or (built_in and mine.predicate != yours.predicate):
                continue
            x, y = mine.number, yours.number
            yield f"leaves({x},{y},{c.number},{d.number},{self.true.named[x]},{self.other.named[y]})."
            if mine.positive != yours.positive or (same_shape and mine.context != yours.context):
                yield f"differ({x},{y})."
            if mine.predicate == "=":
                yield f"symmetric({x},{y})."
            if mine.text != yours.text:
                yield f"unlike({x},{y})."

    def _clause_pairs(self) -> Iterator[tuple[Clause, Clause]]:
        """Clauses of the same part of actions that correspond."""
        partner = dict(self.actions)
        for mine, yours in product(self.true.clauses, self.other.clauses):
            if mine.part == yours.part and partner.get(mine.action) == yours.action:
                yield mine, yours

    def _terms(self, side: Side, action: str, leaf: Leaf) -> Iterator[str]:
        """The arguments of a literal: `v(Number)` for a parameter, else the number of a name."""
        places = {name: f"v({place})" for place, (name, _) in enumerate(side.parameters(action))}
        for term in leaf.arguments:
            yield places.get(term) or str(self._names[side.constants.get(term, term)])

    @cached_property
    def _names(self) -> Mapping[str, int]:
        """The constants and the bound variables of both, numbered."""
        found = (
            side.constants.get(term, term)
            for side in (self.true, self.other)
            for leaf in side.leaves
            for term in leaf.arguments
        )
        return {name: number for number, name in enumerate(dict.fromkeys(found))}


def shapes_agree(clause: Clause, other: Clause) -> bool:
    """Whether one clause joins its literals as the other does, but for some that it lacks."""
    return is_reduced(clause.shape, other.shape) or is_reduced(other.shape, clause.shape)


def _related(types: Types, kind: str, other: str) -> bool:
    """Whether one type lies within the other; a type that is not known may be anything."""
    if not types.declares(other):
        return True
    return types.is_subtype(kind, other) or types.is_subtype(other, kind)


@dataclass(frozen=True)
class _Answer:
    """The best model that a run of the program found, if any, and how few errors it proved there must be."""

    symbols: tuple[clingo.Symbol, ...] | None
    cost: tuple[int, ...]
    at_least: int
    proved: bool


def _run(text: str, strategy: str, max_conflicts: int, at_most: int | None) -> _Answer:
    """One run, ended by a number of conflicts, so that it ends alike on every machine."""
    # A bound on errors alone that is just their number keeps clasp's core-guided search from ending, as
    # differences in names are counted after them: these are bounded as well, by more than there can be.
    bound = [] if at_most is None else [f"--opt-mode=opt,{at_most},{MAX_PAIRS}"]
    control = clingo.Control(["--warn=none", strategy, *bound, f"--solve-limit={max_conflicts},umax"])
    control.add("base", [], text)
    control.ground([("base", [])])
    symbols, cost = None, (0 if at_most is None else at_most + 1,)
    with control.solve(yield_=True) as handle:
        for model in handle:
            symbols, cost = tuple(model.symbols(shown=True)), tuple(model.cost)
        proved = bool(handle.get().exhausted)
    lower = control.statistics["summary"]["lower"]
    return _Answer(symbols, cost, cost[0] if proved else int(lower[0]) if lower else 0, proved)


def _matching(symbols: Sequence[clingo.Symbol]) -> Matching:
    chosen: defaultdict[str, list[Any]] = defaultdict(list)  # the numbers of each atom
    for symbol in symbols:
        chosen[symbol.name].append(tuple(a.number for a in symbol.arguments))
    places: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for q, k, _, place in chosen["place"]:
        places[q][k] = place
    parameters: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for a, x, y in chosen["parameter"]:
        parameters[a][x] = y
    clauses = frozenset(chosen["clause"])
    wrong = frozenset(mine for mine, _ in chosen["wrong"])
    return Matching(dict(chosen["predicate"]), places, parameters, clauses, dict(chosen["leaf"]), wrong)
