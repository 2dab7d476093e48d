"""The operators that a World's action interface and objects allow, by their types alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from envs.pddl.interface import World
from envs.pddl.language.operators import format_operator

#: An action interface with more operators than this is not enumerated.
MAX_OPERATORS = 2_000_000


def members_of(
    world: str, types: Mapping[str, str | None], objects: Mapping[str, str]
) -> Mapping[str, list[str]]:
    """Type name to its objects, those of its subtypes included; `object` has all.

    Raises ValueError, in the name of the world, for a type that `types` lacks or that is its own ancestor.
    """
    members: dict[str, list[str]] = {name: [] for name in ("object", *types)}
    for name, type_name in objects.items():
        current: str | None = type_name
        while current is not None and current != "object":
            if current not in types or name in members[current][-1:]:
                raise ValueError(f"world {world!r}: object {name!r} has {_fault(current, types)}")
            members[current].append(name)
            current = types[current]
        members["object"].append(name)
    return members


def _fault(type_name: str, types: Mapping[str, str | None]) -> str:
    if type_name in types:
        return f"the type {type_name!r}, which is its own ancestor: correct its parents"
    return f"the type {type_name!r}, which the world's types lack: add it to them"


def operators_of(world: World) -> tuple[str, ...]:
    """Every operator that the action interface and the object list allow, sorted.

    Raises ValueError if there are more than MAX_OPERATORS.
    """
    return tuple(sorted(_enumerate(world, members_of(world.name, world.types, world.objects))))


def _enumerate(world: World, members: Mapping[str, list[str]]) -> Iterator[str]:
    """The text of every well-typed operator. Raises ValueError if there are too many."""
    domains = {a.name: [members[p.type] for p in a.parameters] for a in world.actions}
    total = sum(prod(len(d) for d in columns) for columns in domains.values())
    if total > MAX_OPERATORS:
        raise ValueError(
            f"world {world.name!r} has {total} operators, more than {MAX_OPERATORS}: "
            "offer transitions() with its own, smaller operator list, or choose a smaller task"
        )
    return (format_operator(name, args) for name, columns in domains.items() for args in product(*columns))
