"""Mutants: domains that differ from a domain in one literal, or lack some, for studies of fault detection.

A mutation changes one term (see `terms`) of one action: it is removed, turned into its negation (an added
atom becomes a deleted one), or has two arguments swapped; or a literal is added to the conjunction of the
precondition or the effect. Only typed candidates are made: every argument fits the declaration of its
predicate, so the text reads without an error. All possible mutations are listed in a fixed order that depends
on the domain alone, and samples on the generator.

A mutation may leave the meaning as it was (a precondition that always holds, say): being another text does
not make a domain wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from typing import TypeVar

import numpy as np

from envs.pddl.language import terms as trees
from envs.pddl.language.domain import read_domain
from envs.pddl.language.structure import Domain
from envs.pddl.language.vocabulary import Vocabulary

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
    part: trees.Part
    path: tuple[int, ...]  #: of the term; empty for an added literal
    before: str  #: the literal as it was, empty for an added one
    after: str  #: the literal as it is, empty for a removed one

    @property
    def place(self) -> trees.Place:
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

    @property
    def fault(self) -> LiteralFault:
        """The change without its kind."""
        return LiteralFault(*self.place, self.before, self.after)


def mutations(domain: Domain) -> Mapping[MutationKind, tuple[Mutation, ...]]:
    """Every typed single-literal mutation of a domain, by kind."""
    tree, words = trees.tree_of(domain), domain.vocabulary
    changes: dict[MutationKind, list[tuple[trees.Place, str, str]]] = {kind: [] for kind in MutationKind}
    for term in trees.terms_in(tree):
        flipped = term.atom if term.literal[0] == "not" else ("not", term.literal)
        changes[MutationKind.REMOVE].append((term.place, term.text, ""))
        changes[MutationKind.FLIP].append((term.place, term.text, trees.show(flipped)))
        changes[MutationKind.SWAP] += [(term.place, term.text, after) for after in _swaps(term, words)]
    changes[MutationKind.ADD] += [
        ((name, part, ()), "", after) for name, part, after in _additions(tree, words)
    ]
    return {
        kind: tuple(Mutation(*place, before, after, kind) for place, before, after in found)
        for kind, found in changes.items()
    }


def sample_mutations(domain: Domain, count: int, rng: np.random.Generator) -> tuple[Mutation, ...]:
    """`count` different mutations, or all if there are fewer; the kinds take turns, as long as they last."""
    queues = [shuffled(listed, rng) for listed in mutations(domain).values()]
    chosen: list[Mutation] = []
    while len(chosen) < count and any(queues):
        chosen += [queue.pop() for queue in queues if queue]
    return tuple(chosen[:count])


def sample_terms(domain: Domain, count: int, rng: np.random.Generator) -> tuple[trees.Term, ...]:
    """`count` different terms, uniformly, in the domain's order. Raises ValueError if it has fewer."""
    own = trees.terms(domain)
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
    tree = trees.tree_of(domain)
    own = {(term.place, term.text) for term in trees.terms_in(tree)}
    for fault in faults:
        if fault.before and (fault.place, fault.before) not in own:
            raise ValueError(f"domain {domain.name!r} has no such term: {fault}")
        if fault.before and fault.after:
            tree = tree.with_piece(fault.place, trees.literal_of(fault.after))
    tree = tree.without([fault.place for fault in faults if not fault.after])
    if any(fault.before for fault in faults):  # what is left of conditions, in its simplest form
        tree = trees.tree_of(read_domain(tree.render()))
    for fault in faults:
        if not fault.before:
            tree = tree.with_literal(fault.action, fault.part, trees.literal_of(fault.after))
    return tree.render()


def with_argument(literal: trees.Tree, place: int, name: trees.Tree) -> trees.Tree:
    """The literal with another argument at a place, counted from 1."""
    return trees.replace_at(literal, (1, place) if literal[0] == "not" else (place,), name)


def _swaps(term: trees.Term, vocabulary: Vocabulary) -> Iterator[str]:
    """The term with any two different arguments swapped that fit in each other's place."""
    atom = term.atom
    declared = vocabulary.predicates.get(trees.show(atom[0]))
    if declared is None:  # equality is symmetric
        return
    kinds = {**vocabulary.constants, **dict(term.scope)}
    for i, j in combinations(range(1, len(atom)), 2):
        crossed = ((trees.show(atom[j]), declared[i - 1][1]), (trees.show(atom[i]), declared[j - 1][1]))
        fits = all(vocabulary.types.is_subtype(kinds[name], kind) for name, kind in crossed)
        if fits and atom[i] != atom[j]:
            yield trees.show(with_argument(with_argument(term.literal, i, atom[j]), j, atom[i]))


def _additions(tree: trees.DomainTree, vocabulary: Vocabulary) -> Iterator[tuple[str, trees.Part, str]]:
    """Every literal over an action's variables whose atom its precondition (or effect) does not name."""
    named = {(term.action, term.part, term.atom) for term in trees.terms_in(tree)}
    for action in tree.actions:
        atoms = tuple(_atoms(tree.parameters(action), vocabulary))
        for part, atom in product(trees.Part, atoms):
            if (action, part, atom) not in named:
                yield action, part, trees.show(atom)
                yield action, part, trees.show(("not", atom))


def _atoms(scope: trees.Scope, vocabulary: Vocabulary) -> Iterator[trees.Tree]:
    """Every well-typed atom over the variables, predicates in the order of their declaration."""
    for predicate, parameters in vocabulary.predicates.items():
        fitting = [
            [name for name, kind in scope if vocabulary.types.is_subtype(kind, wanted)]
            for _, wanted in parameters
        ]
        yield from ((predicate, *arguments) for arguments in product(*fitting))
