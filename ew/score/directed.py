"""Walks sampled on one side and run on the other: one direction of the EW score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import TransitionSystem
from ew.score.exercised import Became, Tally, tally
from ew.walks.walk import WalkBatch, align, run_walks, sample_walks


class Direction(StrEnum):
    """Where a walk was sampled, and so which side refused it."""

    FORWARD = "forward"  #: sampled in the world, refused by the model
    BACKWARD = "backward"  #: sampled in the model, refused by the world


class RefusedWalk(NamedTuple):
    """A walk that both sides execute but for its last operator, which only one side does."""

    direction: Direction
    walk: tuple[str, ...]  #: operator texts from the initial state; the last is the refused one


@dataclass(frozen=True, eq=False)
class DirectedWalks:
    """Walks of a source and how far each ran in the target."""

    walks: WalkBatch
    wished: NDArray[np.int64]  #: shape (batch,): the lengths asked for
    ran: NDArray[np.int64]  #: shape (batch,): steps that ran in the target
    operators: Sequence[str]  #: the texts of the source's operators, which `walks` is numbered by

    @property
    def executable(self) -> NDArray[np.bool_]:
        """Which walks ran to their end in the target; shape (batch,)."""
        return np.equal(self.ran, self.walks.lengths)

    def shares(self, t_max: int) -> NDArray[np.float64]:
        """Share of executable walks at each wished length 1 … t_max; shape (t_max,)."""
        total, good = self._counts(t_max)
        return good / total

    def smoothed(self, t_max: int) -> tuple[float, float]:
        """Mean (of all walks, never 0) and variance (by lengths) of the direction's share, for its error."""
        total, good = self._counts(t_max)
        p = (good + 0.5) / (total + 1)
        mean = (good.sum() + 0.5) / (total.sum() + 1)
        return float(mean), float((p * (1 - p) / total).sum()) / t_max**2

    def prefix_values(self, t_max: int) -> NDArray[np.float64]:
        """For walks wished t_max long: the share of their prefixes of length 1 … t_max that run; (batch,).

        The prefixes of a walk that ended in a dead end are judged on the steps made, so all of them run if
        the walk does.
        """
        return np.where(self.executable, 1.0, self.ran / t_max)

    def shortest_refused(self) -> tuple[int, int, tuple[str, ...]] | None:
        """Of the walks that were refused after the fewest steps the first: the steps, its row and operators.

        The operators end with the refused one. None if all walks are executable.
        """
        refused = np.flatnonzero(~self.executable)
        if not len(refused):
            return None
        row = int(refused[np.argmin(self.ran[refused])])
        steps = int(self.ran[row])
        return steps, row, tuple(self.operators[o] for o in self.walks.operators[row, : steps + 1].tolist())

    @property
    def asked_in_source(self) -> int:
        """States in which the source was asked for its applicable operators."""
        lengths = self.walks.lengths
        return int((lengths + (lengths < self.wished)).sum())

    @property
    def asked_in_target(self) -> int:
        """Operators tried in the target."""
        return int((self.ran + ~self.executable).sum())

    def exercised(self, direction: Direction) -> Tally:
        """What became of the operators, of walks in this direction."""
        made = self.walks.operators
        runs = np.arange(made.shape[1]) < self.ran[:, None]
        refused = (np.arange(made.shape[1]) == self.ran[:, None]) & ~self.executable[:, None]
        executed: tuple[Became, Became] = ("world_executed", "model_executed")
        source = executed[direction is Direction.BACKWARD]
        other: Became = "model_refused" if direction is Direction.FORWARD else "world_refused"
        found = tally(self.operators, made[runs], *executed)
        found.update(tally(self.operators, made[refused], source, other))
        return found

    def _counts(self, t_max: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        total = np.bincount(self.wished, minlength=t_max + 1)[1:]
        good = np.bincount(self.wished, weights=self.executable, minlength=t_max + 1)[1:]
        return total.astype(np.float64), good.astype(np.float64)


def walk_across(
    source: TransitionSystem, target: TransitionSystem, lengths: Sequence[int], rng: np.random.Generator
) -> DirectedWalks:
    """Sample a walk of every wished length in `source` and run it in `target`."""
    walks = sample_walks(source, lengths, rng)
    ran = run_walks(target, align(source, target)[walks.operators])
    return DirectedWalks(walks, np.asarray(lengths, dtype=np.int64), ran, source.operators)
