"""Tasks of blocksworld_ood: those of Blocksworld, in which each block is upright or not at random.

Solvable by construction: take all towers down to the table, set every block upright on the way, and build the
towers of the goal from below, of blocks that come from the table and therefore stay upright. The goal of the
Blocksworld task does not hold at first, so that no task is solved already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.generators import blocksworld
from envs.tasks import TaskFacts


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError for fewer than two blocks."""

    blocks: int = 5  #: blocks (at least 2)

    def __post_init__(self) -> None:
        if self.blocks < 2:
            raise ValueError(f"{self}: it takes two blocks")


SIZES: tuple[Size, ...] = tuple(Size(blocks) for blocks in (4, 4, 5, 5, 6, 6, 7, 8, 9, 10))


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size that can be solved and is not solved already.

    About half of the blocks are upright at first, and about half of them must be upright at the end.
    """
    base = blocksworld.generate(rng, blocksworld.Size(blocks=size.blocks))
    upright = [("upright", block) for block in base.objects if rng.random() < 0.5]
    wanted = [(True, ("upright", block)) for block in base.objects if rng.random() < 0.5]
    return TaskFacts(base.objects, (*base.init, *upright), (*base.goal, *wanted))
