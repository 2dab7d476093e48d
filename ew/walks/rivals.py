"""Guided walks: to where candidates disagree, and to the first use of each action.

The disagreement policy, `Rivals`, follows each walk in every candidate that is still in the running. An
operator that some rivals allow and others refuse weighs more, since it will tell them apart at once; so does
one that led to such places when it was made before. A rival that refused a step of the walk has nothing more
to say on that walk.

`reaching_walks` are found in a model without asking the world: by a breadth-first search that keeps a state
only if it makes an atom true for the first time (where states cannot be read: an operator applicable). That
is cheap, and reaches what can be reached by collecting one fact after the other; what needs two hard facts at
once may be missed.

Source: the pruning is iterated width 1, Lipovetzky and Geffner 2012.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from envs.pddl.simulation.simulator import Task
from ew.walks.walk import NONE, align
from ew.walks.walk_policy import Scene, WalkPolicy, schemas_of

#: What an operator weighs on which all rivals are split evenly; one on which they agree weighs 1.
_SPLIT = 10.0
#: What an operator weighs more that always led to a state in which they are split.
_PROMISE = 4.0


class Rivals(WalkPolicy):
    """Walks that tell `rivals` apart, of which the system may be one; with fewer than two, uniform ones."""

    def __init__(self, system: TransitionSystem, rivals: Sequence[TransitionSystem]):
        self._followed = [_Followed(system, rival) for rival in rivals]
        self._made = np.zeros(len(system.operators))
        self._led = np.zeros(len(system.operators))
        self._last = np.zeros(0, dtype=np.int64)

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """Grows with the split of the rivals on an operator, and with what came after it before."""
        if len(self._followed) < 2:
            return super().weights(scene)
        split = self._split(scene)
        if scene.step:
            np.add.at(self._led, self._last[scene.rows], split.max(axis=1, initial=0.0))
        promise = self._led / np.maximum(self._made, 1)
        weights: NDArray[np.float64] = scene.applicable * (1 + _SPLIT * split) * (1 + _PROMISE * promise)
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Follow the walks in every rival."""
        np.add.at(self._made, chosen[chosen != NONE], 1)
        if not scene.step:
            self._last = np.full(int(scene.rows.max(initial=-1)) + 1, NONE, dtype=np.int64)
        self._last[scene.rows] = chosen
        for followed in self._followed:
            followed.step(scene.rows, chosen)

    def _split(self, scene: Scene) -> NDArray[np.float64]:
        """0 where all rivals that are still on the walk agree on an operator, up to 1 for half and half."""
        votes = np.zeros(scene.applicable.shape)
        voters = np.zeros((len(scene.rows), 1))
        for followed in self._followed:
            allowed, present = followed.look(scene)
            votes += allowed
            voters += present[:, None]
        share = votes / np.maximum(voters, 1)
        split: NDArray[np.float64] = 4 * share * (1 - share)
        return split


class _Followed:
    """The walks of a batch in one rival."""

    def __init__(self, system: TransitionSystem, rival: TransitionSystem):
        self._rival = rival
        self._to_rival = align(system, rival)
        self._states: States = rival.initial(0)
        self._present = np.zeros(0, dtype=np.bool_)
        self._mask = np.zeros((0, 0), dtype=np.bool_)

    def look(self, scene: Scene) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """What it allows in the numbering of the system walked in, and which walks it is still on."""
        if not scene.step:
            batch = int(scene.rows.max(initial=-1)) + 1
            self._states = self._rival.initial(batch)
            self._present = np.ones(batch, dtype=np.bool_)
        own = self._rival.applicable(self._states[scene.rows])
        padded = np.concatenate([own, np.zeros((len(own), 1), dtype=np.bool_)], axis=1)
        present = self._present[scene.rows]
        self._mask = padded[:, self._to_rival[:-1]] & present[:, None]
        return self._mask, present

    def step(self, rows: NDArray[np.int64], chosen: OperatorIndices) -> None:
        """Make the chosen operators where they are allowed; `look` at the same rows came before."""
        if not len(self._mask):
            return
        made = chosen != NONE
        made[made] = self._mask[np.flatnonzero(made), chosen[made]]
        self._present[rows[~made]] = False
        on = rows[made]
        self._states[on] = self._rival.successors(self._states[on], self._to_rival[chosen[made]])


#: One node: the index of its parent (-1 for the initial state) and the operator that led here.
_Nodes = list[tuple[int, int]]


def reaching_walks(model: TransitionSystem, max_states: int = 2000) -> tuple[tuple[str, ...], ...]:
    """For each schema that the search meets, a shortest of its walks that ends in it; sorted by length.

    `max_states` bounds the states that are looked at.
    """
    _, schemas = schemas_of(model)
    states, nodes = model.initial(1), [(-1, -1)]
    numbers = np.zeros(1, dtype=np.int64)
    seen = _features(model, states)[0].astype(bool)
    found: dict[int, tuple[int, int]] = {}
    while len(states) and len(nodes) <= max_states:
        rows, operators = np.nonzero(model.applicable(states))
        for place in np.unique(schemas[operators], return_index=True)[1].tolist():
            found.setdefault(
                int(schemas[operators[place]]), (int(numbers[rows[place]]), int(operators[place]))
            )
        after = model.successors(states[rows], operators.astype(np.int64))
        kept = novel(_features(model, after).astype(bool), seen)
        nodes += [(int(numbers[rows[k]]), int(operators[k])) for k in kept]
        states = after[kept]
        numbers = np.arange(len(nodes) - len(kept), len(nodes))
    walks = [_trace(model, nodes, node, operator) for node, operator in found.values()]
    return tuple(sorted(walks, key=lambda walk: (len(walk), walk)))


def novel(features: NDArray[np.bool_], seen: NDArray[np.bool_]) -> list[int]:
    """The rows with a feature that neither `seen` nor a row before has; `seen` takes them in."""
    kept: list[int] = []
    for row in np.flatnonzero((features & ~seen).any(axis=1)).tolist():
        if (features[row] & ~seen).any():
            seen |= features[row]
            kept.append(row)
    return kept


def _features(model: TransitionSystem, states: States) -> NDArray[np.uint8] | NDArray[np.bool_]:
    """The atoms that hold where they can be read, else the operators that are applicable."""
    return model.bits(states) if isinstance(model, Task) else model.applicable(states)


def _trace(model: TransitionSystem, nodes: _Nodes, node: int, operator: int) -> tuple[str, ...]:
    """The operators from the initial state to `node`, and `operator`."""
    backwards = [operator]
    while nodes[node][0] >= 0:
        node, operator = nodes[node]
        backwards.append(operator)
    return tuple(model.operators[o] for o in reversed(backwards))
