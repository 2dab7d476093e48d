"""Tasks of `floortile`: the upper rows of a floor to be painted in the pattern of a chessboard.

Solvable by construction: row 0 is never painted and there are no more robots than columns. As any robot can
take any color, it does not matter which robot stands where, and on a clear floor robots can always spread out
to different tiles of row 0. From there each paints some neighbouring columns, one after the other: it climbs
up the column, paints the tile above it, steps down, and so on until it stands in row 0 again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, numbered, sample, sized

_COLORS = ("white", "black", "red")
_DIRECTIONS = {"up": (1, 0), "down": (-1, 0), "right": (0, 1), "left": (0, -1)}


@dataclass(frozen=True)
class Floortile(TaskGenerator):
    """Tasks of `floortile`. Raises ValueError for a size that may not be solvable, or has nothing to do."""

    rows: int = sized(3, (3, 3, 3, 3, 4, 4, 4, 4, 4, 5), least=2)  #: row 0 is the bottom row
    columns: int = sized(3, (2, 3, 3, 3, 2, 3, 3, 4, 4, 3), least=1)
    robots: int = sized(1, (1, 1, 2, 2, 2, 2, 2, 2, 2, 2), least=1)  #: at most as many as columns
    #: how many rows are to be painted, from the top; fewer than there are
    painted_rows: int = sized(1, (1, 1, 1, 2, 3, 2, 3, 1, 2, 3), least=1)
    colors: int = sized(2, [2] * 10, least=1)  #: 1 to 3

    def _check(self) -> None:
        self.require(self.painted_rows < self.rows, "the bottom row is not painted")
        self.require(self.robots <= self.columns, "every robot needs a column")
        self.require(self.colors <= len(_COLORS), f"there are {len(_COLORS)} colors")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. No tile is painted at first."""
        tiles = [(row, column) for row in range(self.rows) for column in range(1, self.columns + 1)]
        colors, robots = _COLORS[: self.colors], numbered("robot", self.robots)
        places = sample(rng, tiles, self.robots)
        init = [
            *(("robot-at", robot, _name(*tile)) for robot, tile in zip(robots, places, strict=True)),
            *(("robot-has", robot, colors[place % self.colors]) for place, robot in enumerate(robots)),
            *(("available-color", color) for color in colors),
            *(("clear", _name(*tile)) for tile in tiles if tile not in places),
            *_neighbours(tiles),
        ]
        shift = int(rng.random() * self.colors)
        wanted = (
            ("painted", _name(*tile), colors[(sum(tile) + shift) % self.colors])
            for tile in tiles
            if tile[0] >= self.rows - self.painted_rows
        )
        objects = {"robot": robots, "tile": [_name(*tile) for tile in tiles], "color": colors}
        return TaskFacts.of(objects, init, wanted)


def _neighbours(tiles: list[tuple[int, int]]) -> list[GroundAtom]:
    """Which tile lies directly above, below, right and left of which: `(up upper lower)`."""
    return [
        (direction, _name(row + up, column + right), _name(row, column))
        for direction, (up, right) in _DIRECTIONS.items()
        for row, column in tiles
        if (row + up, column + right) in tiles
    ]


def _name(row: int, column: int) -> str:
    return f"tile_{row}-{column}"
