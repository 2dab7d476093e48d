"""Whether two domains say the same, the order of what they say aside.

Parts of a conjunction or a disjunction have no order and count once, and a conjunction in a conjunction is
one conjunction. Nothing else is seen through: two ways of saying the same in logic are two.
"""

from __future__ import annotations

from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import DomainTree, Part, Tree, show, tree_of


def same_rules(one: Domain, other: Domain) -> bool:
    """Whether both have the same predicates, and the same actions with the same parameters and literals.

    Names of the predicates' own variables do not count, those of the actions' do.
    """
    if _declared(one) != _declared(other) or set(one.actions) != set(other.actions):
        return False
    trees = tree_of(one), tree_of(other)
    return all(_rules(trees[0], action) == _rules(trees[1], action) for action in one.actions)


def canonical(tree: Tree) -> Tree:
    """The same condition or effect with the parts of every `and` and `or` sorted, each once."""
    if isinstance(tree, str):
        return tree
    parts = tuple(canonical(part) for part in tree)
    if not parts or parts[0] not in ("and", "or"):
        return parts
    flat = (inner for part in parts[1:] for inner in (part[1:] if part[:1] == parts[:1] else (part,)))
    kept = tuple(sorted(dict.fromkeys(flat), key=show))
    return kept[0] if len(kept) == 1 else (parts[0], *kept)


def _declared(domain: Domain) -> dict[str, tuple[str, ...]]:
    declared = domain.vocabulary.predicates.items()
    return {name: tuple(kind for _, kind in parameters) for name, parameters in declared}


def _rules(tree: DomainTree, action: str) -> tuple[object, ...]:
    return tree.parameters(action), *(canonical(tree.part(action, part)) for part in Part)
