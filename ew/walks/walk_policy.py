"""Walk policies: how a walk chooses its next operator. The base class is the published, uniform walk.

A policy gives every applicable operator a weight; the walk takes one in proportion. It is made for walks in
one transition system, and may learn while walking.

All walks of a batch choose at once, from what was known before the step, and each by random numbers of its
own row, drawn before the first step. So a walk depends on its row and on the steps that the whole batch has
made, never on the order of the rows; for a policy without memory it depends on its row alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from ew.walks.walk import NONE, WalkBatch, walk_by


@dataclass(frozen=True, eq=False)
class Scene:
    """Where some walks of a batch stand before they choose. One row a walk that is not at its end."""

    rows: NDArray[np.int64]  #: which walks of the batch
    step: int  #: operators that each has made; at 0 the walks begin
    own: NDArray[np.float64]  #: a random number in [0, 1) of each walk's own, the same at all its steps
    states: States
    applicable: NDArray[np.bool_]  #: shape (rows, operators)


class WalkPolicy:
    """Every applicable operator alike. Source: Mahdavi et al. 2024, section 4.3."""

    def __init__(self, system: TransitionSystem):
        """A policy that has learned nothing yet, for walks in `system`."""

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """Shape of `scene.applicable`, >= 0; positive only where applicable. A row of zeros ends its walk."""
        return scene.applicable.astype(np.float64)

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Learn that the walks of `scene` chose these operators (-1: the walk ends here)."""


def policy_walks(
    system: TransitionSystem, policy: WalkPolicy, lengths: Sequence[int], rng: np.random.Generator
) -> WalkBatch:
    """One walk from the initial state for every wished length (each >= 1), in that order.

    Draws `rng.random((len(lengths), max(lengths) + 1))` and nothing else; a row's last number is the `own`
    of its scenes. Dead ends are as in `ew.walks.walk`. The policy learns, so a second batch continues from
    the first.
    """
    horizon = max(lengths, default=0)
    draws = rng.random((len(lengths), horizon + 1))

    def by_weight(
        rows: NDArray[np.int64], step: int, states: States, open_to: NDArray[np.bool_]
    ) -> OperatorIndices:
        scene = Scene(rows, step, draws[rows, horizon], states, open_to)
        chosen = choose(policy.weights(scene), draws[rows, step])
        policy.took(scene, chosen)
        return chosen

    return walk_by(system, lengths, by_weight)


def choose(weights: NDArray[np.float64], uniforms: NDArray[np.float64]) -> OperatorIndices:
    """An operator a row, in proportion to the weights, by one number in [0, 1) a row; -1 if all are 0."""
    if not weights.shape[1]:
        return np.full(len(weights), NONE, dtype=np.int64)
    sums = np.cumsum(weights, axis=1)
    targets = uniforms * sums[:, -1]
    chosen = (sums <= targets[:, None]).sum(axis=1)
    # Rounding can carry u * sum up to the sum itself: then the last operator with a weight is meant.
    last = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)
    return np.where(sums[:, -1] > 0, np.minimum(chosen, last), NONE)


def schemas_of(system: TransitionSystem) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The names of the system's action schemas, sorted, and the number of each operator's schema."""
    heads = [text[1:-1].split()[0] for text in system.operators]
    names = tuple(sorted(set(heads)))
    number = {name: i for i, name in enumerate(names)}
    return names, np.array([number[head] for head in heads], dtype=np.int64)
