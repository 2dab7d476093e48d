"""What names and signatures allow: the objects of each type, all well-typed operators, all atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from envs.pddl.interface import HasSignatures, ShowsStates, World
from envs.pddl.language.operators import format_operator
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import OBJECT

#: More operators than this are not enumerated.
MAX_OPERATORS = 2_000_000


def members_by_type(world: HasSignatures) -> Mapping[str, tuple[str, ...]]:
    """Type name to its objects, those of its subtypes included; `object` has all.

    Raises ValueError, in the name of the world, for a type that `types` lacks or that is its own ancestor.
    """
    types = world.types
    members: dict[str, list[str]] = {kind: [] for kind in (OBJECT, *types)}
    for name, kind in world.objects.items():
        above: str | None = kind
        while above is not None and above != OBJECT:
            if above not in types or name in members[above][-1:]:
                own = "is its own ancestor: correct its parents"
                fault = own if above in types else "the world's types lack: add it"
                raise ValueError(f"{_named(world)}: object {name!r} has the type {above!r}, which {fault}")
            members[above].append(name)
            above = types[above]
        members[OBJECT].append(name)
    return {kind: tuple(names) for kind, names in members.items()}


def _named(world: HasSignatures) -> str:
    return f"world {getattr(world, 'name', type(world).__name__)!r}"


def operators_of(world: HasSignatures, most: int = MAX_OPERATORS) -> tuple[str, ...]:
    """Every well-typed operator, sorted. Raises ValueError if there are more than `most`."""
    members = members_by_type(world)
    columns = {a.name: [members[p.type] for p in a.parameters] for a in world.actions}
    found = _grounded(f"{_named(world)} has %d operators", columns, most)
    return tuple(sorted(format_operator(name, arguments) for name, arguments in found))


def atoms_of(world: World, most: int) -> tuple[GroundAtom, ...]:
    """Every well-typed atom of a world that shows its states, sorted.

    Raises TypeError for another world, ValueError if there are more than `most`.
    """
    if not isinstance(world, ShowsStates):
        raise TypeError(f"world {world.name!r} does not show its states: give it facts, predicates and goal")
    members = members_by_type(world)
    columns = {name: [members[kind] for _, kind in of] for name, of in world.predicates.items()}
    found = _grounded(f"{_named(world)} has %d atoms", columns, most)
    return tuple(sorted((name, *arguments) for name, arguments in found))


def _grounded(
    what: str, columns: Mapping[str, list[tuple[str, ...]]], most: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    total = sum(prod(map(len, each)) for each in columns.values())
    if total > most:
        advice = "choose a smaller task, or a world that offers transitions() with its own list"
        raise ValueError(f"{what % total}, more than {most}: {advice}")
    return ((name, arguments) for name, each in columns.items() for arguments in product(*each))
