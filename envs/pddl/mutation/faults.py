"""Fault injection: domains with several seeded faults at once, as input for repair.

Faults of literals are drawn together, each of another term, so none undoes another: terms removed (see
`terms`), literals added that the part does not name yet, and terms with an argument swapped or replaced.
Faults of parameters (see `parameter_faults`) concern a predicate each, and the problems too. Every broken
domain reads without an error and none is the original, though a fault may leave the meaning as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.structure import Domain, Problem
from envs.pddl.language.terms import Part, Term, Tree, atom_of, literal_of, show, terms_in, tree_of
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.mutation.mutate import (
    LiteralFault,
    MutationKind,
    mutations,
    shuffled,
    with_argument,
    with_literals,
)
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults


class BreakKind(StrEnum):
    """What is done to a domain."""

    REMOVED = "removed"  #: terms go
    ADDED = "added"  #: literals come
    ARGUMENTS = "arguments"  #: a term has two arguments swapped, or one replaced
    PARAMETER = "parameter"  #: a predicate has a parameter too few or too many
    MIXED = "mixed"  #: any of the first three


#: The kinds that concern one literal.
_LITERAL_KINDS = (BreakKind.REMOVED, BreakKind.ADDED, BreakKind.ARGUMENTS)


@dataclass(frozen=True)
class Broken:
    """A domain with faults."""

    domain: str  #: its text
    faults: tuple[LiteralFault | ParameterFault, ...]

    def problem(self, original: Problem) -> str:
        """The text of one of the original domain's problems, as the broken domain states it."""
        text, problem = render_problem(original), original
        for fault in self.faults:
            if isinstance(fault, ParameterFault):
                text = faulty_problem(problem, fault)
                problem = read_problem(text, read_domain(faulty_domain(problem.domain, fault)))
        return text


def break_domain(domain: Domain, kind: BreakKind, count: int, rng: np.random.Generator) -> Broken:
    """The domain with `count` faults of that kind, or as many as it can have.

    Raises ValueError if it can have none, or if `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"{count} faults cannot be made")
    drawn = _parameters(domain, count, rng) if kind is BreakKind.PARAMETER else None
    broken = drawn or with_faults(domain, _literals(domain, kind, count, rng))
    if not broken.faults:
        raise ValueError(f"domain {domain.name!r} cannot be broken in this way: {kind}")
    return broken


def is_plain(domain: Domain, fault: LiteralFault | ParameterFault) -> bool:
    """Whether a fault is in no equality, nor below an `or`, a quantifier or a `when`."""
    if isinstance(fault, ParameterFault):
        return True
    whole = tree_of(domain).part(fault.action, fault.part)
    at_top = not fault.path or (len(fault.path) == 1 and whole[0] == "and")
    return at_top and _head(fault.before or fault.after) != "="


def is_unread(domain: Domain, fault: LiteralFault | ParameterFault) -> bool:
    """Whether a fault is in an effect on a predicate that no action tests, so that no walk shows it."""
    if isinstance(fault, ParameterFault) or fault.part is Part.PRECONDITION:
        return False
    tested = {term.place: term.atom[0] for term in terms_in(tree_of(domain)) if term.condition}
    return fault.place not in tested and _head(fault.before or fault.after) not in tested.values()


def _parameters(domain: Domain, count: int, rng: np.random.Generator) -> Broken:
    """Faults of as many predicates, one after another."""
    chosen: list[ParameterFault] = []
    text = ""
    while len(chosen) < count:
        touched = {fault.predicate for fault in chosen}
        possible = [fault for fault in parameter_faults(domain) if fault.predicate not in touched]
        if not possible:
            break
        chosen.append(shuffled(possible, rng)[0])
        text = faulty_domain(domain, chosen[-1])
        domain = read_domain(text)
    return Broken(text, tuple(chosen))


def _literals(domain: Domain, kind: BreakKind, count: int, rng: np.random.Generator) -> list[LiteralFault]:
    """Faults of different terms and new literals."""
    kinds = _LITERAL_KINDS if kind is BreakKind.MIXED else (kind,)
    possible = single_faults(domain)
    queues = [shuffled(possible[k], rng) for k in kinds]
    chosen: list[LiteralFault] = []
    while len(chosen) < count and any(queues):
        queue = queues[int(rng.random() * len(queues))]
        while queue:
            fault = queue.pop()
            if not any(_same_place(fault, other) for other in chosen):
                chosen.append(fault)
                break
    return chosen


def _same_place(one: LiteralFault, other: LiteralFault) -> bool:
    """Whether both concern one term, or bring the same atom into one part."""
    if (one.action, one.part) != (other.action, other.part):
        return False
    brought = [atom_of(literal_of(fault.after)) for fault in (one, other) if fault.after]
    return (bool(one.before) and one.path == other.path) or (len(brought) == 2 and brought[0] == brought[1])


def single_faults(domain: Domain) -> Mapping[BreakKind, list[LiteralFault]]:
    """Every fault of one literal, by kind (REMOVED, ADDED, ARGUMENTS), in a fixed order."""
    single = {kind: [m.fault for m in found] for kind, found in mutations(domain).items()}
    own = terms_in(tree_of(domain))
    named = {(t.action, t.part, t.text) for t in own}
    replaced = [fault for term in own for fault in _replacements(term, domain.vocabulary)]
    arguments = [f for f in (*single[MutationKind.SWAP], *replaced) if (*f.place[:2], f.after) not in named]
    return {
        BreakKind.REMOVED: single[MutationKind.REMOVE],
        BreakKind.ADDED: single[MutationKind.ADD],
        BreakKind.ARGUMENTS: list(dict.fromkeys(arguments)),
    }


def _replacements(term: Term, vocabulary: Vocabulary) -> Iterator[LiteralFault]:
    """The term with any one argument replaced by another variable or constant of a fitting type."""
    atom = term.atom
    declared = vocabulary.predicates.get(show(atom[0]), ())  # nothing is replaced in an equality
    kinds = {**vocabulary.constants, **dict(term.scope)}
    for place, (_, wanted) in enumerate(declared, 1):
        for name, kind in kinds.items():
            if name != atom[place] and vocabulary.types.is_subtype(kind, wanted):
                after = show(with_argument(term.literal, place, name))
                yield LiteralFault(*term.place, term.text, after)


def with_faults(domain: Domain, faults: Sequence[LiteralFault]) -> Broken:
    """The domain with all of these faults. Raises as `with_literals`."""
    return Broken(with_literals(domain, faults), tuple(faults))


def _head(text: str) -> Tree:
    return atom_of(literal_of(text))[0]
