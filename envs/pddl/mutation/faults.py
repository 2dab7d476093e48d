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
replaced. Nested ones are all in what stands below a `when`, an `or` or a quantifier. Faults of other kinds
(`parameters`, `omissions`, `parameter_types`) concern a predicate, an action or a parameter each; of
predicates, the problems too. Every broken domain reads without an error and none is the original, though a
fault may leave the meaning as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import combinations, product
from typing import Any, TypeAlias, TypeVar

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
    parsed,
    replace_at,
    show,
    show_sections,
    terms,
    terms_in,
    tree_of,
)
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.mutation.literals import LiteralFault, is_nested, is_within, piece_at, with_literals
from envs.pddl.mutation.omissions import (
    MissingAction,
    MissingPredicate,
    missing_actions,
    missing_predicates,
    without_action,
    without_facts,
    without_predicate,
)
from envs.pddl.mutation.parameter_types import TypeFault, type_faults, with_type
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults

T = TypeVar("T")


class MutationKind(StrEnum):
    """What is done to the literal."""

    REMOVE = "remove"
    ADD = "add"
    FLIP = "flip"
    SWAP = "swap"


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
    NESTED = "nested"  #: any of the first three, below a `when`, an `or` or a quantifier
    ACTION = "action"  #: an action is missing
    PREDICATE = "predicate"  #: a predicate is missing, everywhere
    TYPE = "type"  #: the type of an action's parameter is too narrow or too wide


#: The kinds that concern one literal.
_LITERAL_KINDS = (BreakKind.REMOVED, BreakKind.ADDED, BreakKind.ARGUMENTS)
#: A fault of any kind.
Fault: TypeAlias = LiteralFault | ParameterFault | MissingAction | MissingPredicate | TypeFault


@dataclass(frozen=True)
class Broken:
    """A domain with faults."""

    domain: str  #: its text
    faults: tuple[Fault, ...]

    def problem(self, original: Problem, words: Domain | None = None) -> str:
        """The text of one of the original domain's problems, as the broken domain states it.

        With `words`, in those of a domain in which some of the predicates may be as they were.
        """
        text, problem = render_problem(original), original
        for fault in self.faults:
            if isinstance(fault, ParameterFault) and not _is_undone(fault, original.domain, words):
                text = faulty_problem(problem, fault)
                problem = read_problem(text, read_domain(faulty_domain(problem.domain, fault)))
            elif isinstance(fault, MissingPredicate) and not _is_undone(fault, original.domain, words):
                text = show_sections([without_facts(section, fault) for section in parsed(text)])
        return text


def _is_undone(fault: ParameterFault | MissingPredicate, original: Domain, words: Domain | None) -> bool:
    """Whether a domain declares the predicate with as many parameters as the original does."""
    declared = None if words is None else words.predicates.get(fault.predicate)
    return declared is not None and len(declared) == len(original.predicates[fault.predicate])


def break_domain(
    domain: Domain, kind: BreakKind, count: int, rng: np.random.Generator, kept: Collection[str] = ()
) -> Broken:
    """The domain with `count` faults of that kind, or as many as it can have.

    Predicates that are `kept`, such as those that goals name, are not among the missing ones. Raises
    ValueError if it can have none, or if `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"{count} faults cannot be made")
    if kind is BreakKind.PARAMETER:
        broken = _in_turn(domain, count, rng, parameter_faults, faulty_domain)
    elif kind is BreakKind.TYPE:
        broken = _in_turn(domain, count, rng, type_faults, with_type)
    elif kind is BreakKind.ACTION:
        most = min(count, len(domain.actions) // 2)
        broken = _in_turn(domain, most, rng, missing_actions, without_action)
    elif kind is BreakKind.PREDICATE:
        most = min(count, len(missing_predicates(domain)) // 2)
        broken = _in_turn(domain, most, rng, partial(missing_predicates, kept=kept), without_predicate)
    else:
        drawn = _literals(domain, kind, count, rng)
        broken = Broken(with_literals(domain, drawn), tuple(drawn))
    if not broken.faults:
        raise ValueError(f"domain {domain.name!r} cannot be broken in this way: {kind}")
    return broken


def is_plain(domain: Domain, fault: Fault) -> bool:
    """Whether a fault is of a predicate's parameter, or of a literal at the top of its part, no equality."""
    if not isinstance(fault, LiteralFault):
        return isinstance(fault, ParameterFault)
    return not is_nested(tree_of(domain), fault.place) and _head(fault.before or fault.after) != "="


def is_unread(domain: Domain, fault: Fault) -> bool:
    """Whether a fault is in an effect on a predicate that no action tests, so that no walk shows it."""
    if not isinstance(fault, LiteralFault) or fault.part is Part.PRECONDITION:
        return False
    tested = {term.place: term.atom[0] for term in terms_in(tree_of(domain)) if term.condition}
    if any(is_within(place, fault.place) for place in tested if fault.path):
        return False  # in the condition of a `when`
    return fault.place not in tested and _head(fault.before or fault.after) not in tested.values()


def _in_turn(
    domain: Domain,
    count: int,
    rng: np.random.Generator,
    listed: Callable[[Domain], Sequence[Any]],
    made: Callable[[Domain, Any], str],
) -> Broken:
    """Faults of as many predicates, actions or parameters, one after another."""
    chosen: list[Any] = []
    text = ""
    while len(chosen) < count:
        touched = {fault.subject for fault in chosen}
        possible = [fault for fault in listed(domain) if fault.subject not in touched]
        if not possible:
            break
        chosen.append(shuffled(possible, rng)[0])
        text = made(domain, chosen[-1])
        domain = read_domain(text)
    return Broken(text, tuple(chosen))


def _literals(domain: Domain, kind: BreakKind, count: int, rng: np.random.Generator) -> list[LiteralFault]:
    """Faults of different terms and new literals."""
    kinds = (kind,) if kind in _LITERAL_KINDS else _LITERAL_KINDS
    possible = nested_faults(domain) if kind is BreakKind.NESTED else single_faults(domain)
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
    """Whether both concern one term, bring the same atom into one part, or one is in what another joins."""
    if (one.action, one.part) != (other.action, other.part):
        return False
    both = ((one, other), (other, one))
    joins = any(is_within(a.place, b.place) for a, b in both if b.path and not b.before)
    brought = [atom_of(literal_of(fault.after)) for fault in (one, other) if fault.after]
    same = len(brought) == 2 and brought[0] == brought[1]
    return joins or same or (bool(one.before) and one.path == other.path)


def nested_faults(domain: Domain) -> Mapping[BreakKind, list[LiteralFault]]:
    """As `single_faults`, of what stands below a `when`, an `or` or a quantifier."""
    tree = tree_of(domain)
    deep = [term for term in terms_in(tree) if is_nested(tree, term.place)]
    places = {term.place for term in deep}
    found = {kind: [f for f in own if f.place in places] for kind, own in single_faults(domain).items()}
    bodies: dict[Place, Term] = {}
    for term in deep:  # what a literal may join: a conjunction, or a literal alone
        above = (term.action, term.part, term.path[:-1])
        bodies.setdefault(above if piece_at(tree, above)[0] == "and" else term.place, term)
    found[BreakKind.ADDED] = [
        LiteralFault(*place, "", show(literal))
        for place, term in bodies.items()
        for atom in domain.vocabulary.atoms(term.scope)
        if not any(is_within(other.place, place) and other.atom == atom for other in deep)
        for literal in (atom, ("not", atom))
    ]
    return found


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
