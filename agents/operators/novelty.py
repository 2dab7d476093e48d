"""Walks of a model to states with pairs of atoms that were not seen together.

What an action needs of objects beside its arguments, and what it changes under some condition, shows where
atoms meet: the right key is held, and the door is locked. So the model's states are searched breadth first,
and only those are kept in which two atoms hold together for the first time; of these, some are taken one
after the other that show most pairs new to the world for the steps that they take.

Source: the pruning is iterated width 2, Lipovetzky and Geffner 2012; that exploring for conjunctions of
literals teaches rules is shown by Chitnis et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.simulator import Atoms, PackedStates, Task

#: States of a model that are kept.
MAX_STATES = 1500
#: Fluent atoms of a model above which pairs are not looked at.
MAX_ATOMS = 2000
#: A walk takes at least so many steps, when its worth is told.
_LEAST_STEPS = 5


def novel_walks(model: Task, seen: Iterable[Atoms], count: int) -> list[tuple[str, ...]]:
    """At most `count` walks, the most worthwhile first; `seen` are states of the world, by their atoms."""
    if len(model.atoms) > MAX_ATOMS:
        return []
    found = _Search(model)
    numbers = {atom: i for i, atom in enumerate(model.atoms)}
    together = np.zeros((len(numbers), len(numbers)), dtype=np.bool_)
    for atoms in seen:
        _mark(together, np.array([numbers[a] for a in atoms if a in numbers], dtype=np.int64))
    walks: list[tuple[str, ...]] = []
    while len(walks) < count:
        new = np.array([np.count_nonzero(~together[np.ix_(true, true)]) for true in found.true])
        best = int(np.argmax(new / (_LEAST_STEPS + found.depths)))
        if not new[best]:
            break
        walks.append(found.walk(best))
        while best >= 0:
            _mark(together, found.true[best])
            best = found.came[best][0]
    return walks


def _mark(together: NDArray[np.bool_], true: NDArray[np.int64]) -> None:
    together[np.ix_(true, true)] = True


class _Search:
    """States of a model, each with a pair of atoms that none before has; the initial one first."""

    def __init__(self, model: Task):
        self._model = model
        self._together = np.zeros((len(model.atoms),) * 2, dtype=np.bool_)
        self.came: list[tuple[int, int]] = []  #: of each, the state before it and the operator; -1 at first
        self.true: list[NDArray[np.int64]] = []  #: the atoms that hold in it
        frontier = self._taken(model.initial(1), [(-1, -1)])
        while len(frontier) and len(self.came) < MAX_STATES:
            first = len(self.came) - len(frontier)
            rows, operators = np.nonzero(model.applicable(frontier))
            after = model.successors(frontier[rows], operators)
            frontier = self._taken(after, list(zip((first + rows).tolist(), operators.tolist(), strict=True)))

    @property
    def depths(self) -> NDArray[np.int64]:
        """How many steps lead to each state."""
        depths: list[int] = []
        for before, _ in self.came:
            depths.append(depths[before] + 1 if before >= 0 else 0)
        return np.array(depths)

    def walk(self, number: int) -> tuple[str, ...]:
        """The operators that lead to a state."""
        steps: list[str] = []
        while number:
            number, operator = self.came[number]
            steps.append(self._model.operators[operator])
        return tuple(reversed(steps))

    def _taken(self, states: PackedStates, came: list[tuple[int, int]]) -> PackedStates:
        """Keep the states with a new pair, as many as there may be; those that were kept."""
        kept = []
        _, places = np.unique(states, axis=0, return_index=True)
        for place in np.sort(places).tolist():
            true = np.flatnonzero(self._model.bits(states[place : place + 1])[0])
            if len(self.came) < MAX_STATES and not self._together[np.ix_(true, true)].all():
                _mark(self._together, true)
                self.came.append(came[place])
                self.true.append(true)
                kept.append(place)
        return states[kept]
