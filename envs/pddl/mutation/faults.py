"""Domains that are wrong on purpose: mutants, and several seeded faults at once, as input for repair.

A mutation changes one term (see `terms`) of one action: it is removed, turned into its negation (an added
atom becomes a deleted one), or has two arguments swapped; or a literal is added to the conjunction of the
precondition or the effect. Only typed candidates are made: every argument fits the declaration of its
predicate, so the text reads without an error. All possible mutations are listed in a fixed order that
depends on the domain alone, and samples on the generator.

A mutation may leave the meaning as it was (a precondition that always holds, say): being another text does
not make a domain wrong.

Several faults of literals are drawn together, each of another term, so none undoes another: terms removed
(see `terms`), literals added that the part does not name yet, and terms with an argument swapped or
replaced. Faults of parameters (see `parameter_faults`) concern a predicate each, and the problems too. Every
broken domain reads without an error and none is the original, though a fault may leave the meaning as it
was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from typing import TypeVar

import numpy as np

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.structure import Domain, Problem
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Place,
    Term,
    Tree,
    atom_of,
    literal_of,
    replace_at,
    show,
    terms,
    terms_in,
    tree_of,
)
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults

T = TypeVar("T")


class MutationKind(StrEnum):
    """What is done to the literal."""

    REMOVE = "remove"
    ADD = "add"
    FLIP = "flip"
    SWAP = "swap"


@dataclass(frozen=True)
class LiteralFault:
    """One literal that is missing, too many, or another one. Plain data; `with_literals` makes the text."""

    action: str
    part: Part
    path: tuple[int, ...]  #: of the term; empty for an added literal
    before: str  #: the literal as it was, empty for an added one
    after: str  #: the literal as it is, empty for a removed one

    @property
    def place(self) -> Place:
        """Where the term stands; the whole part for an added literal."""
        return self.action, self.part, self.path

    def __str__(self) -> str:
        place = f"the {self.part} of {self.action}"
        if not self.after:
            return f"removed {self.before} from {place}"
        if not self.before:
            return f"added {self.after} to {place}"
        return f"wrote {self.after} for {self.before} in {place}"


@dataclass(frozen=True)
class Mutation(LiteralFault):
    """One change of one literal, and its kind."""

    kind: MutationKind

    def __str__(self) -> str:
        change = " to ".join(text for text in (self.before, self.after) if text)
        return f"{self.kind} {change} in the {self.part} of {self.action}"


def mutations(domain: Domain) -> Mapping[MutationKind, tuple[Mutation, ...]]:
    """Every typed single-literal mutation of a domain, by kind."""
    found = tuple(_mutations(tree_of(domain), domain.vocabulary))
    return {kind: tuple(mutation for mutation in found if mutation.kind is kind) for kind in MutationKind}


def _mutations(tree: DomainTree, words: Vocabulary) -> Iterator[Mutation]:
    own = terms_in(tree)
    for term in own:
        flipped = term.atom if term.literal[0] == "not" else ("not", term.literal)
        yield Mutation(*term.place, term.text, "", MutationKind.REMOVE)
        yield Mutation(*term.place, term.text, show(flipped), MutationKind.FLIP)
        for swapped in swaps(term, words):
            yield Mutation(*term.place, term.text, swapped, MutationKind.SWAP)
    named = {(term.action, term.part, term.atom) for term in own}
    for action in tree.actions:
        atoms = tuple(words.atoms(tree.parameters(action)))
        for part, atom in product(Part, atoms):
            if (action, part, atom) not in named:
                for literal in (atom, ("not", atom)):
                    yield Mutation(action, part, (), "", show(literal), MutationKind.ADD)


def sample_mutations(domain: Domain, count: int, rng: np.random.Generator) -> tuple[Mutation, ...]:
    """`count` different mutations, or all if there are fewer; the kinds take turns, as long as they last."""
    queues = [shuffled(listed, rng) for listed in mutations(domain).values()]
    chosen: list[Mutation] = []
    while len(chosen) < count and any(queues):
        chosen += [queue.pop() for queue in queues if queue]
    return tuple(chosen[:count])


def sample_terms(domain: Domain, count: int, rng: np.random.Generator) -> tuple[Term, ...]:
    """`count` different terms, uniformly, in the domain's order. Raises ValueError if it has fewer."""
    own = terms(domain)
    if count > len(own):
        raise ValueError(f"domain {domain.name!r} has {len(own)} terms, {count} cannot be drawn")
    return tuple(own[i] for i in sorted(shuffled(range(len(own)), rng)[:count]))


def shuffled(listed: Sequence[T], rng: np.random.Generator) -> list[T]:
    """The same in an order that one number a place decides."""
    return [listed[i] for i in np.argsort(rng.random(len(listed)), kind="stable").tolist()]


def mutated(domain: Domain, mutation: Mutation) -> str:
    """The text of the domain with one mutation. Raises ValueError if it is none of this domain."""
    return with_literals(domain, (mutation,))


def with_literals(domain: Domain, faults: Sequence[LiteralFault]) -> str:
    """The text of the domain with all of these faults, each of another term.

    Their paths are those of the domain itself, and their order makes no difference. Raises ValueError if one
    of them is of no term of this domain.
    """
    tree = tree_of(domain)
    own = {(term.place, term.text) for term in terms_in(tree)}
    for fault in faults:
        if fault.before and (fault.place, fault.before) not in own:
            raise ValueError(f"domain {domain.name!r} has no such term: {fault}")
        if fault.before and fault.after:
            tree = tree.with_piece(fault.place, literal_of(fault.after))
    tree = tree.without([fault.place for fault in faults if not fault.after])
    if any(fault.before for fault in faults):  # what is left of conditions, in its simplest form
        tree = tree_of(read_domain(tree.render()))
    for fault in faults:
        if not fault.before:
            tree = tree.with_literal(fault.action, fault.part, literal_of(fault.after))
    return tree.render()


def with_argument(literal: Tree, place: int, name: Tree) -> Tree:
    """The literal with another argument at a place, counted from 1."""
    return replace_at(literal, (1, place) if literal[0] == "not" else (place,), name)


def swaps(term: Term, vocabulary: Vocabulary) -> Iterator[str]:
    """The term with any two different arguments swapped that fit in each other's place."""
    atom = term.atom
    declared = vocabulary.predicates.get(show(atom[0]))
    if declared is None:  # equality is symmetric
        return
    kinds = {**vocabulary.constants, **dict(term.scope)}
    for i, j in combinations(range(1, len(atom)), 2):
        crossed = ((show(atom[j]), declared[i - 1][1]), (show(atom[i]), declared[j - 1][1]))
        fits = all(vocabulary.types.is_subtype(kinds[name], kind) for name, kind in crossed)
        if fits and atom[i] != atom[j]:
            yield show(with_argument(with_argument(term.literal, i, atom[j]), j, atom[i]))


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
    if kind is BreakKind.PARAMETER:
        broken = _parameters(domain, count, rng)
    else:
        drawn = _literals(domain, kind, count, rng)
        broken = Broken(with_literals(domain, drawn), tuple(drawn))
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
    single = {
        kind: [LiteralFault(*m.place, m.before, m.after) for m in found]
        for kind, found in mutations(domain).items()
    }
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


def _head(text: str) -> Tree:
    return atom_of(literal_of(text))[0]
