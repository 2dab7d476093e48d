"""Tasks of `blocksworld_ood`: those of Blocksworld, in which each block is upright or not at random.

Solvable by construction: take all towers down to the table, set every block upright on the way, and build the
towers of the goal from below, of blocks that come from the table and therefore stay upright. The goal of the
Blocksworld task does not hold at first, so no task is solved already.
"""

from __future__ import annotations

import numpy as np

from envs.generators import blocksworld
from envs.generators.blocksworld import SIZES, Size
from envs.tasks import TaskFacts

__all__ = ["SIZES", "Size", "generate"]


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. About half of the blocks are upright at first, about half must be at the end."""
    base = blocksworld.generate(rng, size)
    upright = [("upright", block) for block in base.objects if rng.random() < 0.5]
    wanted = [(True, ("upright", block)) for block in base.objects if rng.random() < 0.5]
    return TaskFacts(base.objects, (*base.init, *upright), (*base.goal, *wanted))
