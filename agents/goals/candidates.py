"""Candidate goals in any PDDL domain, how they are written, and rankings of them.

A candidate is a conjunction of ground literals. A file has one a line, as in the public archives of goal
recognition tasks (`hyps.dat`): `(on a b), (on b c)`, with or without the commas, `(not (on a b))` for what
is to be false, `(and (on a b) (on b c))` as well. Observations have one operator a line (`obs.dat`), in
order. Empty lines and what follows a `;` are passed over. Disjunctions, quantifiers, implications and
numbers are refused.

A ranking gives each candidate a probability. Equal ones are tied, and share a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envs.pddl.language.domain import GroundAtom, Problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.sexpr import Group, Node, Source, Word, read_sexprs

#: Probabilities that differ by less, relatively, are equal.
_TIED = 1e-9


@dataclass(frozen=True, order=True)
class GroundLiteral:
    """An atom that is wanted, or unwanted."""

    atom: GroundAtom
    positive: bool = True

    def __str__(self) -> str:
        text = f"({' '.join(self.atom)})"
        return text if self.positive else f"(not {text})"


@dataclass(frozen=True)
class Candidate:
    """A goal that the agent may have: literals, each once, sorted."""

    literals: tuple[GroundLiteral, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.literals))


@dataclass(frozen=True)
class Ranking:
    """Candidates by how likely they are, and what the method could not use."""

    probabilities: tuple[float | None, ...]  #: in the order of the candidates; None: no answer
    unused: tuple[str, ...] = ()  #: observations that name no operator of the task, in order

    @property
    def best(self) -> tuple[int, ...]:
        """The numbers of the most likely candidates: several if they are tied, none without an answer."""
        top = max((p for p in self.probabilities if p is not None), default=None)
        if top is None:
            return ()
        return tuple(i for i, p in enumerate(self.probabilities) if p is not None and tied(p, top))

    def places(self) -> tuple[int | None, ...]:
        """The place of each candidate, from 1: one more than there are likelier ones. None: no answer."""
        known = [p for p in self.probabilities if p is not None]
        return tuple(
            None if own is None else 1 + sum(p > own and not tied(p, own) for p in known)
            for own in self.probabilities
        )


def tied(one: float, other: float) -> bool:
    """Whether two probabilities are equal, roundings aside."""
    return abs(one - other) <= _TIED * max(one, other)


def ranking(likelihoods: Sequence[float | None], unused: tuple[str, ...] = ()) -> Ranking:
    """The ranking by the likelihoods of candidates that are equally likely before.

    What has no likelihood has no probability; where all likelihoods are 0, the known ones are tied.
    """
    known = [value for value in likelihoods if value is not None]
    total, equal = sum(known), 1 / max(1, len(known))
    return Ranking(tuple(None if v is None else v / total if total else equal for v in likelihoods), unused)


def read_candidates(
    text: str, problem: Problem, name: str = "goals", least: int = 2
) -> tuple[Candidate, ...]:
    """The candidates of a file, `least` or more. Raises ValueError, with the line, for what is refused."""
    found: dict[Candidate, int] = {}
    for number, line in _lines(text):
        try:
            candidate = _candidate(line, problem)
        except (ValueError, PDDLError) as error:
            raise ValueError(f"{name}, line {number}: {error}") from error
        if candidate in found:
            raise ValueError(f"{name}, line {number}: the same goal as line {found[candidate]}")
        found[candidate] = number
    if len(found) < least:
        raise ValueError(f"{name}: there must be {least} candidates or more, one a line, not {len(found)}")
    return tuple(found)


def read_observations(text: str, name: str = "plan") -> tuple[str, ...]:
    """The operators of a file, in canonical form. Raises ValueError, with the line."""
    steps = []
    for number, line in _lines(text):
        try:
            steps.append(format_operator(*parse_operator(line)))
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}") from error
    return tuple(steps)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, numbered from 1."""
    for number, line in enumerate(text.splitlines(), start=1):
        if said := line.partition(";")[0].strip():
            yield number, said


def _candidate(line: str, problem: Problem) -> Candidate:
    try:
        nodes = read_sexprs(Source(line.replace(",", " "), "goal"))
    except PDDLError as error:
        raise ValueError(error.brief()) from error
    literals = {literal for node in nodes for literal in _literals(node, problem)}
    if not literals:
        raise ValueError("an empty goal")
    for literal in literals:
        if literal.positive and GroundLiteral(literal.atom, False) in literals:
            raise ValueError(f"{literal} is wanted and unwanted")
    return Candidate(tuple(sorted(literals)))


def _literals(node: Node, problem: Problem) -> Iterator[GroundLiteral]:
    if isinstance(node, Group) and node.head == "and":
        for part in node.items[1:]:
            yield from _literals(part, problem)
    elif isinstance(node, Group) and node.head == "not" and len(node.items) == 2:
        yield GroundLiteral(_atom(node.items[1], problem), False)
    else:
        yield GroundLiteral(_atom(node, problem))


def _atom(node: Node, problem: Problem) -> GroundAtom:
    if (
        not isinstance(node, Group)
        or not all(isinstance(item, Word) for item in node.items)
        or not node.items
    ):
        raise ValueError(
            f"{node} is no literal: a goal is a conjunction of ground literals; disjunctions, quantifiers, "
            "implications and numbers are refused"
        )
    name, *arguments = map(str, node.items)
    parameters = problem.domain.predicates.get(name)
    if parameters is None:
        known = ", ".join(problem.domain.predicates)
        raise ValueError(f"there is no predicate {name}; there is: {known}")
    if len(parameters) != len(arguments):
        raise ValueError(f"{node}: {name} takes {len(parameters)} arguments")
    for argument, (_, kind) in zip(arguments, parameters, strict=True):
        own = problem.objects.get(argument)
        if own is None:
            raise ValueError(f"{node}: there is no object {argument}")
        if not problem.domain.is_subtype(own, kind):
            raise ValueError(f"{node}: {argument} is a {own}, not a {kind}")
    return name, *arguments
