"""The disagreement policy: go where the candidates that are still in the running disagree.

Each walk is followed in every rival. An operator that some rivals allow and others refuse weighs
more, since it will tell them apart at once; so does one that led to such places when it was made before. A
rival that refused a step of the walk has nothing more to say on that walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from ew.walks.choosing import Chooser, Scene
from ew.walks.walk import NONE, align

#: What an operator weighs on which all rivals are split evenly; one on which they agree weighs 1.
_SPLIT = 10.0
#: What an operator weighs more that always led to a state in which they are split.
_PROMISE = 4.0


@dataclass(frozen=True)
class Rivals:
    """Walks that tell `rivals` apart; with fewer than two of them, uniform ones."""

    rivals: tuple[TransitionSystem, ...]

    def start(self, system: TransitionSystem) -> Chooser:
        """A chooser for walks in `system`, which may itself be one of the rivals."""
        return _Rivals(system, self.rivals)


class _Rivals:
    """Where each walk of the batch is in each rival, and what operators led to."""

    def __init__(self, system: TransitionSystem, rivals: Sequence[TransitionSystem]):
        self._followed = [_Followed(system, rival) for rival in rivals]
        self._made = np.zeros(len(system.operators))
        self._led = np.zeros(len(system.operators))
        self._last = np.zeros(0, dtype=np.int64)

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """Grows with the split of the rivals on an operator, and with what came after it before."""
        if len(self._followed) < 2:
            return scene.applicable.astype(np.float64)
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
