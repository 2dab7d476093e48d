"""The walk policy `mixed`: each walk is made by one of several policies, drawn for it with stated shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from ew.walks.walk import NONE
from ew.walks.walk_policy import Scene, WalkPolicy


class GivenWalks(WalkPolicy):
    """Makes given walks one after the other, from the first again after the last.

    A step that is not applicable is replaced by a uniform one. A walk ends where the given one does: what
    comes after it is for other walks. Without any, walks are uniform.
    """

    def __init__(self, system: TransitionSystem, walks: Sequence[Sequence[str]]):
        index = {text: i for i, text in enumerate(system.operators)}
        self._walks = [[index.get(text, NONE) for text in walk] for walk in walks]
        self._begun = 0
        self._of_row: dict[int, list[int]] = {}

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """The next step of the given walk alone where it is applicable, else 1 for what is; 0 after it."""
        weights = super().weights(scene)
        if not self._walks:
            return weights
        if not scene.step:
            numbers = range(self._begun, self._begun + len(scene.rows))
            given = (self._walks[number % len(self._walks)] for number in numbers)
            self._of_row = dict(zip(scene.rows.tolist(), given, strict=True))
            self._begun = numbers.stop
        for place, row in enumerate(scene.rows.tolist()):
            walk = self._of_row[row]
            operator = walk[scene.step] if scene.step < len(walk) else NONE
            if scene.step >= len(walk):
                weights[place] = 0
            elif operator != NONE and scene.applicable[place, operator]:
                weights[place] = np.arange(weights.shape[1]) == operator
        return weights


class Mixed(WalkPolicy):
    """Each walk by one of several policies, which the walk's own number picks by their shares of 1."""

    def __init__(self, parts: Sequence[tuple[float, WalkPolicy]]):
        self._policies = [policy for _, policy in parts]
        self._ends = np.cumsum([share for share, _ in parts])[:-1]

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """Those of each walk's policy."""
        weights = np.zeros(scene.applicable.shape)
        for mine, policy in self._parts(scene):
            weights[mine] = policy.weights(_part(scene, mine))
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Each policy learns of its own walks."""
        for mine, policy in self._parts(scene):
            policy.took(_part(scene, mine), chosen[mine])

    def _parts(self, scene: Scene) -> Iterator[tuple[NDArray[np.int64], WalkPolicy]]:
        which = np.searchsorted(self._ends, scene.own, side="right")
        for number, policy in enumerate(self._policies):
            mine = np.flatnonzero(which == number)
            if len(mine):
                yield mine, policy


def _part(scene: Scene, mine: NDArray[np.int64]) -> Scene:
    """The scene of some of its walks."""
    return Scene(scene.rows[mine], scene.step, scene.own[mine], scene.states[mine], scene.applicable[mine])
