"""Tasks of `blocksworld` and `blocksworld_ood`: towers of blocks to be rebuilt into other towers.

Solvable by construction: all towers can be taken down to the table and any towers be built from there, and
the goal is a part of such towers. At least half of the blocks, rounded down, must come onto other ones. In
`blocksworld_ood` each block is upright or not at random: set every block upright on the way, and build the
towers of the goal from below, of blocks that come from the table and therefore stay upright. The goal of the
Blocksworld task does not hold at first, so no task is solved already.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, pick, shuffled

#: How often a block is put on a tower instead of on the table.
_STACKING = 0.62


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError for fewer than two blocks."""

    blocks: int = 5  #: blocks (at least 2)

    def __post_init__(self) -> None:
        if self.blocks < 2:
            raise ValueError(f"{self}: it takes two blocks")


SIZES: tuple[Size, ...] = tuple(Size(blocks) for blocks in (4, 4, 5, 5, 6, 7, 8, 9, 10, 12))


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. The goal says which block sits on which."""
    blocks = [f"b{number}" for number in range(1, size.blocks + 1)]
    start = _towers(rng, blocks)
    wanted: list[GroundAtom] = []
    while len(set(wanted) - set(_on(start))) < size.blocks // 2:
        wanted = _on(_towers(rng, blocks))
    init: list[GroundAtom] = [("handempty",), *_on(start)]
    init += [("ontable", tower[0]) for tower in start]
    init += [("clear", tower[-1]) for tower in start]
    goal = tuple((True, atom) for atom in sorted(wanted))
    return TaskFacts(dict.fromkeys(blocks, "object"), tuple(init), goal)


def _towers(rng: np.random.Generator, blocks: list[str]) -> list[list[str]]:
    """Towers, each from the bottom up."""
    towers: list[list[str]] = []
    for block in shuffled(rng, blocks):
        if towers and rng.random() < _STACKING:
            pick(rng, towers).append(block)
        else:
            towers.append([block])
    return towers


def _on(towers: list[list[str]]) -> list[GroundAtom]:
    return [("on", upper, lower) for tower in towers for lower, upper in pairwise(tower)]


def generate_upright(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of `blocksworld_ood`: about half the blocks are upright at first, as many must be at the end."""
    base = generate(rng, size)
    upright = [("upright", block) for block in base.objects if rng.random() < 0.5]
    wanted = [(True, ("upright", block)) for block in base.objects if rng.random() < 0.5]
    return TaskFacts(base.objects, (*base.init, *upright), (*base.goal, *wanted))


class Upright:
    """The generator of `blocksworld_ood`: tasks of `blocksworld` with blocks that are upright or not."""

    Size = Size
    SIZES = SIZES
    generate = staticmethod(generate_upright)
