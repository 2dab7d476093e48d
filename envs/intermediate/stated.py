"""What a task has to state of its initial state, given that the rules of its world derive the rest.

Each world's part is the mirror image of its `rules.lp`. Where something lies in a grid is read off its name,
`pos-2-1`, as a person would, and stated only if the names agree with the facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts

_PLACE_IN_GRID = re.compile(r"[-_](\d+)[-_](\d+)$")


@dataclass(frozen=True)
class Cell:
    """An object in a grid."""

    grid: str  #: the helper predicate that says so
    row: int
    column: int
    name: str
    within: str = ""  #: the place that has a grid of its own, where there is more than one


@dataclass(frozen=True)
class Stated:
    """What there is to state."""

    init: tuple[GroundAtom, ...]
    cells: tuple[Cell, ...] = ()
    goal: tuple[Literal, ...] | None = None  #: all of it if None
    #: type of which the number alone is stated → the helper predicate that says so, and what it takes; an
    #: empty name stands for the number of objects itself
    counted: Mapping[str, tuple[str, int]] = field(default_factory=dict)


#: Of these predicates the rules derive everything, in all tasks of the world.
_DERIVED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "barman": frozenset(("ontable", "handempty", "empty", "shaker-empty-level", "shaker-level")),
        "blocksworld": frozenset(("ontable", "clear", "handempty")),
        "childsnack": frozenset(("not_allergic_gluten", "notexist")),
        "floortile": frozenset(("clear",)),
        "storage": frozenset(("clear", "available")),
        "tyreworld": frozenset(("closed", "on-ground", "not-inflated", "fastened", "unfastened", "free")),
    }
)


def stated(world: str, facts: TaskFacts) -> Stated:
    """What a task of a world has to state; everything if the world has no rules."""
    derived = _DERIVED.get(world, frozenset())
    init = tuple(atom for atom in facts.init if atom[0] not in derived)
    return _FURTHER[world](init, facts.objects) if world in _FURTHER else Stated(init)


def _floortile(init: tuple[GroundAtom, ...], objects: Mapping[str, str]) -> Stated:
    """The tiles in a grid, instead of which lies on which side of which."""
    cells = cells_by_name("tile_grid", (name for name, kind in objects.items() if kind == "tile"))
    above, right = beside(cells, 1, 0), beside(cells, 0, 1)
    follows: set[GroundAtom] = set()
    for one, other in above:
        follows |= {("up", one, other), ("down", other, one)}
    for one, other in right:
        follows |= {("right", one, other), ("left", other, one)}
    return _with_grid(init, cells, follows)


def _termes(init: tuple[GroundAtom, ...], objects: Mapping[str, str]) -> Stated:
    """The positions in a grid, instead of their neighbours; no position that is on the ground."""
    above = {atom[1] for atom in init if atom[0] == "succ"}
    ground = {atom[2] for atom in init if atom[0] == "succ"} - above
    raised = tuple(atom for atom in init if atom[0] != "height" or atom[2] not in ground)
    cells = cells_by_name("position_grid", (name for name, kind in objects.items() if kind == "position"))
    return _with_grid(raised, cells, _both_ways("neighbor", _near(cells)))


def _storage(init: tuple[GroundAtom, ...], objects: Mapping[str, str]) -> Stated:
    """The areas of a place in a grid, each other connection in one direction, no crate in a place."""
    place_of = {atom[1]: atom[2] for atom in init if atom[0] == "in"}
    said = tuple(atom for atom in init if atom[0] != "in" or objects[atom[1]] != "crate")
    cells = cells_by_name("area_grid", (name for name, kind in objects.items() if kind == "storearea"))
    near = [(a, b) for a, b in _near(cells) if place_of.get(a) == place_of.get(b)]
    outline = _with_grid(said, cells, _both_ways("connected", near))
    order = {name: number for number, name in enumerate(objects)}
    once = (a for a in outline.init if a[0] != "connected" or order[a[1]] <= order[a[2]])
    return Stated(tuple(once), outline.cells)


def _miconic(init: tuple[GroundAtom, ...], objects: Mapping[str, str]) -> Stated:
    """Of every floor only the next one above it."""
    above = {atom[1:] for atom in init if atom[0] == "above"}

    def follows(low: str, high: str) -> bool:
        return any((low, between) in above and (between, high) in above for between in objects)

    return Stated(tuple(atom for atom in init if atom[0] != "above" or not follows(atom[1], atom[2])))


_FURTHER: Mapping[str, Callable[[tuple[GroundAtom, ...], Mapping[str, str]], Stated]] = MappingProxyType(
    {"floortile": _floortile, "miconic": _miconic, "storage": _storage, "termes": _termes}
)


def cells_by_name(grid: str, names: Iterable[str]) -> tuple[Cell, ...]:
    """Those of the objects whose names say where they lie."""
    places = ((name, _PLACE_IN_GRID.search(name)) for name in names)
    return tuple(Cell(grid, int(place[1]), int(place[2]), name) for name, place in places if place)


def beside(cells: Iterable[Cell], rows: int, columns: int) -> Iterator[tuple[str, str]]:
    """Each object with the one that lies so many rows and columns before it, or with several such."""
    at: dict[tuple[int, int], list[str]] = {}
    for cell in cells:
        at.setdefault((cell.row, cell.column), []).append(cell.name)
    for (row, column), names in at.items():
        for before in at.get((row - rows, column - columns), ()):
            yield from ((name, before) for name in names)


def _near(cells: tuple[Cell, ...]) -> list[tuple[str, str]]:
    return [*beside(cells, 1, 0), *beside(cells, 0, 1)]


def _both_ways(predicate: str, pairs: Iterable[tuple[str, str]]) -> set[GroundAtom]:
    return {atom for one, other in pairs for atom in ((predicate, one, other), (predicate, other, one))}


def _with_grid(init: tuple[GroundAtom, ...], cells: tuple[Cell, ...], follows: set[GroundAtom]) -> Stated:
    """The grid instead of what follows from it, unless that is not all true."""
    if not follows <= set(init):
        return Stated(init)
    return Stated(tuple(atom for atom in init if atom not in follows), cells)
