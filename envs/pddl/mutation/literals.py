"""One literal that is missing, too many, or another one, at any depth; and domains with such faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envs.pddl.language.domain import read_domain
from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import DomainTree, Part, Place, Tree, literal_of, terms_in, tree_of, with_part


@dataclass(frozen=True)
class LiteralFault:
    """One literal that is missing, too many, or another one. Plain data; `with_literals` makes the text."""

    action: str
    part: Part
    path: tuple[int, ...]  #: of the term; of an added literal, of what it joins: the whole part if empty
    before: str  #: the literal as it was, empty for an added one
    after: str  #: the literal as it is, empty for a removed one

    @property
    def place(self) -> Place:
        """Where the term stands, or what an added literal joins."""
        return self.action, self.part, self.path

    def __str__(self) -> str:
        place = f"the {self.part} of {self.action}"
        if not self.after:
            return f"removed {self.before} from {place}"
        if not self.before:
            return f"added {self.after} to {place}"
        return f"wrote {self.after} for {self.before} in {place}"


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
        elif fault.path and not fault.before:
            joined = with_part(piece_at(tree, fault.place), literal_of(fault.after))
            tree = tree.with_piece(fault.place, joined)
    tree = tree.without([fault.place for fault in faults if not fault.after])
    if any(fault.before or fault.path for fault in faults):  # conditions in their simplest form
        tree = tree_of(read_domain(tree.render()))
    for fault in faults:
        if not fault.before and not fault.path:
            tree = tree.with_literal(fault.action, fault.part, literal_of(fault.after))
    return tree.render()


def piece_at(tree: DomainTree, place: Place) -> Tree:
    """What stands at a place."""
    action, part, path = place
    piece = tree.part(action, part)
    for at in path:
        piece = piece[at]
    return piece


def is_nested(tree: DomainTree, place: Place) -> bool:
    """Whether a term stands below a `when`, an `or` or a quantifier."""
    path = place[2]
    return len(path) > 1 or (len(path) == 1 and tree.part(*place[:2])[0] != "and")


def is_within(place: Place, other: Place) -> bool:
    """Whether a place is the other one or within it."""
    return place[:2] == other[:2] and place[2][: len(other[2])] == other[2]
