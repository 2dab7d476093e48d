"""Tasks of Blocksworld: piles of blocks to be rebuilt into other piles.

Eight goals (`GOALS`) from every layout that they go with. Which block stands where is drawn at random on
both sides, except that `swap` and `invert` follow from the initial piles. A goal says everything of its
state. Every task can be solved, since all piles can be taken down and built anew.

Source: the tasks of Zuo et al. 2024, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from types import MappingProxyType

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.planetarium.sketch import Part, Sketch, between, counted, from_to, named, parts_of
from envs.tasks import pick, shuffled
from envs.wording.words import listed

#: Blocks of a task, from the fewest to the most.
BLOCKS = (3, 40)
TABLE, STACK, HOLDING, STAIRCASE, EQUAL, TOWERS = (
    "on_table", "stack", "holding_one", "staircase", "equal_towers", "towers",
)  # fmt: skip
TWO_TOWERS = "two_towers"
SWAP, INVERT = "swap", "invert"
GOALS = (STACK, TABLE, HOLDING, STAIRCASE, EQUAL, SWAP, INVERT, TOWERS)
INITIAL = (TABLE, STACK, HOLDING, STAIRCASE, EQUAL, TOWERS, TWO_TOWERS)
#: How many times as often `TOWERS` is drawn as any other layout: there are far more of them to be told apart.
_MORE = 4
_FREE = (TABLE, STACK, HOLDING, STAIRCASE, EQUAL, *[TOWERS] * _MORE)
_INITIAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {SWAP: (TWO_TOWERS,), INVERT: (STACK, STAIRCASE, EQUAL, TWO_TOWERS, *[TOWERS] * _MORE)}
)
_EMPTY = "The hand is empty."


@dataclass(frozen=True)
class Piles:
    """A state: towers, each from the bottom up, and what the hand holds."""

    towers: tuple[tuple[str, ...], ...]
    held: str | None = None

    @property
    def atoms(self) -> tuple[GroundAtom, ...]:
        """All that is true in the state."""
        on = [("on", upper, lower) for tower in self.towers for lower, upper in pairwise(tower)]
        hand = ("handempty",) if self.held is None else ("holding", self.held)
        return (
            hand,
            *(("ontable", tower[0]) for tower in self.towers),
            *on,
            *(("clear", tower[-1]) for tower in self.towers),
        )


@dataclass(frozen=True)
class Shape:
    """How high the towers are, and whether a block is held besides."""

    heights: tuple[int, ...]
    holds: bool = False

    def filled(self, blocks: list[str]) -> Piles:
        """The piles of this shape out of blocks in that order."""
        left = iter(blocks)
        towers = tuple(tuple(next(left) for _ in range(height)) for height in self.heights)
        return Piles(towers, next(left) if self.holds else None)


def draw_piles(rng: np.random.Generator) -> Sketch:
    """A task; the goal may hold from the start."""
    goal = pick(rng, (*GOALS, *[TOWERS] * (_MORE - 1)))
    initial = pick(rng, _INITIAL.get(goal, _FREE))
    sides = (initial, *(() if goal in _INITIAL else (goal,)))
    count = pick(rng, [n for n in range(BLOCKS[0], BLOCKS[1] + 1) if all(_fits(s, n) for s in sides)])
    blocks = named("b", count)
    start_shape = _shape(rng, initial, count)
    start = start_shape.filled(shuffled(rng, blocks))
    return Sketch(
        blocks,
        (),
        f"There are {counted(count, 'block', 'blocks')}, {from_to(blocks)}.",
        Part(initial, start.atoms, _said_at_first(initial, start_shape)),
        _goal(rng, goal, start, blocks),
    )


def _goal(rng: np.random.Generator, goal: str, start: Piles, blocks: tuple[str, ...]) -> Part:
    if goal in _REBUILT:
        rebuild, words = _REBUILT[goal]
        return Part(goal, rebuild(start).atoms, words, relative=True)
    shape = _shape(rng, goal, len(blocks))
    return Part(goal, shape.filled(shuffled(rng, blocks)).atoms, _said_of_goal(goal, shape))


def _fits(layout: str, count: int) -> bool:
    """Whether so many blocks can be laid out so."""
    if layout == STAIRCASE:
        return _steps(count) * (_steps(count) + 1) // 2 == count
    if layout == EQUAL:
        return any(count % height == 0 for height in range(2, count // 2 + 1))
    return count >= (4 if layout in (TWO_TOWERS, TOWERS) else 2)


def _steps(count: int) -> int:
    """The height of the highest tower of a staircase of so many blocks or a little more."""
    return (isqrt(8 * count + 1) - 1) // 2


def _shape(rng: np.random.Generator, layout: str, count: int) -> Shape:
    match layout:
        case "on_table":
            return Shape((1,) * count)
        case "stack":
            return Shape((count,))
        case "holding_one":
            return Shape((1,) * (count - 1), holds=True)
        case "staircase":
            return Shape(tuple(range(1, _steps(count) + 1)))
        case "equal_towers":
            height = pick(rng, [h for h in range(2, count // 2 + 1) if count % h == 0])
            return Shape((height,) * (count // height))
        case "two_towers":
            return Shape(tuple(parts_of(rng, count, 2, 1)))
    return Shape(tuple(parts_of(rng, count, between(rng, 2, count // 2), 1)))


def _swapped(piles: Piles) -> Piles:
    """Two towers with each other's bottom blocks."""
    one, other = piles.towers
    return Piles(((other[0], *one[1:]), (one[0], *other[1:])))


def _inverted(piles: Piles) -> Piles:
    """Every tower upside down."""
    return Piles(tuple(tuple(reversed(tower)) for tower in piles.towers))


_REBUILT: Mapping[str, tuple[Callable[[Piles], Piles], str]] = MappingProxyType(
    {
        SWAP: (
            _swapped,
            "The bottom blocks of the two towers are to change places. Every other block is to be in the "
            "same tower at the same height as it is now.",
        ),
        INVERT: (
            _inverted,
            "Every tower is to be turned upside down: the same blocks, in the reverse order.",
        ),
    }
)


def _said_at_first(layout: str, shape: Shape) -> str:
    match layout:
        case "on_table":
            return f"Every block stands alone on the table. {_EMPTY}"
        case "stack":
            return f"All blocks are piled up in one single tower. {_EMPTY}"
        case "holding_one":
            return "The hand holds one of the blocks. Every other block stands alone on the table."
        case "staircase":
            return f"The blocks are piled up in {_staircase(shape)}. {_EMPTY}"
        case "equal_towers":
            return f"The blocks are piled up in {len(shape.heights)} towers of equal height. {_EMPTY}"
    return f"The blocks are piled up in {_heights(shape)}. {_EMPTY}"


def _said_of_goal(layout: str, shape: Shape) -> str:
    match layout:
        case "on_table":
            return "Every block is to stand alone on the table."
        case "stack":
            return "All blocks are to be piled up in one single tower."
        case "holding_one":
            return "The hand is to hold one of the blocks. Every other block is to stand alone on the table."
        case "staircase":
            return f"The blocks are to be piled up in {_staircase(shape)}."
        case "equal_towers":
            return f"The blocks are to be piled up in {len(shape.heights)} towers of equal height."
    return f"The blocks are to be piled up in {_heights(shape)}."


def _staircase(shape: Shape) -> str:
    """The towers of a staircase, `a staircase of 3 towers: …`."""
    count = len(shape.heights)
    return f"a staircase of {count} towers: the first is one block high, and each next one a block higher"


def _heights(shape: Shape) -> str:
    return f"{len(shape.heights)} towers, {listed(list(map(str, shape.heights)))} blocks high"
