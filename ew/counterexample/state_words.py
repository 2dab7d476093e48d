"""The world's state before a step, in words for whoever has to find a fault."""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.interface import DescribesSteps, World


def state_before(world: World, walk: Sequence[str]) -> str:
    """The state before the last operator of `walk`, with what bears on that operator where the world says it.

    Raises ValueError if the operators before it are refused.
    """
    if isinstance(world, DescribesSteps):
        return world.describe_step(walk)
    return world.describe(tuple(walk[:-1]))
