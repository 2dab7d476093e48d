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

from envs.tasks import TaskFacts, TaskGenerator, pick, shuffled, sized

Position = tuple[int, int]
_Towers = dict[Position, int]  # the heights of the towers, by place
_ATTEMPTS = 1000


@dataclass(frozen=True)
class Termes(TaskGenerator):
    """Tasks of `termes`. Raises ValueError for towers that cannot be, or nothing to do.

    Drawing also raises ValueError if a grid has no room for its towers.
    """

    columns: int = sized(3, (3, 3, 3, 4, 4, 4, 3, 4, 4, 4), least=1)
    rows: int = sized(3, (3, 3, 3, 3, 3, 3, 3, 3, 4, 4), least=1)
    #: no tower, nor what is built on the way, is higher
    max_height: int = sized(2, (2, 2, 2, 2, 2, 2, 3, 3, 3, 3), least=1)
    #: the heights of the towers wanted, at least one
    towers: tuple[int, ...] = sized(
        (2,), ((2,), (1, 1), (2, 1), (2, 1), (1, 1, 1), (2, 2), (3,), (3,), (3,), (3, 1))
    )
    #: the heights of the towers that stand at first
    standing: tuple[int, ...] = sized((), ((), (), (1,), (), (2,), (), (), (), (1,), ()))

    def _check(self) -> None:
        low = self.towers and all(1 <= h <= self.max_height for h in (*self.towers, *self.standing))
        self.require(bool(low), "it takes a tower at least, and none over the greatest height")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. The goal gives the height of every position, and that no block is carried."""
        grid = [(column, row) for column in range(self.columns) for row in range(self.rows)]
        border = [p for p in grid if p[0] in (0, self.columns - 1) or p[1] in (0, self.rows - 1)]
        for _ in range(_ATTEMPTS):
            depot = pick(rng, border)
            standing = _built(rng, grid, depot, self.standing)
            wanted = _built(rng, grid, depot, self.towers)
            if standing is not None and wanted is not None and standing != wanted:
                start = pick(rng, _reached(depot, [p for p in grid if p not in standing]))
                return self._task(grid, depot, start, standing, wanted)
        raise ValueError(f"{self}: the grid has no room for the towers")

    def _task(
        self, grid: list[Position], depot: Position, start: Position, standing: _Towers, wanted: _Towers
    ) -> TaskFacts:
        heights = [f"n{height}" for height in range(self.max_height + 1)]
        init = [
            *(("height", _name(p), heights[standing.get(p, 0)]) for p in grid),
            ("at", _name(start)),
            *(("succ", upper, lower) for lower, upper in pairwise(heights)),
            *(("neighbor", _name(p), _name(q)) for p in grid for q in _beside(p, grid)),
            ("is-depot", _name(depot)),
        ]
        goal = [("height", _name(p), heights[wanted.get(p, 0)]) for p in grid]
        objects = {"numb": heights, "position": map(_name, grid)}
        return TaskFacts.of(objects, init, goal, unwanted=[("has-block",)])


def _built(
    rng: np.random.Generator, grid: list[Position], depot: Position, heights: tuple[int, ...]
) -> _Towers | None:
    """Towers of these heights that can be built one after the other; None if one finds no place."""
    towers: _Towers = {}
    for height in heights:
        places = [p for p in shuffled(rng, grid) if p != depot and p not in towers]
        place = next((p for p in places if _can_add(p, height, grid, depot, towers)), None)
        if place is None:
            return None
        towers[place] = height
    return towers


def _can_add(place: Position, height: int, grid: list[Position], depot: Position, towers: _Towers) -> bool:
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
