"""Walks of a model to novel states: two features are true together that were not seen together in the world.

What an action needs of objects beside its arguments, and what it changes under some condition, shows in such
states: the right key is held, and all that is missing for the door to be toggled is that it is not locked.
Features are the atoms of a state, and the probes that it shows (`envs.pddl.simulation.probes`): an action may
run, or a single conjunct is in its way. The model's states are searched breadth first, and those alone are
kept in which a pair of features is true for the first time; of these, some are taken one after the other that
have most pairs which were never true in the world, for the steps that they take.

Source: the pruning is iterated width 2, Lipovetzky and Geffner 2012; that exploring for conjunctions of
literals teaches rules is shown by Chitnis et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.probes import ProbedTask
from envs.pddl.simulation.simulator import Atoms, PackedStates

#: States of a model that are kept.
MAX_STATES = 1500
#: Features above which pairs are not looked at.
MAX_FEATURES = 2000
#: Steps that a walk counts as at least, when walks are compared.
_LEAST_STEPS = 5


def novel_walks(model: ProbedTask, seen: Iterable[Atoms], count: int) -> list[tuple[str, ...]]:
    """At most `count` walks, the most worthwhile first; `seen` are states of the world, by their atoms."""
    size = _features(model, model.initial()).shape[1]
    if size > MAX_FEATURES:
        return []
    met = np.zeros((size, size), dtype=np.bool_)
    for row in _features(model, model.states_of(seen)):
        _mark(met, np.flatnonzero(row))
    found = _Search(model, size)
    walks: list[tuple[str, ...]] = []
    while found.true and len(walks) < count:
        new = np.array([np.count_nonzero(~met[np.ix_(true, true)]) for true in found.true])
        best = int(np.argmax(new / (_LEAST_STEPS + found.depths)))
        if not new[best]:
            break
        walks.append(found.walk(best))
        while best >= 0:
            _mark(met, found.true[best])
            best = found.came[best][0]
    return walks


def _features(model: ProbedTask, states: PackedStates) -> NDArray[np.bool_]:
    """Atoms that hold and probes that can be shown; shape (states, features)."""
    hits = model.hits(states, model.open_to(states))
    return np.concatenate([model.bits(states).astype(np.bool_), hits], axis=1)


def _mark(met: NDArray[np.bool_], true: NDArray[np.int64]) -> None:
    met[np.ix_(true, true)] = True


class _Search:
    """States of a model, each with a pair that none before has; the initial one first."""

    def __init__(self, model: ProbedTask, size: int):
        self._model = model
        self._met = np.zeros((size, size), dtype=np.bool_)
        self.came: list[tuple[int, int]] = []  #: of each, the state before it and the operator; -1 at first
        self.true: list[NDArray[np.int64]] = []  #: the features that are true in it
        frontier = self._taken(model.initial(), [(-1, -1)])
        while len(frontier) and len(self.came) < MAX_STATES:
            first = len(self.came) - len(frontier)
            rows, operators = model.steps(model.open_to(frontier))
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
            steps.append(self._model.text(operator))
        return tuple(reversed(steps))

    def _taken(self, states: PackedStates, came: list[tuple[int, int]]) -> PackedStates:
        """Keep the states with a new pair, as many as there may be; those that were kept."""
        _, places = np.unique(states, axis=0, return_index=True)
        places, kept = np.sort(places), []
        for place, row in zip(places.tolist(), _features(self._model, states[places]), strict=True):
            true = np.flatnonzero(row)
            if len(self.came) < MAX_STATES and not self._met[np.ix_(true, true)].all():
                _mark(self._met, true)
                self.came.append(came[place])
                self.true.append(true)
                kept.append(place)
        return states[kept]
