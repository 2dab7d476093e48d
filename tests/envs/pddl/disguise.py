"""A domain that says the same with other names and in another order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.alignment.errors_of import Alignment, PredicateMatch
from envs.pddl.language.domain import Domain
from envs.pddl.language.terms import DomainTree, Part, Tree, canonical, show, tree_of
from envs.pddl.language.vocabulary import OBJECT, Parameters, members_of, show_typed, union_of


@dataclass(frozen=True)
class Disguised:
    """The text, and the true names behind what is not a matter of taste."""

    text: str
    actions: dict[str, str]
    types: dict[str, str]
    constants: dict[str, str]


def disguise(domain: Domain, rng: np.random.Generator) -> Disguised:
    """Other names for everything; actions, parameters, arguments and parts of `and` and `or` shuffled."""
    return _Disguise(domain, rng).run()


class _Disguise:
    def __init__(self, domain: Domain, rng: np.random.Generator):
        self._domain, self._rng = domain, rng
        words = domain.vocabulary
        self._types = {name: f"kind{i}" for i, name in enumerate(words.types.parents)} | {OBJECT: OBJECT}
        self._constants = {name: f"thing{i}" for i, name in enumerate(words.constants)}
        self._predicates = {name: f"fact{i}" for i, name in enumerate(self._shuffled([*words.predicates]))}
        self._actions = {name: f"deed{i}" for i, name in enumerate(words.actions)}
        self._orders = {name: self._shuffled([*range(len(p))]) for name, p in words.predicates.items()}

    def run(self) -> Disguised:
        words, tree = self._domain.vocabulary, tree_of(self._domain)
        types = [(self._types[name], self._type(parent)) for name, parent in words.types.parents.items()]
        constants = [(self._constants[name], self._type(kind)) for name, kind in words.constants.items()]
        declared = [
            f"({self._predicates[name]} {show_typed(self._ordered(name, p))})"
            for name, p in words.predicates.items()
        ]
        actions = [self._action(tree, name) for name in self._shuffled([*words.actions])]
        text = (
            f"(define (domain d) (:requirements :adl)\n(:types {show_typed(types)})\n"
            f"(:constants {show_typed(constants)})\n"
            f"(:predicates {' '.join(self._shuffled(declared))})\n" + "\n".join(actions) + ")"
        )
        back = [
            {new: old for old, new in names.items()}
            for names in (self._actions, self._types, self._constants)
        ]
        return Disguised(text, *back)

    def _type(self, kind: str) -> str:
        return union_of(self._types[name] for name in members_of(kind))

    def _ordered(self, predicate: str, parameters: Parameters) -> list[tuple[str, str]]:
        return [(parameters[i][0], self._type(parameters[i][1])) for i in self._orders[predicate]]

    def _action(self, tree, name: str) -> str:
        parameters = tree.parameters(name)
        variables = {old: f"?v{i}" for i, (old, _) in enumerate(self._shuffled([*parameters]))}
        listed = [(variables[old], self._type(kind)) for old, kind in self._shuffled([*parameters])]
        parts = [show(self._tree(tree.part(name, part), variables)) for part in ("precondition", "effect")]
        return (
            f"(:action {self._actions[name]} :parameters ({show_typed(listed)})\n"
            f" :precondition {parts[0]}\n :effect {parts[1]})"
        )

    def _tree(self, tree: Tree, variables: dict[str, str]) -> Tree:
        head, *rest = tree
        if head == "increase":
            return ("and",)
        if head in ("and", "or"):
            parts = [self._tree(p, variables) for p in rest if p[0] != "increase"]
            return (head, *self._shuffled(parts))
        if head in ("not", "when"):
            return (head, *(self._tree(part, variables) for part in rest))
        if head in ("forall", "exists"):
            bound = {name: f"{name}-bound" for name in rest[0] if str(name).startswith("?")}
            listed = tuple(bound.get(n) or (n if n == "-" else self._type(show(n))) for n in rest[0])
            return (head, listed, self._tree(rest[1], variables | bound))
        terms = [variables.get(term) or self._constants[term] for term in rest]
        if head == "=":
            return (head, *self._shuffled(terms))
        return (self._predicates[head], *(terms[i] for i in self._orders[head]))

    def _shuffled(self, items: list) -> list:
        return [items[i] for i in self._rng.permutation(len(items))]


def undisguised(made: Domain, alignment: Alignment) -> DomainTree:
    """A domain's rules in the names of the one that it was aligned with; actions have true names already."""
    tree = tree_of(made)
    predicates = {match.made: match for match in alignment.predicates}
    for action in tree.actions:
        names = {theirs: own for own, theirs in alignment.parameters[action]}
        for part in Part:
            whole = _back(tree.part(action, part), predicates, names)
            tree = tree.replaced(action, part, canonical(whole))
    return tree


def _back(tree: Tree, predicates: dict[str, PredicateMatch], names: dict[str, str]) -> Tree:
    head, *rest = tree
    if head == "increase":
        return tree
    if head in ("forall", "exists"):
        return (head, rest[0], _back(rest[1], predicates, names))
    if head == "=":
        return (head, *sorted(names.get(term, term) for term in rest))
    match = predicates.get(head)
    if match is not None:
        return (match.true, *(names.get(rest[place], rest[place]) for place in match.places))
    return (head, *(_back(part, predicates, names) for part in rest))
