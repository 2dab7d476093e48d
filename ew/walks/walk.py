"""Walks: sequences of operators, sampled in one transition system and replayed in another.

A walk is a row of operator indices of the system it was sampled in, padded with -1. All walks of a batch
advance together, one step at a time; rows that have ended leave the batch. Every random number is drawn
before the first step, as one matrix with a row per walk, so a walk depends on its row alone and never on
what became of the others. Over a single simulator (`Simulated`) each walk goes to its end before the next
begins, so that one which goes on is never run again.

Dead ends: a walk that reaches a state without applicable operators ends there, shorter than wished. It is
kept, as a walk of the length it reached. Length 0 therefore means that the initial state is a dead end.
Source: Mahdavi et al. 2024, section 4.3, uniform over the applicable operators at each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from ew.walks.adapter import transitions_of as transitions_of
from ew.walks.simulator_cost import simulated

#: Pads a walk beyond its end; in an alignment: an operator that the other system does not have.
NONE = -1
#: How a batch chooses: from the rows that continue, the step, their states and what is applicable there, to
#: an operator a row (NONE where there is none).
Choice = Callable[[NDArray[np.int64], int, States, NDArray[np.bool_]], OperatorIndices]


@dataclass(frozen=True, eq=False)
class WalkBatch:
    """A batch of walks in the numbering of the system they were sampled in. Treated as immutable."""

    operators: OperatorIndices  #: shape (batch, longest wished length), padded with -1
    lengths: NDArray[np.int64]  #: shape (batch,): steps really made

    def words(self, row: int, system: TransitionSystem) -> tuple[str, ...]:
        """The operators' texts of one walk, in the system it was sampled in."""
        return tuple(system.operators[int(i)] for i in self.operators[row, : self.lengths[row]])


def sample_walks(system: TransitionSystem, lengths: Sequence[int], rng: np.random.Generator) -> WalkBatch:
    """One random walk from the initial state for every wished length (each >= 1), in that order.

    Draws `rng.random((len(lengths), max(lengths)))` and nothing else.
    """
    uniforms = rng.random((len(lengths), max(lengths, default=0)))
    tried = simulated(system)
    if tried is not None and not tried.lists:
        return _walked(system, lengths, lambda rows, step, states: tried.drawn(states, uniforms[rows, step]))

    def at_random(
        rows: NDArray[np.int64], step: int, _states: States, open_to: NDArray[np.bool_]
    ) -> OperatorIndices:
        return choose(open_to, uniforms[rows, step])

    return walk_by(system, lengths, at_random)


def walk_by(system: TransitionSystem, lengths: Sequence[int], choice: Choice) -> WalkBatch:
    """One walk from the initial state for every wished length (each >= 1), all a step at a time.

    `choice` is asked once a step for the rows that continue; a row without an operator ends there.
    """

    def chosen(rows: NDArray[np.int64], step: int, states: States) -> OperatorIndices:
        return choice(rows, step, states, system.applicable(states))

    return _walked(system, lengths, chosen)


def _walked(
    system: TransitionSystem,
    lengths: Sequence[int],
    chosen_by: Callable[[NDArray[np.int64], int, States], OperatorIndices],
) -> WalkBatch:
    """One walk for every wished length; `chosen_by` is `Choice` without what is applicable."""
    wished = np.asarray(lengths, dtype=np.int64)
    operators = np.full((len(wished), int(wished.max(initial=0))), NONE, dtype=np.int64)
    reached = np.zeros(len(wished), dtype=np.int64)
    for rows in together(system, len(wished)):
        states = system.initial(len(rows))
        for step in range(operators.shape[1]):
            going = wished[rows] > step
            rows, states = rows[going], states[going]
            if not len(rows):
                break
            chosen = chosen_by(rows, step, states)
            alive = chosen != NONE
            rows, states, chosen = rows[alive], states[alive], chosen[alive]
            operators[rows, step] = chosen
            reached[rows] += 1
            states = system.successors(states, chosen)
    return WalkBatch(operators, reached)


def together(system: TransitionSystem, batch: int) -> list[NDArray[np.int64]]:
    """The rows that advance together: all of them, or each alone over a single simulator."""
    rows = np.arange(batch)
    return [rows] if simulated(system) is None else [rows[i : i + 1] for i in range(batch)]


def run_walks(system: TransitionSystem, operators: OperatorIndices) -> NDArray[np.int64]:
    """How many operators of each row ran from the initial state before one was refused; shape (batch,).

    `operators` is in the numbering of `system`, shape (batch, steps). -1 ends a row, be it padding or an
    operator that the system does not have, so a row was refused iff fewer ran than the walk is long.
    """
    batch, horizon = operators.shape
    ran = np.zeros(batch, dtype=np.int64)
    for rows in together(system, batch):
        states = system.initial(len(rows))
        for step in range(horizon):
            chosen = operators[rows, step]
            known = chosen != NONE
            rows, states, chosen = rows[known], states[known], chosen[known]
            if not len(rows):
                break
            runs = _executes(system, states, chosen)
            rows, states, chosen = rows[runs], states[runs], chosen[runs]
            ran[rows] += 1
            states = system.successors(states, chosen)
    return ran


def _executes(system: TransitionSystem, states: States, operators: OperatorIndices) -> NDArray[np.bool_]:
    """Whether each state's operator may run."""
    tried = simulated(system)
    if tried is not None:
        return tried.executes(states, operators)
    runs: NDArray[np.bool_] = system.applicable(states)[np.arange(len(states)), operators]
    return runs


def starts(system: TransitionSystem) -> bool:
    """Whether some operator may run in the initial state."""
    tried = simulated(system)
    if tried is not None and not tried.lists:
        return bool((tried.drawn(system.initial(1), np.zeros(1)) != NONE).all())
    return bool(system.applicable(system.initial(1)).any())


def walk_of(system: TransitionSystem, walk: Sequence[str]) -> OperatorIndices:
    """A walk of operator texts in the numbering of `system`, shape (1, len(walk)); -1 where it has none."""
    index = {text: i for i, text in enumerate(system.operators)}
    return np.array([[index.get(text, NONE) for text in walk]], dtype=np.int64)


def align(source: TransitionSystem, target: TransitionSystem) -> OperatorIndices:
    """The index in `target` of every operator of `source`, -1 where it has none, and a last -1.

    The last entry makes padding survive: `align(a, b)[walks.operators]` is the same walks for `b`.
    """
    if source.operators == target.operators:  # the usual case by far, and cheaper to see than to look up
        return np.append(np.arange(len(source.operators)), NONE)
    index = {text: i for i, text in enumerate(target.operators)}
    return np.array([*(index.get(text, NONE) for text in source.operators), NONE], dtype=np.int64)


def sets_differ(
    ours: NDArray[np.bool_], theirs: NDArray[np.bool_], there: OperatorIndices, back: OperatorIndices
) -> NDArray[np.bool_]:
    """In which rows the applicable operators differ, those of one side only included; shape (batch,).

    `there` and `back` are the alignments of our operators with theirs, and of theirs with ours.
    """
    padded = np.concatenate([theirs, np.zeros((len(theirs), 1), dtype=np.bool_)], axis=1)
    only_theirs = theirs[:, back[:-1] == NONE].any(axis=1)
    return np.asarray((ours != padded[:, there[:-1]]).any(axis=1) | only_theirs)


def choose(applicable: NDArray[np.bool_], uniforms: NDArray[np.float64]) -> OperatorIndices:
    """A uniformly chosen applicable operator a row, by one number in [0, 1) a row; -1 where none is."""
    batch, operators = applicable.shape
    flat = np.flatnonzero(applicable)
    ends = np.searchsorted(flat, np.arange(1, batch + 1) * operators)
    counts = np.diff(ends, prepend=0)
    # Rounding can carry u * count up to count itself, hence the minimum.
    rank = np.minimum((uniforms * counts).astype(np.int64), counts - 1)
    chosen = np.full(len(counts), NONE, dtype=np.int64)
    some = counts > 0
    chosen[some] = flat[(ends - counts + rank)[some]] % applicable.shape[1]
    return chosen
