"""Tasks of `storage`: crates to be brought into depots, most of them from containers.

A depot is a connected piece of a grid of store areas, one of which, its door, is connected to the load
area. So is every store area of a container, of which there are as many as crates.

Solvable by construction: order the areas of a depot by their distance from its door. At first crates stand
only on the last of them, so all hoists can leave for the load area, the one nearest to the door first. One
hoist can then take the crates out, nearest first, into the containers, which have room for all. Then it
fills every depot from the far end: the areas nearer to the door are clear, and so is the way. No depot is
to hold as many crates as it has areas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, sample, shuffled, sized

_LOAD_AREA = "loadarea"
_PER_CONTAINER = 4  # store areas of one container, at most
_STORED = 0.3  # chance that a crate starts in a depot

Cell = tuple[int, int]


@dataclass(frozen=True)
class Storage(TaskGenerator):
    """Tasks of `storage`. Raises ValueError if not everything would have room."""

    hoists: int = sized(1, (1, 2, 1, 2, 1, 2, 2, 3, 2, 3), least=1)
    crates: int = sized(2, (2, 2, 3, 3, 4, 4, 4, 5, 6, 6), least=1)  #: all of them are to be in depots
    depots: int = sized(1, (1, 1, 1, 1, 2, 2, 2, 2, 3, 3), least=1)
    #: store areas of each depot, at least 2: one of them is not needed in the end
    areas: int = sized(4, (4, 4, 5, 5, 4, 4, 5, 5, 4, 4))

    def _check(self) -> None:
        roomy = self.crates <= self.depots * (self.areas - 1)
        self.require(roomy, f"{self.crates} crates need more areas in the depots")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: every crate is to be in a depot, and the first one is in none at first."""
        depots = {name: _depot(rng, name, self.areas) for name in numbered("depot", self.depots)}
        crates, hoists = self.names("crate", "hoist")
        home = {area: place for place, depot in depots.items() for area in depot.areas}
        slots = {f"container{i // _PER_CONTAINER + 1}": i for i in range(self.crates)}
        shelves = {
            f"{container}-{i + 1}": container
            for container, last in slots.items()
            for i in range(last % _PER_CONTAINER + 1)
        }
        spot = _crate_spots(rng, depots, crates, list(shelves))
        place_of = {**home, **shelves}
        free = [area for area in home if area not in spot.values()]
        at = dict(zip(hoists, sample(rng, [*free, *[_LOAD_AREA] * self.hoists], self.hoists), strict=True))
        taken = {*spot.values(), *at.values()}
        doors = [*(depot.areas[0] for depot in depots.values()), *shelves]
        init = [
            *(("clear", area) for area in place_of if area not in taken),
            *(("in", area, place) for area, place in place_of.items()),
            *(("in", crate, place_of[area]) for crate, area in spot.items()),
            *(("available", hoist) for hoist in hoists),
            *(("at", hoist, area) for hoist, area in at.items()),
            *(("on", crate, area) for crate, area in spot.items()),
            *(("connected", *link) for depot in depots.values() for link in depot.links),
            *(("connected", *link) for door in doors for link in ((door, _LOAD_AREA), (_LOAD_AREA, door))),
        ]
        room = shuffled(rng, [place for place, depot in depots.items() for _ in depot.areas[1:]])
        wanted = (("in", crate, depot) for crate, depot in zip(crates, room, strict=False))
        objects = {
            **{"hoist": hoists, "crate": crates, "depot": depots, "container": slots},
            **{"storearea": (*sorted(home), *shelves), "transitarea": [_LOAD_AREA]},
        }
        return TaskFacts.of(objects, init, wanted)


@dataclass(frozen=True)
class _Depot:
    """A depot's store areas, the door first, then by their distance from it, and what is connected."""

    areas: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def _crate_spots(
    rng: np.random.Generator, depots: dict[str, _Depot], crates: list[str], shelves: list[str]
) -> dict[str, str]:
    """The store area on which each crate stands at first: those in a depot on the last of its areas."""
    ends = {place: list(depot.areas) for place, depot in depots.items()}
    free = shuffled(rng, shelves)
    spot = {}
    for number, crate in enumerate(crates):
        roomy = [areas for areas in ends.values() if len(areas) > 1]
        stored = number > 0 and roomy and rng.random() < _STORED
        spot[crate] = pick(rng, roomy).pop() if stored else free.pop()
    return spot


def _depot(rng: np.random.Generator, name: str, count: int) -> _Depot:
    """A random connected piece of a grid with a random door."""
    columns = math.isqrt(count - 1) + 1
    grid = {(i // columns + 1, i % columns + 1) for i in range(-(-count // columns) * columns)}
    cells = _grow(rng, grid, count)
    door = pick(rng, sorted(cells))
    order = [door]
    for cell in order:  # grows while it is walked: breadth first
        order += [near for near in _neighbours(cell) if near in cells and near not in order]
    areas = {cell: f"{name}-{cell[0]}-{cell[1]}" for cell in order}
    links = [(areas[a], areas[b]) for a in sorted(cells) for b in _neighbours(a) if b in cells]
    return _Depot(tuple(areas.values()), tuple(links))


def _grow(rng: np.random.Generator, grid: set[Cell], count: int) -> set[Cell]:
    """`count` connected cells of the grid."""
    cells = {pick(rng, sorted(grid))}
    while len(cells) < count:
        border = {near for cell in cells for near in _neighbours(cell) if near in grid} - cells
        cells.add(pick(rng, sorted(border)))
    return cells


def _neighbours(cell: Cell) -> tuple[Cell, ...]:
    row, column = cell
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)
