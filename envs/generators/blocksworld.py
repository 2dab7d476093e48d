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

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, shuffled, sized

#: How often a block is put on a tower instead of on the table.
_STACKING = 0.62


@dataclass(frozen=True)
class Blocksworld(TaskGenerator):
    """Tasks of `blocksworld`. Raises ValueError for fewer than two blocks."""

    blocks: int = sized(5, (4, 4, 5, 5, 6, 7, 8, 9, 10, 12), least=2)

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. The goal says which block sits on which."""
        blocks = numbered("b", self.blocks)
        start = _towers(rng, blocks)
        wanted: list[GroundAtom] = []
        while len(set(wanted) - set(_on(start))) < self.blocks // 2:
            wanted = _on(_towers(rng, blocks))
        bottoms = [("ontable", tower[0]) for tower in start]
        tops = [("clear", tower[-1]) for tower in start]
        init = [("handempty",), *_on(start), *bottoms, *tops]
        return TaskFacts.of({"object": blocks}, init, sorted(wanted))


@dataclass(frozen=True)
class BlocksworldOod(Blocksworld):
    """Tasks of `blocksworld_ood`: those of `blocksworld` with blocks that are upright or not."""

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: about half the blocks are upright at first, as many must be at the end."""
        base = super().generate(rng)
        upright = [("upright", block) for block in base.objects if rng.random() < 0.5]
        wanted = [(True, ("upright", block)) for block in base.objects if rng.random() < 0.5]
        return TaskFacts(base.objects, (*base.init, *upright), (*base.goal, *wanted))


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
