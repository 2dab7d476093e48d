"""Domains that are wrong in one literal, or lack some: material for studies of whatever should notice.

A mutation changes one term (see `terms`) of one action: it is removed, turned into its negation (an added
atom becomes a deleted one), or has two arguments swapped; or a literal is added to the conjunction of the
precondition or the effect. Only typed candidates are made: every argument fits the declaration of its
predicate, so the text reads without an error. All possible mutations are listed in a fixed order that depends
on the domain alone, and samples on the generator.

A mutation may leave the meaning as it was (a precondition that always holds, say): being another text does
not make a domain wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product

import numpy as np

from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Scope,
    Term,
    Tree,
    literal_of,
    replace_at,
    show,
    terms,
    terms_in,
    tree_of,
    with_part,
    without_terms,
)
from envs.pddl.language.vocabulary import Vocabulary


class MutationKind(StrEnum):
    """What is done to the literal."""

    REMOVE = "remove"
    ADD = "add"
    FLIP = "flip"
    SWAP = "swap"


@dataclass(frozen=True)
class Mutation:
    """One change of one literal. Plain data; `mutated` makes the text."""

    kind: MutationKind
    action: str
    part: Part
    path: tuple[int, ...]  #: of the term changed; empty for an added one
    before: str  #: the literal as it was, empty for an added one
    after: str  #: the literal as it is, empty for a removed one

    def __str__(self) -> str:
        change = " to ".join(text for text in (self.before, self.after) if text)
        return f"{self.kind} {change} in the {self.part} of {self.action}"


def mutations(domain: Domain) -> Mapping[MutationKind, tuple[Mutation, ...]]:
    """Every typed single-literal mutation of a domain, by kind."""
    tree = tree_of(domain)
    own = terms_in(tree)
    return {
        MutationKind.REMOVE: tuple(_change(MutationKind.REMOVE, term, "") for term in own),
        MutationKind.ADD: tuple(_additions(tree, domain.vocabulary)),
        MutationKind.FLIP: tuple(
            _change(MutationKind.FLIP, term, show(negated(term.literal))) for term in own
        ),
        MutationKind.SWAP: tuple(m for term in own for m in _swaps(term, domain.vocabulary)),
    }


def sample_mutations(domain: Domain, count: int, rng: np.random.Generator) -> tuple[Mutation, ...]:
    """`count` different mutations, or all if there are fewer; the kinds take turns, as long as they last."""
    queues = [_shuffled(listed, rng) for listed in mutations(domain).values()]
    chosen: list[Mutation] = []
    while len(chosen) < count and any(queues):
        chosen += [queue.pop() for queue in queues if queue]
    return tuple(chosen[:count])


def sample_terms(domain: Domain, count: int, rng: np.random.Generator) -> tuple[Term, ...]:
    """`count` different terms, uniformly, in the domain's order. Raises ValueError if it has fewer."""
    own = terms(domain)
    if count > len(own):
        raise ValueError(f"domain {domain.name!r} has {len(own)} terms, {count} cannot be drawn")
    order = np.argsort(rng.random(len(own)), kind="stable")[:count]
    return tuple(own[i] for i in np.sort(order).tolist())


def mutated(domain: Domain, mutation: Mutation) -> str:
    """The text of the domain with one mutation. Raises ValueError if it is none of this domain."""
    tree = tree_of(domain)
    if mutation.kind is MutationKind.ADD:
        whole = tree.part(mutation.action, mutation.part)
        added = with_part(whole, literal_of(mutation.after))
        return tree.replaced(mutation.action, mutation.part, added).render()
    place = (mutation.action, mutation.part, mutation.path, mutation.before)
    term = next((t for t in terms_in(tree) if (t.action, t.part, t.path, t.text) == place), None)
    if term is None:
        raise ValueError(f"domain {domain.name!r} has no such term: {mutation}")
    if mutation.kind is MutationKind.REMOVE:
        return without_terms(domain, (term,))
    whole = tree.part(term.action, term.part)
    changed = replace_at(whole, term.path, literal_of(mutation.after))
    return tree.replaced(term.action, term.part, changed).render()


def negated(literal: Tree) -> Tree:
    """The opposite literal; never doubly negated."""
    return literal[1] if literal[0] == "not" else ("not", literal)


def _shuffled(listed: tuple[Mutation, ...], rng: np.random.Generator) -> list[Mutation]:
    return [listed[i] for i in np.argsort(rng.random(len(listed)), kind="stable").tolist()]


def _change(kind: MutationKind, term: Term, after: str) -> Mutation:
    return Mutation(kind, term.action, term.part, term.path, term.text, after)


def _swaps(term: Term, vocabulary: Vocabulary) -> Iterator[Mutation]:
    """Every pair of different arguments that fit in each other's place."""
    negative = term.literal[0] == "not"
    atom = term.literal[1] if negative else term.literal
    declared = vocabulary.predicates.get(show(atom[0]))
    if declared is None:  # equality is symmetric
        return
    kinds = {**vocabulary.constants, **dict(term.scope)}
    for i, j in combinations(range(1, len(atom)), 2):
        crossed = ((show(atom[j]), declared[i - 1][1]), (show(atom[i]), declared[j - 1][1]))
        fits = all(vocabulary.types.is_subtype(kinds[name], kind) for name, kind in crossed)
        if fits and atom[i] != atom[j]:
            changed = (*atom[:i], atom[j], *atom[i + 1 : j], atom[i], *atom[j + 1 :])
            yield _change(MutationKind.SWAP, term, show(("not", changed) if negative else changed))


def _additions(tree: DomainTree, vocabulary: Vocabulary) -> Iterator[Mutation]:
    """Every literal over an action's variables whose atom its precondition (or effect) does not name."""
    for action in tree.actions:
        atoms = tuple(_atoms(tree.parameters(action), vocabulary))
        for part in Part:
            named = {t.literal[-1] if t.literal[0] == "not" else t.literal
                     for t in terms_in(tree) if (t.action, t.part) == (action, part)}  # fmt: skip
            for atom in atoms:
                if atom not in named:
                    for literal in (atom, ("not", atom)):
                        yield Mutation(MutationKind.ADD, action, part, (), "", show(literal))


def _atoms(scope: Scope, vocabulary: Vocabulary) -> Iterator[Tree]:
    """Every well-typed atom over the variables, predicates in the order of their declaration."""
    for predicate, parameters in vocabulary.predicates.items():
        fitting = [
            [name for name, kind in scope if vocabulary.types.is_subtype(kind, wanted)]
            for _, wanted in parameters
        ]
        yield from ((predicate, *arguments) for arguments in product(*fitting))
