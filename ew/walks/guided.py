"""The plan prefix policy: follow a plan for a while, then wander.

Ten random steps never reach the actions that need many others before them; the plans of a candidate do, or
claim to. Each walk draws a plan, and how much of it to follow: all of it half of the time, else a part,
every length alike. A step of the plan that is not applicable is skipped. After its part the walk is uniform.
Without a plan it is uniform from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from ew.walks.choosing import Chooser, Scene
from ew.walks.walk import NONE


@dataclass(frozen=True)
class PlanPrefix:
    """Follows one of `plans`, tuples of operator texts."""

    plans: tuple[tuple[str, ...], ...]

    def start(self, system: TransitionSystem) -> Chooser:
        """A chooser for walks in `system`; steps that it does not have are skipped."""
        return _PlanPrefix(system, self.plans)


class _PlanPrefix:
    """The plans in the numbering of one system."""

    def __init__(self, system: TransitionSystem, plans: Sequence[Sequence[str]]):
        index = {text: i for i, text in enumerate(system.operators)}
        self._lengths = np.array([len(plan) for plan in plans], dtype=np.int64)
        self._steps = np.full((len(plans), int(self._lengths.max(initial=0))), NONE, dtype=np.int64)
        for row, plan in enumerate(plans):
            self._steps[row, : len(plan)] = [index.get(text, NONE) for text in plan]

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """The next step of the plan alone where it is applicable, else 1 for what is."""
        weights = scene.applicable.astype(np.float64)
        if scene.step >= self._steps.shape[1]:
            return weights
        plan, length = self._drawn(scene.luck)
        step = np.where(scene.step < length, self._steps[plan, scene.step], NONE)
        rows = np.flatnonzero(step != NONE)
        rows = rows[scene.applicable[rows, step[rows]]]
        weights[rows] = 0
        weights[rows, step[rows]] = 1
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Nothing is learnt."""

    def _drawn(self, luck: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The plan of each walk and how many steps of it to follow, both from the walk's one number."""
        scaled = luck * len(self._lengths)
        plan = np.minimum(scaled.astype(np.int64), len(self._lengths) - 1)
        share = np.minimum(2 * (scaled - plan), 1.0)  # half of all walks go to the end
        return plan, np.ceil(share * self._lengths[plan]).astype(np.int64)
