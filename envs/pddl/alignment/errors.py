"""What is wrong with a domain under an alignment with the true one, error by error.

The classes, and what counts as one error, are those of `envs.pddl.alignment.errors_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from envs.pddl.alignment.clauses import BUILT_IN, Clause, Leaf
from envs.pddl.alignment.cut import Kinds, Piece
from envs.pddl.alignment.program import Matching, Program
from envs.pddl.language.terms import Part, Tree, canonical


class ErrorKind(StrEnum):
    """What is wrong with a domain."""

    MISSING_PRECONDITION = "missing precondition"
    EXTRA_PRECONDITION = "extra precondition"
    WRONG_PRECONDITION = "wrong precondition"  #: another sign or other arguments, or joined otherwise
    MISSING_EFFECT = "missing effect"
    EXTRA_EFFECT = "extra effect"
    WRONG_EFFECT = "wrong effect"
    MISSING_PARAMETER = "missing parameter"
    EXTRA_PARAMETER = "extra parameter"
    WRONG_TYPE = "wrong type"
    MISSING_ARGUMENT = "missing argument"  #: of a predicate
    EXTRA_ARGUMENT = "extra argument"


_LITERAL_KINDS = {
    Part.PRECONDITION: (
        ErrorKind.MISSING_PRECONDITION,
        ErrorKind.EXTRA_PRECONDITION,
        ErrorKind.WRONG_PRECONDITION,
    ),
    Part.EFFECT: (ErrorKind.MISSING_EFFECT, ErrorKind.EXTRA_EFFECT, ErrorKind.WRONG_EFFECT),
}


@dataclass(frozen=True)
class ModelError:
    """One error. Texts are in each domain's own names."""

    kind: ErrorKind
    place: str  #: the action it is in, by its true name if it has one, or the predicate
    true: str = ""  #: what the true domain has; empty for what is too many
    made: str = ""  #: what the domain has instead; empty for what is missing

    def __str__(self) -> str:
        said = " for ".join(text for text in (self.made, self.true) if text)
        return f"{self.place}: {self.kind} {said}"


@dataclass(frozen=True)
class PredicateMatch:
    """A predicate and its counterpart, as far as they are about objects of some types.

    A predicate that is cut has several counterparts, each for other types.
    """

    true: str
    made: str
    places: tuple[int | None, ...]  #: for each argument of the true one, its place in the other; from 0
    kinds: Kinds  #: for each argument of the true one, its type in true names: the narrower of both domains'


@dataclass(frozen=True)
class Comparison:
    """Two domains under a matching."""

    program: Program
    matching: Matching

    def errors(self) -> tuple[ModelError, ...]:
        """Every error: predicates first, then the actions in the order of the true domain's text."""
        found = [*self._of_predicates()]
        for number, (mine, yours) in enumerate(self.program.actions):
            found += self._of_parameters(number, mine, yours)
            found += self._of_literals(number, mine, yours)
        return (*found, *self.of_actions_alone())

    @cached_property
    def of_pairs(self) -> int:
        """How many errors there are beside those of actions without counterpart."""
        return len(self.errors()) - len(tuple(self.of_actions_alone()))

    def predicates(self) -> Iterator[PredicateMatch]:
        """The predicates that correspond."""
        for mine, yours, places in self._pieces():
            kinds = tuple(self._kinds(mine, yours, places))
            yield PredicateMatch(mine.predicate, yours.predicate, places, kinds)

    def parameters(self) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        """For each true action its parameters with their counterparts."""
        for number, (mine, yours) in enumerate(self.program.actions):
            listed = self.program.other.parameters(yours)
            yield (
                mine,
                tuple(
                    (name, listed[self.matching.parameters[number, x]][0])
                    for x, (name, _) in enumerate(self.program.true.parameters(mine))
                    if (number, x) in self.matching.parameters
                ),
            )

    def _of_predicates(self) -> Iterator[ModelError]:
        for mine, yours, places in self._pieces():
            for place, (name, kind) in zip(places, self.program.true.places(mine), strict=True):
                if place is None:
                    yield ModelError(ErrorKind.MISSING_ARGUMENT, mine.predicate, true=f"{name} - {kind}")
            for place, (name, kind) in enumerate(self.program.other.places(yours)):
                if place not in places:
                    yield ModelError(ErrorKind.EXTRA_ARGUMENT, mine.predicate, made=f"{name} - {kind}")

    def _pieces(self) -> Iterator[tuple[Piece, Piece, tuple[int | None, ...]]]:
        """The pieces of predicates that correspond, and their places."""
        for q, mine in enumerate(self.program.true.predicates):
            if q in self.matching.predicates and mine.predicate not in BUILT_IN:
                yours = self.program.other.predicates[self.matching.predicates[q]]
                yield mine, yours, tuple(self.matching.places.get((q, k)) for k in range(len(mine.kinds)))

    def _kinds(self, mine: Piece, yours: Piece, places: Sequence[int | None]) -> Iterator[str]:
        """At each place the narrower type of both."""
        types, others = self.program.true.domain.vocabulary.types, self.program.other.places(yours)
        for kind, place in zip(mine.kinds, places, strict=True):
            other = kind if place is None else others[place][1]
            yield other if types.is_subtype(other, kind) else kind

    def _of_parameters(self, number: int, mine: str, yours: str) -> Iterator[ModelError]:
        listed, found = self.program.other.parameters(yours), set()
        for x, (name, kind) in enumerate(self.program.true.parameters(mine)):
            y = self.matching.parameters.get((number, x))
            if y is None:
                yield ModelError(ErrorKind.MISSING_PARAMETER, mine, true=f"{name} - {kind}")
                continue
            found.add(y)
            if listed[y][1] != kind:
                texts = f"{name} - {kind}", " - ".join(listed[y])
                yield ModelError(ErrorKind.WRONG_TYPE, mine, *texts)
        for y, (name, kind) in enumerate(listed):
            if y not in found:
                yield ModelError(ErrorKind.EXTRA_PARAMETER, mine, made=f"{name} - {kind}")

    def _of_literals(self, number: int, mine: str, yours: str) -> Iterator[ModelError]:
        """Errors clause by clause: those of the true action, then what the other one has beyond."""
        true, other = self.program.true, self.program.other
        for i, clause in enumerate(true.clauses):
            if clause.action == mine:
                met = self.matching.counterparts(i)
                yield from self._of_clause(number, i, met) if met else _alone(clause, mine, missing=True)
        counterparts = {j for _, j in self.matching.clauses}
        found = set(self.matching.leaves.values())
        for j, clause in enumerate(other.clauses):
            if clause.action == yours and j not in counterparts:
                yield from _alone(clause, mine, missing=False)
            elif clause.action == yours:
                extra = _LITERAL_KINDS[clause.part][1]
                left = (leaf for y, leaf in other.numbered(j) if y not in found)
                yield from (ModelError(extra, mine, made=leaf.text) for leaf in left)

    def _of_clause(self, number: int, i: int, counterparts: Sequence[int]) -> Iterator[ModelError]:
        """What a clause has that its counterparts lack or have otherwise."""
        clause, others = self.program.true.clauses[i], self.program.other.clauses
        missing, _, wrong = _LITERAL_KINDS[clause.part]
        yours = {y: (j, leaf) for j in counterparts for y, leaf in self.program.other.numbered(j)}
        fine = len(counterparts) == 1 and len(clause.leaves) == len(yours)
        for x, leaf in self.program.true.numbered(i):
            if x not in self.matching.leaves:
                fine = False
                yield ModelError(missing, clause.action, true=leaf.text)
                continue
            j, counterpart = yours[self.matching.leaves[x]]
            if self._is_wrong(number, x, counterpart, clause.shape == others[j].shape):
                fine = False
                yield ModelError(wrong, clause.action, leaf.text, counterpart.text)
        for j in counterparts:
            unlike = not self.program.shapes_agree(clause, others[j])
            if unlike or (fine and not self._joined_alike(i, j)):
                yield ModelError(wrong, clause.action, clause.text, others[j].text)

    def _is_wrong(self, number: int, x: int, yours: Leaf, same_shape: bool) -> bool:
        """Whether the true domain's literal `x` and its counterpart differ in sign, place or arguments."""
        _, mine = self.program.true.leaves[x]
        if self.program.differ(mine, yours, same_shape):
            return True
        terms = self._terms(number, 0, mine), self._terms(number, 1, yours)
        if mine.predicate == "=":
            return sorted(terms[0]) != sorted(terms[1])
        q = self.program.true.named[x]
        places = {
            k: self.matching.places[q, k] for k in range(len(terms[0])) if (q, k) in self.matching.places
        }
        return any(terms[0][k] != terms[1][place] for k, place in places.items())

    def _terms(self, number: int, which: int, leaf: Leaf) -> list[str]:
        """The arguments of a literal of one side in common names, parameters by the other's numbers."""
        side = (self.program.true, self.program.other)[which]
        own = side.parameters(self.program.actions[number][which])
        places = {name: place for place, (name, _) in enumerate(own)}
        terms = []
        for term in leaf.arguments:
            if term not in places:
                terms.append(side.constants.get(term, term))
            else:
                place = places[term]
                matched = self.matching.parameters.get((number, place)) if which == 0 else place
                terms.append(f"{term}, which is missing" if matched is None else f"parameter {matched}")
        return terms

    def _joined_alike(self, i: int, j: int) -> bool:
        """Whether two clauses, all of whose literals correspond, are the same tree."""
        true, other = self.program.true, self.program.other
        places = {y: str(place) for place, (y, _) in enumerate(other.numbered(j))}
        names = {places[self.matching.leaves[x]]: str(place) for place, (x, _) in enumerate(true.numbered(i))}
        return _numbered(true.clauses[i].skeleton, {}) == _numbered(other.clauses[j].skeleton, names)

    def of_actions_alone(self) -> Iterator[ModelError]:
        """Everything in actions that have no counterpart."""
        sides = ((self.program.true, 0, True), (self.program.other, 1, False))
        for side, which, missing in sides:
            common = {pair[which] for pair in self.program.actions}
            kind = ErrorKind.MISSING_PARAMETER if missing else ErrorKind.EXTRA_PARAMETER
            for action in side.domain.actions:
                if action in common:
                    continue
                for name, type_ in side.parameters(action):
                    yield _error(kind, action, f"{name} - {type_}", missing)
                for clause in side.clauses:
                    if clause.action == action:
                        yield from _alone(clause, action, missing)


def _alone(clause: Clause, place: str, missing: bool) -> Iterator[ModelError]:
    """The errors of a clause without counterpart."""
    kind = _LITERAL_KINDS[clause.part][0 if missing else 1]
    for leaf in clause.leaves:
        if not leaf.is_condition:
            yield _error(kind, place, leaf.text, missing)


def _error(kind: ErrorKind, place: str, text: str, missing: bool) -> ModelError:
    return ModelError(kind, place, true=text) if missing else ModelError(kind, place, made=text)


def _numbered(skeleton: Tree, names: Mapping[str, str]) -> Tree:
    """A skeleton with other numbers, parts of `and` and `or` sorted."""
    if isinstance(skeleton, str):
        return names.get(skeleton, skeleton)
    head, *rest = skeleton
    if head in ("forall", "exists"):
        return (head, rest[0], _numbered(rest[1], names))
    return canonical((head, *(_numbered(part, names) for part in rest)))
