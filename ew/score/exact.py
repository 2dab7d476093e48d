"""The exact EW value of small tasks, by propagating probability over joint states. The estimators' oracle.

A joint state is a world state and a model state that one walk leads to. The probability that a random walk of
the world is in it, having run in the model so far, is divided in equal parts among the world's applicable
operators; what goes to an operator that the model refuses is lost. Where the world has no applicable operator
the walk ends and its probability is kept: a dead end refuses nothing. What is left after T steps, ended walks
included, is the share of walks of length T that run. Backward is the same with the sides swapped, on the same
joint states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import States, TransitionSystem
from ew.score.uncertainty import harmonic_mean
from ew.walks.walk import NONE, align

#: More joint states than this at one depth are not propagated.
MAX_JOINT_STATES = 200_000


class TooManyStates(ValueError):
    """The task is too large for exact values. Plain data; survives pickling."""

    def __str__(self) -> str:
        steps, states, limit = self.args
        return f"{states} joint states after {steps} steps, more than {limit}: take a smaller task or t_max"


@dataclass(frozen=True)
class ExactEW:
    """What every estimator estimates."""

    forward_at: tuple[float, ...]  #: share of walks of length 1 … t_max that run, from the world
    backward_at: tuple[float, ...]  #: likewise, from the model

    @property
    def forward(self) -> float:
        """Mean over the lengths."""
        return sum(self.forward_at) / len(self.forward_at)

    @property
    def backward(self) -> float:
        """Mean over the lengths."""
        return sum(self.backward_at) / len(self.backward_at)

    @property
    def score(self) -> float:
        """The harmonic mean of both directions."""
        return harmonic_mean(self.forward, self.backward)


def exact_ew(
    world: TransitionSystem, model: TransitionSystem, t_max: int = 10, max_states: int = MAX_JOINT_STATES
) -> ExactEW:
    """The exact shares of both directions. Raises TooManyStates beyond `max_states` at one depth."""
    to_model = align(world, model)[:-1]
    front = _Front(world.initial(1), model.initial(1), np.ones((1, 2)))
    ended = np.zeros(2)
    shares = []
    for step in range(1, t_max + 1):
        in_world, in_model = world.applicable(front.here), model.applicable(front.there)
        counts = np.stack([np.count_nonzero(in_world, axis=1), np.count_nonzero(in_model, axis=1)], axis=1)
        ended += np.where(counts == 0, front.mass, 0.0).sum(axis=0)
        parts = np.where(counts > 0, front.mass / np.maximum(counts, 1), 0.0)
        shared = np.flatnonzero(to_model != NONE)
        rows, columns = np.nonzero(in_world[:, shared] & in_model[:, to_model[shared]])
        if len(rows) > 50 * max_states:
            raise TooManyStates(step, len(rows), max_states)
        operators = shared[columns]
        here = world.successors(front.here[rows], operators)
        there = model.successors(front.there[rows], to_model[operators])
        front = _merged(here, there, parts[rows])
        shares.append(front.mass.sum(axis=0) + ended)
        if len(front.mass) > max_states:
            raise TooManyStates(step, len(front.mass), max_states)
    return ExactEW(tuple(float(s[0]) for s in shares), tuple(float(s[1]) for s in shares))


@dataclass(frozen=True, eq=False)
class _Front:
    """The joint states at one depth; `mass[:, 0]` is their forward probability, `mass[:, 1]` backward."""

    here: States
    there: States
    mass: NDArray[np.float64]


def _merged(here: States, there: States, mass: NDArray[np.float64]) -> _Front:
    """Equal joint states as one, with the sum of their probabilities."""
    first: dict[object, int] = {}
    which = np.array(
        [first.setdefault((_key(a), _key(b)), len(first)) for a, b in zip(here, there, strict=True)],
        dtype=np.int64,
    )
    _, kept = np.unique(which, return_index=True)
    sums = np.zeros((len(first), 2))
    np.add.at(sums, which, mass)
    return _Front(here[kept], there[kept], sums)


def _key(state: object) -> object:
    """Equal for equal states, of packed rows, numbers or objects."""
    return state.tobytes() if isinstance(state, np.ndarray | np.generic) else state
