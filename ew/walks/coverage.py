"""The coverage policy: prefer what was rarely done, and what leads to what was rarely seen.

The weight of an operator falls with the times that it was made, and with the times that any operator of its
schema was. Where the states of a system can be read (a compiled task), the weight also grows with the atoms
that the operator would make true, each counting 1 / (1 + the states it was seen in). The world's states are
opaque; there the operators applicable in a state stand for its atoms: an operator that was rarely applicable
is preferred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from envs.pddl.simulation.simulator import Task
from ew.walks.choosing import Chooser, Scene, schemas_of
from ew.walks.walk import NONE

#: More successors than this are not looked at in one step; then only the operators' own counts matter.
MAX_LOOKAHEAD = 20_000
#: The weight of an operator that makes nothing new true, relative to one that makes one new atom true.
_STALE = 0.1


@dataclass(frozen=True)
class Coverage:
    """Prefers operators, schemas and atoms that are rare so far."""

    def start(self, system: TransitionSystem) -> Chooser:
        """A chooser with all counts at 0."""
        return _Coverage(system)


class _Coverage:
    """Counts of one system."""

    def __init__(self, system: TransitionSystem):
        names, self._schemas = schemas_of(system)
        self._task = system if isinstance(system, Task) else None
        self._made = np.zeros(len(system.operators))
        self._made_schema = np.zeros(len(names))
        self._seen_applicable = np.zeros(len(system.operators))
        self._seen_atoms = np.zeros(len(self._task.atoms) if self._task else 0)

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """Falls with the counts."""
        rarity = 1 / ((1 + self._made) * (1 + self._made_schema[self._schemas]))
        if self._task is None:
            rarity /= np.sqrt(1 + self._seen_applicable)
        weights: NDArray[np.float64] = scene.applicable * rarity
        if self._task is not None and np.count_nonzero(scene.applicable) <= MAX_LOOKAHEAD:
            rows, operators = np.nonzero(scene.applicable)
            weights[rows, operators] *= _STALE + self._novelty(self._task, scene.states[rows], operators)
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Count what was made and seen, all rows together."""
        made = chosen[chosen != NONE]
        np.add.at(self._made, made, 1)
        np.add.at(self._made_schema, self._schemas[made], 1)
        self._seen_applicable += scene.applicable.sum(axis=0)
        if self._task is not None:
            self._seen_atoms += atom_bits(self._task, scene.states).sum(axis=0)

    def _novelty(self, task: Task, states: States, operators: OperatorIndices) -> NDArray[np.float64]:
        """For each state and operator: how rare the atoms are that become true."""
        after = task.successors(states, operators.astype(np.int64))
        novelty: NDArray[np.float64] = atom_bits(task, after & ~states) @ (1 / (1 + self._seen_atoms))
        return novelty


def atom_bits(task: Task, states: States) -> NDArray[np.uint8]:
    """The packed states of a task as 0 and 1, shape (len(states), len(task.atoms))."""
    packed = np.ascontiguousarray(states).view(np.uint8)
    return np.unpackbits(packed, axis=1, count=len(task.atoms), bitorder="little")
