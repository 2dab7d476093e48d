"""What errors a domain has, measured against the true one under the alignment that leaves the fewest.

What is given to whoever writes a domain is compared by name: actions, types, constants. What they invent is
not: predicates, the order of their arguments, parameters. An alignment says which predicate, which place of
it and which parameter corresponds to which, each to one at most, and so which literals do. Errors under it:

- a literal that is missing from a precondition or an effect, one too many, and one whose counterpart has
  another sign or other arguments (that is one error, not two);
- a parameter of an action that is missing, too many, or of another type; a missing or surplus argument of a
  predicate, which is one error wherever the predicate stands;
- the same literals joined otherwise, by `or` or `forall` instead of `and`, say: one error a clause.

A conditional effect that is missing, or too many, is one error, whatever it was conditional on. An action
without counterpart counts with all its parameters and literals. Places correspond only if the declared types
can have an object in common. Declarations that no action uses, and costs, do not count.

A predicate may also be cut by the types of its arguments into several, each with a counterpart of its own
(`envs.pddl.alignment.clauses` says how, and why that keeps the meaning). All predicates of a domain are cut,
or none; of the four ways to cut one domain, the other, both or neither, that with the fewest errors counts.

The alignment is found by clingo's optimisation, which proves that none has fewer errors (`alignment.lp`). It
ends after a number of conflicts, the same on every machine; `Alignment.at_least` then says what was proved.
Among alignments with equally few errors one that keeps more names is taken.

The classes follow Guan et al. 2023, section 5.1, who counted by hand; the alignment is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import product

from envs.pddl.alignment.clauses import BUILT_IN, Clause, Kinds, Piece
from envs.pddl.alignment.program import MAX_CONFLICTS, AlignmentProgram, Matching, Side, shapes_agree
from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import Tree, canonical
from envs.pddl.language.vocabulary import Parameters


class ModelErrorKind(StrEnum):
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


@dataclass(frozen=True)
class ModelError:
    """One error. Texts are in each domain's own names."""

    kind: ModelErrorKind
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
class Alignment:
    """Two domains under the best matching that was found, and the errors that it leaves."""

    program: AlignmentProgram
    matching: Matching
    proved: int  #: errors that any matching leaves, beside those of actions without counterpart

    @cached_property
    def errors(self) -> tuple[ModelError, ...]:
        """Every error: predicates first, then the actions in the order of the true domain's text."""
        return (*self.of_pairs, *self.of_actions_alone())

    @property
    def at_least(self) -> int:
        """The errors that no alignment leaves fewer of."""
        return self.proved + len(self.errors) - len(self.of_pairs)

    @property
    def exact(self) -> bool:
        """Whether no other alignment leaves fewer errors."""
        return len(self.of_pairs) <= self.proved

    def counts(self) -> dict[ModelErrorKind, int]:
        """How many errors of each kind there are; kinds without any are left out."""
        counted = Counter(error.kind for error in self.errors)
        return {kind: counted[kind] for kind in ModelErrorKind if counted[kind]}

    @cached_property
    def predicates(self) -> tuple[PredicateMatch, ...]:
        """The predicates that correspond."""
        return tuple(
            PredicateMatch(mine.predicate, yours.predicate, places, tuple(self._kinds(mine, yours, places)))
            for mine, yours, places in self._pieces()
        )

    @cached_property
    def parameters(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """For each true action its parameters with their counterparts."""
        found = {}
        for number, (mine, yours) in enumerate(self.program.actions):
            own, listed = self.program.true.parameters(mine), self.program.other.parameters(yours)
            matched = sorted(self.matching.parameters.get(number, {}).items())
            found[mine] = tuple((own[x][0], listed[y][0]) for x, y in matched)
        return found

    @cached_property
    def of_pairs(self) -> tuple[ModelError, ...]:
        """The errors of predicates, and of actions that have a counterpart."""
        true, other = self.program.true, self.program.other
        found: list[ModelError] = []
        for mine, yours, places in self._pieces():
            matched = {k: place for k, place in enumerate(places) if place is not None}
            lists = true.places(mine), other.places(yours)
            found += _of_lists("argument", mine.predicate, *lists, matched)
        for number, (name, other_name) in enumerate(self.program.actions):
            lists = true.parameters(name), other.parameters(other_name)
            found += _of_lists("parameter", name, *lists, self.matching.parameters.get(number, {}))
            found += self._of_literals(name, other_name)
        return tuple(found)

    def of_actions_alone(self) -> Iterator[ModelError]:
        """Everything in actions that have no counterpart."""
        sides = ((self.program.true, 0, "missing"), (self.program.other, 1, "extra"))
        for side, which, how in sides:
            common = {pair[which] for pair in self.program.actions}
            for action in side.domain.actions:
                if action in common:
                    continue
                for name, kind in side.parameters(action):
                    yield _unmatched(how, "parameter", action, f"{name} - {kind}")
                for clause in side.clauses:
                    if clause.action == action:
                        yield from _alone(how, clause, action)

    def _pieces(self) -> Iterator[tuple[Piece, Piece, tuple[int | None, ...]]]:
        """The pieces of predicates that correspond, and their places."""
        for q, mine in enumerate(self.program.true.predicates):
            if q in self.matching.predicates and mine.predicate not in BUILT_IN:
                yours = self.program.other.predicates[self.matching.predicates[q]]
                yield mine, yours, tuple(map(self.matching.places.get(q, {}).get, range(len(mine.kinds))))

    def _kinds(self, mine: Piece, yours: Piece, places: Sequence[int | None]) -> Iterator[str]:
        """At each place the narrower type of both."""
        types, others = self.program.true.domain.vocabulary.types, self.program.other.places(yours)
        for kind, place in zip(mine.kinds, places, strict=True):
            other = kind if place is None else others[place][1]
            yield other if types.is_subtype(other, kind) else kind

    def _of_literals(self, mine: str, yours: str) -> Iterator[ModelError]:
        """Errors clause by clause: those of the true action, then what the other one has beyond."""
        for clause in self.program.true.clauses:
            if clause.action == mine:
                met = sorted(j for i, j in self.matching.clauses if i == clause.number)
                yield from self._of_clause(clause, met) if met else _alone("missing", clause, mine)
        counterparts = {j for _, j in self.matching.clauses}
        found = set(self.matching.leaves.values())
        for clause in self.program.other.clauses:
            if clause.action == yours and clause.number not in counterparts:
                yield from _alone("extra", clause, mine)
            elif clause.action == yours:
                left = (leaf.text for leaf in clause.leaves if leaf.number not in found)
                yield from (_unmatched("extra", clause.part, mine, text) for text in left)

    def _of_clause(self, clause: Clause, counterparts: Sequence[int]) -> Iterator[ModelError]:
        """What a clause has that its counterparts lack or have otherwise."""
        others = [self.program.other.clauses[j] for j in counterparts]
        wrong = ModelErrorKind(f"wrong {clause.part}")
        yours = {leaf.number: leaf.text for other in others for leaf in other.leaves}
        fine = len(others) == 1 and len(clause.leaves) == len(yours)
        for leaf in clause.leaves:
            counterpart = self.matching.leaves.get(leaf.number)
            if counterpart is None:
                fine = False
                yield _unmatched("missing", clause.part, clause.action, leaf.text)
            elif leaf.number in self.matching.wrong:
                fine = False
                yield ModelError(wrong, clause.action, leaf.text, yours[counterpart])
        for other in others:
            unlike = not shapes_agree(clause, other)
            if unlike or (fine and not self._joined_alike(clause, other)):
                yield ModelError(wrong, clause.action, clause.text, other.text)

    def _joined_alike(self, mine: Clause, yours: Clause) -> bool:
        """Whether two clauses, all of whose literals correspond, are the same tree."""
        names = {str(self.matching.leaves[leaf.number]): str(leaf.number) for leaf in mine.leaves}
        return _numbered(mine.skeleton, {}) == _numbered(yours.skeleton, names)


def _of_lists(
    what: str, place: str, mine: Parameters, yours: Parameters, matched: Mapping[int, int]
) -> Iterator[ModelError]:
    """The errors of typed lists of which some entries correspond; types count for parameters."""
    for x, (name, kind) in enumerate(mine):
        y = matched.get(x)
        if y is None:
            yield _unmatched("missing", what, place, f"{name} - {kind}")
        elif what == "parameter" and yours[y][1] != kind:
            yield ModelError(ModelErrorKind.WRONG_TYPE, place, f"{name} - {kind}", " - ".join(yours[y]))
    for y, (name, kind) in enumerate(yours):
        if y not in matched.values():
            yield _unmatched("extra", what, place, f"{name} - {kind}")


def _alone(how: str, clause: Clause, place: str) -> Iterator[ModelError]:
    """The errors of a clause without counterpart."""
    for leaf in clause.leaves:
        if not leaf.is_condition:
            yield _unmatched(how, clause.part, place, leaf.text)


def _unmatched(how: str, what: str, place: str, text: str) -> ModelError:
    """What the true domain alone has (`missing`), or the other one (`extra`)."""
    kind = ModelErrorKind(f"{how} {what}")
    return ModelError(kind, place, text) if how == "missing" else ModelError(kind, place, made=text)


def _numbered(skeleton: Tree, names: Mapping[str, str]) -> Tree:
    """A skeleton with other numbers, parts of `and` and `or` sorted."""
    if isinstance(skeleton, str):
        return names.get(skeleton, skeleton)
    head, *rest = skeleton
    return canonical((head, *(_numbered(part, names) for part in rest)))


#: Where there are several ways to cut, all are tried for so few errors before more are allowed: to prove that
#: a bad way has more than a few errors is quick, to count them is not.
_BOUNDS = (0, 4, 8, 16, 32, 64)


def align(
    true: Domain,
    made: Domain,
    *,
    actions: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    in_order: bool = False,
    max_conflicts: int = MAX_CONFLICTS,
) -> Alignment:
    """The alignment of `made` with the `true` domain that leaves the fewest errors, and these.

    `actions`, `types` and `constants` give the true names of what `made` calls otherwise. With `in_order`,
    the parameters of actions correspond by their place, as they do where the action interface is given.
    Deterministic. Raises TooManyLiterals if an action has thousands of literals.
    """
    renamed = actions or {}
    by_true_name = {renamed.get(name, name): name for name in made.actions}
    pairs = tuple((name, by_true_name[name]) for name in true.actions if name in by_true_name)
    sides = _ways(Side(true)), _ways(Side(made, types or {}, constants or {}))
    programs = [AlignmentProgram(*both, pairs, in_order) for both in product(*sides)]
    bounds = _BOUNDS if len(programs) > 1 else ()
    rounds = (_best_of(programs, max_conflicts, at_most) for at_most in (*bounds, None))
    return next(found for found in rounds if found is not None)


def _ways(side: Side) -> tuple[Side, ...]:
    """A domain as it is, and cut if that is possible."""
    return (side, replace(side, cut=True)) if side.can_be_cut else (side,)


def _best_of(
    programs: Sequence[AlignmentProgram], max_conflicts: int, at_most: int | None
) -> Alignment | None:
    """The best alignment of all programs, of equals the first; None if none has `at_most` so many errors."""
    best: Alignment | None = None
    proved: list[int] = []
    for program in programs:
        matching, at_least = program.solve(max_conflicts, at_most)
        proved.append(at_least)
        found = Alignment(program, matching, at_least) if matching is not None else None
        if found is not None and (best is None or len(found.of_pairs) < len(best.of_pairs)):
            best, at_most = found, len(found.of_pairs) - 1
            if at_most < 0:
                break
    return None if best is None else replace(best, proved=min(proved))
