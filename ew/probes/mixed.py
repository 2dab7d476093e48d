"""The walk policy `mixed`: each walk is of one of four kinds, drawn for it with stated shares.

- probes: the ways to the model's probes (`ew.probes.ways`), one after the other, each with an operator to be
  tried at its end; then uniform;
- coverage, plan_prefix, uniform: see `ew.walks.policies`.

A way is found in the model, and is walked as far as the system walked in allows it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from ew.probes.ways import Way
from ew.walks.walk import NONE
from ew.walks.walk_policy import Scene, WalkPolicy


class Probing(WalkPolicy):
    """Walks one way after the other, from the first again after the last; uniform beyond its end."""

    def __init__(self, system: TransitionSystem, ways: Sequence[Way]):
        index = {text: i for i, text in enumerate(system.operators)}
        plans = [(*way.walk, operator) for way in ways for _, operator in way.shows]
        self._plans = [[index.get(text, NONE) for text in plan] for plan in plans]
        self._next = 0
        self._plan: dict[int, list[int]] = {}

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """The next step of the way alone where it is applicable, else 1 for what is."""
        weights = super().weights(scene)
        if not self._plans:
            return weights
        if not scene.step:
            self._plan = {}
            for row in scene.rows.tolist():
                self._plan[row] = self._plans[self._next % len(self._plans)]
                self._next += 1
        for place, row in enumerate(scene.rows.tolist()):
            plan = self._plan[row]
            operator = plan[scene.step] if scene.step < len(plan) else NONE
            if operator != NONE and scene.applicable[place, operator]:
                weights[place] = 0
                weights[place, operator] = 1
        return weights


class Mixed(WalkPolicy):
    """Each walk by one of several policies, which its own number picks; `shares` sum to 1."""

    def __init__(self, parts: Sequence[tuple[float, WalkPolicy]]):
        self._policies = [policy for _, policy in parts]
        self._ends = np.cumsum([share for share, _ in parts])

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

    def _parts(self, scene: Scene):
        which = np.minimum(np.searchsorted(self._ends, scene.own, side="right"), len(self._policies) - 1)
        for number, policy in enumerate(self._policies):
            mine = np.flatnonzero(which == number)
            if len(mine):
                yield mine, policy


def _part(scene: Scene, mine: NDArray[np.int64]) -> Scene:
    return Scene(scene.rows[mine], scene.step, scene.own[mine], scene.states[mine], scene.applicable[mine])
