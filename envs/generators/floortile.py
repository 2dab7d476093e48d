"""Tasks of `floortile`: the upper rows of a floor to be painted in the pattern of a chessboard.

Solvable by construction: row 0 is never painted and there are no more robots than columns. As any robot can
take any color, it does not matter which robot stands where, and on a clear floor robots can always spread out
to different tiles of row 0. From there each paints some neighbouring columns, one after the other: it climbs
up the column, paints the tile above it, steps down, and so on until it stands in row 0 again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, sample

_COLORS = ("white", "black", "red")
_DIRECTIONS = {"up": (1, 0), "down": (-1, 0), "right": (0, 1), "left": (0, -1)}
Tile = tuple[int, int]


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError for a size that may not be solvable, or has nothing to do."""

    rows: int = 3  #: at least 2; row 0 is the bottom row
    columns: int = 3  #: at least 1
    robots: int = 1  #: at least 1, at most as many as columns
    painted_rows: int = 1  #: how many rows are to be painted, from the top; fewer than there are
    colors: int = 2  #: 1 to 3

    def __post_init__(self) -> None:
        if not 1 <= self.painted_rows < self.rows:
            raise ValueError(f"{self}: paint at least one row, and not the bottom row")
        if not 1 <= self.robots <= self.columns or not 1 <= self.colors <= len(_COLORS):
            raise ValueError(f"{self}: it takes 1 robot at least, a column for each, and 1 to 3 colors")


SIZES: tuple[Size, ...] = (
    Size(3, 2, 1, 1),
    Size(3, 3, 1, 1),
    Size(3, 3, 2, 1),
    Size(3, 3, 2, 2),
    Size(4, 2, 2, 3),
    Size(4, 3, 2, 2),
    Size(4, 3, 2, 3),
    Size(4, 4, 2, 1),
    Size(4, 4, 2, 2),
    Size(5, 3, 2, 3),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. No tile is painted at first."""
    tiles = [(row, column) for row in range(size.rows) for column in range(1, size.columns + 1)]
    colors = _COLORS[: size.colors]
    robots = [f"robot{number}" for number in range(1, size.robots + 1)]
    places = sample(rng, tiles, size.robots)
    init: list[GroundAtom] = [("robot-at", r, _name(t)) for r, t in zip(robots, places, strict=True)]
    init += [("robot-has", robot, colors[place % size.colors]) for place, robot in enumerate(robots)]
    init += [("available-color", color) for color in colors]
    init += [("clear", _name(tile)) for tile in tiles if tile not in places]
    init += _neighbours(tiles)
    shift = int(rng.random() * size.colors)
    goal = tuple(
        (True, ("painted", _name(tile), colors[(sum(tile) + shift) % size.colors]))
        for tile in tiles
        if tile[0] >= size.rows - size.painted_rows
    )
    kinds = (("robot", robots), ("tile", [_name(tile) for tile in tiles]), ("color", colors))
    return TaskFacts({name: kind for kind, names in kinds for name in names}, tuple(init), goal)


def _neighbours(tiles: list[Tile]) -> list[GroundAtom]:
    """Which tile lies directly above, below, right and left of which: `(up upper lower)`."""
    return [
        (direction, _name((row + up, column + right)), _name((row, column)))
        for direction, (up, right) in _DIRECTIONS.items()
        for row, column in tiles
        if (row + up, column + right) in tiles
    ]


def _name(tile: Tile) -> str:
    return f"tile_{tile[0]}-{tile[1]}"
