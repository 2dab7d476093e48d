"""Tasks of `termes`: towers to be built on a grid, some of which may stand already.

Solvable by construction. Every action can be undone, so it is enough that the first and the last state can
both be reached from the empty grid. A tower of height k can be added if from one of its neighbours on there
is a path of k free positions, whose last one is connected to the depot by free positions off the path. The
last one may be the depot itself, the others may not. A staircase is built along the path, layer by layer, the
tower on top of it, and the staircase is taken down again. Towers without such a path are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, pick, shuffled

Position = tuple[int, int]


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError for towers that cannot be, or nothing to do.

    Drawing also raises ValueError if a grid has no room for its towers.
    """

    columns: int = 3  #: at least 1
    rows: int = 3  #: at least 1
    max_height: int = 2  #: at least 1; no tower, nor what is built on the way, is higher
    towers: tuple[int, ...] = (2,)  #: the heights of the towers wanted, at least one
    standing: tuple[int, ...] = ()  #: the heights of the towers that stand at first

    def __post_init__(self) -> None:
        if not self.towers or not all(1 <= h <= self.max_height for h in (*self.towers, *self.standing)):
            raise ValueError(f"{self}: it takes a tower at least, and none over the greatest height")


SIZES: tuple[Size, ...] = (
    Size(3, 3, 2, (2,)),
    Size(3, 3, 2, (1, 1)),
    Size(3, 3, 2, (2, 1), (1,)),
    Size(4, 3, 2, (2, 1)),
    Size(4, 3, 2, (1, 1, 1), (2,)),
    Size(4, 3, 2, (2, 2)),
    Size(3, 3, 3, (3,)),
    Size(4, 3, 3, (3,)),
    Size(4, 4, 3, (3,), (1,)),
    Size(4, 4, 3, (3, 1)),
)
_ATTEMPTS = 1000


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. The goal gives the height of every position, and that no block is carried."""
    grid = [(column, row) for column in range(size.columns) for row in range(size.rows)]
    border = [p for p in grid if p[0] in (0, size.columns - 1) or p[1] in (0, size.rows - 1)]
    for _ in range(_ATTEMPTS):
        depot = pick(rng, border)
        standing = _built(rng, grid, depot, size.standing)
        wanted = _built(rng, grid, depot, size.towers)
        if standing is not None and wanted is not None and standing != wanted:
            start = pick(rng, _reached(depot, [p for p in grid if p not in standing]))
            return _facts(size, grid, depot, start, standing, wanted)
    raise ValueError(f"{size}: the grid has no room for the towers")


def _facts(
    size: Size,
    grid: list[Position],
    depot: Position,
    start: Position,
    standing: dict[Position, int],
    wanted: dict[Position, int],
) -> TaskFacts:
    heights = [f"n{height}" for height in range(size.max_height + 1)]
    init: list[GroundAtom] = [("height", _name(p), heights[standing.get(p, 0)]) for p in grid]
    init.append(("at", _name(start)))
    init += [("succ", upper, lower) for lower, upper in pairwise(heights)]
    init += [("neighbor", _name(p), _name(q)) for p in grid for q in _beside(p, grid)]
    init.append(("is-depot", _name(depot)))
    goal = [(True, ("height", _name(p), heights[wanted.get(p, 0)])) for p in grid]
    objects = dict.fromkeys(heights, "numb") | {_name(p): "position" for p in grid}
    return TaskFacts(objects, tuple(init), (*goal, (False, ("has-block",))))


def _built(
    rng: np.random.Generator, grid: list[Position], depot: Position, heights: tuple[int, ...]
) -> dict[Position, int] | None:
    """Towers of these heights that can be built one after the other; None if one finds no place."""
    towers: dict[Position, int] = {}
    for height in heights:
        places = [p for p in shuffled(rng, grid) if p != depot and p not in towers]
        place = next((p for p in places if _can_add(p, height, grid, depot, towers)), None)
        if place is None:
            return None
        towers[place] = height
    return towers


def _can_add(
    place: Position, height: int, grid: list[Position], depot: Position, towers: dict[Position, int]
) -> bool:
    free = [p for p in grid if p not in towers and p != place]
    for *stairs, foot in _paths(place, height, free):
        if depot not in stairs and foot in _reached(depot, [p for p in free if p not in stairs]):
            return True
    return False


def _paths(place: Position, length: int, free: list[Position]) -> Iterator[tuple[Position, ...]]:
    """Paths of `length` different free positions, the first of them beside `place`."""
    if length == 0:
        yield ()
        return
    for step in _beside(place, free):
        for rest in _paths(step, length - 1, [p for p in free if p != step]):
            yield (step, *rest)


def _reached(start: Position, free: list[Position]) -> list[Position]:
    """The free positions that are connected to `start`, itself among them."""
    reached = [start]
    for position in reached:
        reached += [p for p in _beside(position, free) if p not in reached]
    return reached


def _beside(position: Position, among: list[Position]) -> list[Position]:
    return [p for p in among if abs(p[0] - position[0]) + abs(p[1] - position[1]) == 1]


def _name(position: Position) -> str:
    return f"pos-{position[0]}-{position[1]}"
