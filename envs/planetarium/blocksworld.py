"""Tasks of Blocksworld: towers of blocks to be rebuilt into other towers.

Eight goals (`GOALS`) from every layout that they go with. Which block stands where is drawn at random on
both sides, except that `swap` and `invert` follow from the initial towers. A goal says everything of its
state. Every task can be solved, since all towers can be taken down and built anew.

Source: the tasks of Zuo et al. 2024, section 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isqrt
from types import MappingProxyType

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.planetarium.drawn_task import DrawnTask, TaskSide, between, counted, from_to, parts_of
from envs.tasks import numbered, pick, shuffled
from envs.verbalisation.words import listed

#: Blocks of a task, from the fewest to the most.
BLOCKS = (3, 40)
TABLE, STACK, HOLDING, STAIRCASE = "on_table", "stack", "holding_one", "staircase"
EQUAL, TOWERS, TWO_TOWERS = "equal_towers", "towers", "two_towers"
SWAP, INVERT = "swap", "invert"
GOALS = (STACK, TABLE, HOLDING, STAIRCASE, EQUAL, SWAP, INVERT, TOWERS)
INITIAL = (TABLE, STACK, HOLDING, STAIRCASE, EQUAL, TOWERS, TWO_TOWERS)
#: How many times as often `TOWERS` is drawn as any other layout: there are far more of them to be told apart.
_MORE = 4
_FREE = (TABLE, STACK, HOLDING, STAIRCASE, EQUAL, *[TOWERS] * _MORE)
_INITIAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {SWAP: (TWO_TOWERS,), INVERT: (STACK, STAIRCASE, EQUAL, TWO_TOWERS, *[TOWERS] * _MORE)}
)
_EMPTY = " The hand is empty."
#: The initial state and the goal in words, for layouts that need no numbers.
_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        TABLE: (
            f"Every block stands alone on the table.{_EMPTY}",
            "Every block is to stand alone on the table.",
        ),
        STACK: (
            f"All blocks are piled up in one single tower.{_EMPTY}",
            "All blocks are to be piled up in one single tower.",
        ),
        HOLDING: (
            "The hand holds one of the blocks. Every other block stands alone on the table.",
            "The hand is to hold one of the blocks. Every other block is to stand alone on the table.",
        ),
    }
)
#: Goals that are said by what is there at first.
_RELATIVE: Mapping[str, str] = MappingProxyType(
    {
        SWAP: "The bottom blocks of the two towers are to change places. Every other block is to be in the "
        "same tower at the same height as it is now.",
        INVERT: "Every tower is to be turned upside down: the same blocks, in the reverse order.",
    }
)

#: Each from the bottom up.
_Towers = Sequence[Sequence[str]]


def draw_towers(rng: np.random.Generator) -> DrawnTask:
    """A task; the goal may hold from the start."""
    goal = pick(rng, (*GOALS, *[TOWERS] * (_MORE - 1)))
    initial = pick(rng, _INITIAL.get(goal, _FREE))
    sides = (initial, *(() if goal in _INITIAL else (goal,)))
    count = pick(rng, [n for n in range(BLOCKS[0], BLOCKS[1] + 1) if all(_fits(s, n) for s in sides)])
    blocks = numbered("b", count)
    start, init = _side(rng, initial, blocks, 0)
    if goal in _RELATIVE:
        side = TaskSide(goal, _atoms(_rebuilt(goal, start)), _RELATIVE[goal], relative=True)
    else:
        _, side = _side(rng, goal, blocks, 1)
    there = f"There are {counted(count, 'block', 'blocks')}, {from_to(blocks)}."
    return DrawnTask(blocks, (), there, init, side)


def _side(
    rng: np.random.Generator, layout: str, blocks: Sequence[str], place: int
) -> tuple[_Towers, TaskSide]:
    """Towers of a layout, and the initial state (place 0) or the goal (1) that they are."""
    heights = _heights(rng, layout, len(blocks))
    left = iter(shuffled(rng, blocks))
    towers = [[next(left) for _ in range(height)] for height in heights]
    return towers, TaskSide(layout, _atoms(towers, next(left, None)), _words(layout, heights)[place])


def _atoms(towers: _Towers, held: str | None = None) -> tuple[GroundAtom, ...]:
    """All that is true in the state."""
    return (
        ("handempty",) if held is None else ("holding", held),
        *(("ontable", tower[0]) for tower in towers),
        *(("on", upper, lower) for tower in towers for lower, upper in pairwise(tower)),
        *(("clear", tower[-1]) for tower in towers),
    )


def _rebuilt(goal: str, towers: _Towers) -> _Towers:
    """Every tower upside down; or two towers with each other's bottom blocks."""
    if goal == INVERT:
        return [tower[::-1] for tower in towers]
    one, other = towers
    return [[other[0], *one[1:]], [one[0], *other[1:]]]


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


def _heights(rng: np.random.Generator, layout: str, count: int) -> tuple[int, ...]:
    """How high the towers are; a block that is left over is held."""
    match layout:
        case "on_table":
            return (1,) * count
        case "stack":
            return (count,)
        case "holding_one":
            return (1,) * (count - 1)
        case "staircase":
            return tuple(range(1, _steps(count) + 1))
        case "equal_towers":
            height = pick(rng, [h for h in range(2, count // 2 + 1) if count % h == 0])
            return (height,) * (count // height)
    towers = 2 if layout == TWO_TOWERS else between(rng, 2, count // 2)
    return tuple(parts_of(rng, count, towers, 1))


def _words(layout: str, heights: Sequence[int]) -> tuple[str, str]:
    """The layout as an initial state, and as a goal."""
    if layout in _WORDS:
        return _WORDS[layout]
    count = len(heights)
    towers = f"{count} towers, {listed(list(map(str, heights)))} blocks high"
    if layout == STAIRCASE:
        each = "the first is one block high, and each next one a block higher"
        towers = f"a staircase of {count} towers: {each}"
    if layout == EQUAL:
        towers = f"{count} towers of equal height"
    return f"The blocks are piled up in {towers}.{_EMPTY}", f"The blocks are to be piled up in {towers}."
