"""Whole actions and whole predicates that a domain lacks.

Who writes a domain from a description may forget an action, or that something has to be remembered at all. A
predicate goes everywhere: its declaration, all conditions and effects on it, and what problems say of it. One
that no action names is never among them, and no more than half of the actions, or of the predicates that
actions name, may be missing: what lacks more is the beginning of a model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import Part, Tree, forgetting, terms_in, tree_of


@dataclass(frozen=True)
class MissingAction:
    """An action that the domain lacks."""

    action: str

    @property
    def subject(self) -> str:
        """What it concerns: no two faults of one domain concern the same."""
        return self.action

    def __str__(self) -> str:
        return f"left out the action {self.action}"


@dataclass(frozen=True)
class MissingPredicate:
    """A predicate that the domain lacks, and its problems too."""

    predicate: str

    @property
    def subject(self) -> str:
        """What it concerns: no two faults of one domain concern the same."""
        return self.predicate

    def __str__(self) -> str:
        return f"left out the predicate {self.predicate}"


def missing_actions(domain: Domain) -> tuple[MissingAction, ...]:
    """Each action as one that may be missing."""
    return tuple(map(MissingAction, domain.actions))


def without_action(domain: Domain, fault: MissingAction) -> str:
    """The text of the domain without that action. Raises KeyError if it has no such action."""
    return tree_of(domain).without_action(fault.action).render()


def missing_predicates(domain: Domain, kept: Collection[str] = ()) -> tuple[MissingPredicate, ...]:
    """Each predicate that some action names as one that may be missing, without those to be `kept`."""
    named = {term.atom[0] for term in terms_in(tree_of(domain))}
    return tuple(MissingPredicate(p) for p in domain.predicates if p in named and p not in kept)


def without_predicate(domain: Domain, fault: MissingPredicate) -> str:
    """The text of the domain without that predicate. Raises KeyError if it has no such predicate."""
    if fault.predicate not in domain.predicates:
        raise KeyError(f"domain {domain.name!r} has no predicate {fault.predicate!r}")
    tree = tree_of(domain).declaring(fault.predicate, None)
    for action in tree.actions:
        for part in Part:
            tree = tree.replaced(action, part, forgetting(tree.part(action, part), fault.predicate))
    return tree.render()


def without_facts(section: Tree, fault: MissingPredicate) -> Tree:
    """A section of a problem that says nothing of the predicate; a goal of nothing else is `(and)`."""
    if section[0] == ":init":
        return tuple(fact for fact in section if fact[0] != fault.predicate)
    return (":goal", forgetting(section[1], fault.predicate)) if section[0] == ":goal" else section
