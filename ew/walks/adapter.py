"""Any World as a transition system, and what a World says of single states whichever parts it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from envs.pddl.interface import BatchedWorld, ListsApplicable, TransitionSystem, World
from ew.walks.world_system import WorldSystem


def transitions_of(world: World, max_steps: int | None = None) -> TransitionSystem:
    """The world's own transition system if it offers one, else one over its World surface.

    The latter is a `Simulated` system, which remembers what it has seen and counts what the simulator did. It
    raises StepsExceeded before that makes more than `max_steps` steps; None is no cap.
    """
    if isinstance(world, BatchedWorld):
        return world.transitions()
    return WorldSystem(world, max_steps)


def first_applicable(world: World, walk: Sequence[str] = ()) -> str | None:
    """The first, by text, of the operators that may run after `walk`, or None; tried where not listed.

    Raises ValueError if `walk` itself is refused.
    """
    return next(iter(applicable_in(world, walk)), None)


def applicable_in(world: World, walk: Sequence[str] = ()) -> tuple[str, ...]:
    """The operators that may run after `walk`, sorted; each is tried where the world does not list them.

    Raises ValueError if `walk` itself is refused.
    """
    if isinstance(world, ListsApplicable):
        return world.applicable(walk)
    system = transitions_of(world)
    index = {text: number for number, text in enumerate(system.operators)}
    state = system.initial(1)
    for step, text in enumerate(walk, start=1):
        number = index.get(text)
        if number is None or not system.applicable(state)[0, number]:
            raise ValueError(f"step {step} of the walk is refused: {text}")
        state = system.successors(state, np.array([number], dtype=np.int64))
    return tuple(system.operators[i] for i in np.flatnonzero(system.applicable(state)[0]).tolist())
