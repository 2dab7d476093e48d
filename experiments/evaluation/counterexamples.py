"""A counterexample step by step on both sides, for reports.

The world's changes are sentences of its state in words, the model's are atoms. A side that refuses an
operator stays in its state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import World
from envs.pddl.simulation.simulator import Task
from experiments.runs.records import Story, StoryStep

#: Steps of a longer walk that are shown.
MAX_STEPS = 60

Lines = tuple[str, ...]


def step_by_step(world: World, model: Task, direction: str, walk: Sequence[str]) -> Story:
    """The steps of `walk`, operator texts from the initial state; the operators may be refused."""
    shown = tuple(walk[:MAX_STEPS])
    there = list(_world_states(world, shown))
    here = list(_model_states(model, shown))
    steps = (
        StoryStep(operator, i < len(there), i < len(here), *_change(there, i), *_change(here, i))
        for i, operator in enumerate(shown, start=1)
    )
    return Story(direction, there[0], tuple(steps))


def _change(states: Sequence[Lines], step: int) -> tuple[Lines, Lines]:
    """What appeared and what vanished in this step (1-based); nothing where it did not run."""
    if step >= len(states):
        return (), ()
    before, after = states[step - 1 : step + 1]
    return tuple(x for x in after if x not in before), tuple(x for x in before if x not in after)


def _world_states(world: World, walk: Lines) -> Iterator[Lines]:
    """The initial state and the state after each operator that runs."""
    ran = world.executable(walk).steps
    for steps in range(ran + 1):
        yield tuple(line for line in world.describe(walk[:steps]).splitlines() if line.strip())


def _model_states(model: Task, walk: Lines) -> Iterator[Lines]:
    """The initial state and the state after each operator that runs."""
    state = model.initial(1)
    yield _atoms(model, state)
    for operator in walk:
        index = model.operator_index.get(operator)
        if index is None or not model.applicable(state)[0, index]:
            return
        state = model.successors(state, np.array([index], dtype=np.int64))
        yield _atoms(model, state)


def _atoms(model: Task, state: NDArray[np.uint64]) -> Lines:
    """The fluent atoms of one state, sorted."""
    return tuple(f"({' '.join(atom)})" for atom in sorted(model.atoms_of(state[0]) - model.static))
