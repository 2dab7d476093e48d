"""Domains in which several predicates over disjoint types go by one name."""

from __future__ import annotations

from dataclasses import replace

from envs.pddl.language.domain import Domain
from envs.pddl.language.terms import Part, Tree, tree_of
from envs.pddl.language.vocabulary import Types

#: What each predicate is called; one that is not named keeps its name.
Names = dict[str, str]


def mergeable(domain: Domain) -> Names:
    """Common names for predicates of as many places no two of which can be about the same objects."""
    groups: list[list[str]] = []
    for name, parameters in domain.vocabulary.predicates.items():
        for group in groups:
            if all(disjoint(domain, name, other) for other in group):
                group.append(name)
                break
        else:
            groups.append([name] if parameters else [])
    return {
        name: f"merged-{number}" for number, group in enumerate(groups) for name in group if len(group) > 1
    }


def disjoint(domain: Domain, one: str, other: str) -> bool:
    """Whether two predicates have as many places, and types that are unrelated at one of them."""
    kinds = [[kind for _, kind in domain.vocabulary.predicates[name]] for name in (one, other)]
    pairs = list(zip(*kinds, strict=False))
    return len(kinds[0]) == len(kinds[1]) and any(unrelated(domain.vocabulary.types, *pair) for pair in pairs)


def unrelated(types: Types, *kinds: str) -> bool:
    """Whether neither of two types, which are no unions, lies within the other."""
    return not any(k.startswith("(") or types.is_subtype(k, o) for k, o in (kinds, kinds[::-1]))


def merged(domain: Domain, names: Names) -> str:
    """The domain with these names; what they replace is declared once, of any objects."""
    tree = tree_of(domain)
    for action in tree.actions:
        for part in Part:
            tree = tree.replaced(action, part, renamed(tree.part(action, part), names))
    declared = tuple(_declared(part, names) for part in tree.sections)
    return replace(tree, sections=declared).render()


def renamed(tree: Tree, names: Names) -> Tree:
    """A condition or effect with other names of predicates."""
    head, *rest = tree
    if head in ("and", "or", "not", "when"):
        return (head, *(renamed(part, names) for part in rest))
    if head in ("forall", "exists"):
        return (head, rest[0], renamed(rest[1], names))
    return (names.get(head, head), *rest)


def _declared(section: Tree, names: Names) -> Tree:
    if section[:1] != (":predicates",):
        return section
    kept = [part for part in section[1:] if part[0] not in names]
    places = {names[part[0]]: sum(str(word).startswith("?") for word in part) for part in section[1:]
              if part[0] in names}  # fmt: skip
    return (":predicates", *kept, *((name, *(f"?x{k}" for k in range(n))) for name, n in places.items()))
