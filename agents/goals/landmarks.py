"""Fact landmarks of candidate goals, and goal recognition by the share of them that the observations achieve.

A landmark of a literal is one that every plan for it makes true: without it, the literal cannot be reached
even in the relaxed task (so not all landmarks are found, and what is found is one). Literals that hold at
first are left out. Every relaxed plan passes each landmark, so only the literals of one plan have to be
tried, and all of them are tried for all candidates at once.

An observation achieves the landmarks among what it needs and what it makes true, and those landmarks that
come before these. What counts of a candidate is the share of achieved landmarks, averaged over its
literals.

Source: Pereira, Oren and Meneguzzi 2020, sections 3 and 4.1 (goal completion); the test is that of Zhu and
Givan 2003. Landmarks that hold at first, which they count, tell candidates less apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.relaxed_costs import CostTable, Relaxation
from envs.pddl.simulation.simulator import PackedStates


@dataclass(frozen=True)
class Landmarks:
    """What every plan passes, from one state."""

    literals: NDArray[np.int64]  #: codes of all that was tried
    needed: NDArray[np.bool_]  #: shape (codes, tried): whether a literal is reached only by way of that one

    def of(self, code: int) -> frozenset[int]:
        """The landmarks of a literal, itself among them unless it holds at first."""
        return frozenset(self.literals[self.needed[code]].tolist())

    def achieved(self, literals: Iterable[int]) -> frozenset[int]:
        """The landmarks among literals that were true at some time, and those that come before them."""
        tried = set(self.literals.tolist())
        return frozenset().union(*(self.of(code) for code in tried.intersection(literals)))


def landmarks(
    relaxation: Relaxation, state: PackedStates, table: CostTable, goals: Sequence[Sequence[int]]
) -> Landmarks:
    """The landmarks of all literals of goals, from one state, a row; its costs are the first of `table`."""
    column = table[:, 0]
    plans = relaxation.plans(column, goals)
    passed = {code for goal in goals for code in goal}
    for operator in set[int]().union(*(plan for plan in plans if plan is not None)):
        passed.update(relaxation.needs[:, operator].tolist())
    tried = np.array(
        sorted(c for c in passed if relaxation.is_made(c) and 0 < column[c] < np.inf), dtype=np.int64
    )
    if not len(tried):
        return Landmarks(tried, np.zeros((len(column), 0), dtype=np.bool_))
    without = relaxation.costs(np.repeat(state, len(tried), axis=0), without=tried.tolist())
    return Landmarks(tried, np.isinf(without) & np.isfinite(column)[:, None])


def completion(found: Landmarks, goal: Sequence[int], achieved: frozenset[int]) -> float:
    """The share of achieved landmarks, averaged over the literals of a goal."""
    own = [found.of(code) for code in goal]
    return sum(len(marks & achieved) / len(marks) if marks else 1.0 for marks in own) / max(1, len(own))
