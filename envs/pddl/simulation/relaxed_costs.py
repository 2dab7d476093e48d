"""Relaxed costs and plans in a compiled task, for many states at once: the heuristics h_add and h_FF.

In the relaxed task steps only add: what made a literal true makes it stay so. A literal has the cost of its
cheapest way from a state, where what a step needs is summed (h_add); literals that are false are as good as
true ones, so absent atoms cost what it takes to delete them. Conditions that are no conjunctions are gates,
as `envs.pddl.simulation.gates` has them: a disjunction costs what its cheapest part does. The relaxed plan
for a goal has each step once that these ways take (h_FF). Its length is neither an upper nor a lower bound.

Literals are codes, numbered as in `gates`.

Source: Bonet and Geffner 2001; Hoffmann and Nebel 2001, with the additive best supporters of Keyder and
Geffner 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language.structure import GroundAtom
from envs.pddl.simulation.gates import FALSE_CODE, TRUE_CODE, Codes, Conjunctions
from envs.pddl.simulation.simulator import PackedStates, Task

#: Costs of literals, shape (codes, states); infinite where there is no way.
CostTable = NDArray[np.float64]
#: What a step costs that is taken anyway: more than 0, so that ways have no circles.
FREE = 1e-3


@dataclass(frozen=True)
class _Level:
    """Gates of one level: variable `variables[i]` is the conjunction of `parts[:, i]`."""

    variables: NDArray[np.int64]
    parts: Codes


class Relaxation:
    """The relaxed task."""

    def __init__(self, task: Task):
        dynamics = task.dynamics
        self._atoms, self._codes = len(task.atoms), 2 * dynamics.circuit.variables
        self._static = task.static
        self._index = {atom: 2 * (place + 1) for place, atom in enumerate(task.atoms)}
        self.needs = _padded(dynamics.needs)  #: shape (literals, operators)
        levels = ((variables, _padded(parts)) for variables, parts in dynamics.circuit.levels)
        self._levels = tuple(_Level(variables, parts) for variables, parts in levels)
        changes = dynamics.changes
        targets = [2 * (change.atoms + 1) + (0 if change.adds else 1) for change in changes]
        target = np.concatenate([*targets, _NONE])
        order = np.argsort(target, kind="stable")
        self._owner = np.concatenate([*(c.operators for c in changes), _NONE])[order]
        #: the operators that change something, and for each change the place of its operator among these
        self._makers, self._maker = np.unique(self._owner, return_inverse=True)
        self._making = self.needs[:, self._makers]
        self._when = np.concatenate([*(c.conditions for c in changes), _NONE])[order]
        self._targets, self._starts = np.unique(target[order], return_index=True)
        self._place = np.full(self._codes, -1)
        self._place[self._targets] = np.arange(len(self._targets))
        self._segment = np.repeat(np.arange(len(self._targets)), np.diff([*self._starts, len(order)]))

    def code(self, atom: GroundAtom, positive: bool = True) -> int:
        """An atom or its negation as a literal."""
        return self._index.get(atom, TRUE_CODE if atom in self._static else FALSE_CODE) ^ (not positive)

    def is_made(self, code: int) -> bool:
        """Whether some operator makes a literal true."""
        return bool(self._place[code] >= 0)

    def makes(self, operator: int) -> list[int]:
        """The literals that an operator makes true whenever it runs."""
        own = (self._owner == operator) & (self._when == TRUE_CODE)
        return list(
            np.repeat(self._targets, np.bincount(self._segment, minlength=len(self._targets)))[own].tolist()
        )

    def costs(
        self, states: PackedStates, free: Sequence[int] = (), without: Sequence[int] | None = None
    ) -> CostTable:
        """The cost of every literal from each state. `free` operators cost next to nothing.

        `without` names a literal for each state that is never made true there.
        """
        table = np.full((self._codes, len(states)), np.inf)
        table[TRUE_CODE] = 0
        bits = np.unpackbits(states.view(np.uint8), axis=1, count=self._atoms, bitorder="little").T
        own = table[2 : 2 * (self._atoms + 1)].reshape(self._atoms, 2, len(states))
        own[:, 0][bits == 1] = 0
        own[:, 1][bits == 0] = 0
        step = np.ones((self.needs.shape[1], 1))
        step[list(free)] = FREE
        while True:
            self._settle(table)
            offered = self._offered(table, step)
            if without is not None:
                offered[self._place[list(without)], np.arange(len(without))] = np.inf
            known = table[self._targets]
            if not (offered < known).any():
                return table
            table[self._targets] = np.minimum(known, offered)

    def plans(
        self, column: NDArray[np.float64], goals: Sequence[Sequence[int]], free: Sequence[int] = ()
    ) -> list[set[int] | None]:
        """The relaxed plan for each goal, by the costs from one state."""
        giver = self._givers(column, free)
        return [
            None if any(np.isinf(column[code]) for code in goal) else self._collected(goal, column, giver)
            for goal in goals
        ]

    def _collected(self, goal: Sequence[int], column: NDArray[np.float64], giver: list[int]) -> set[int]:
        plan: set[int] = set()
        done: set[int] = set()
        waiting = list(goal)
        while waiting:
            code = waiting.pop()
            if code in done or not column[code]:
                continue
            done.add(code)
            if code >= 2 * (self._atoms + 1):
                waiting += self._parts(code, column)
                continue
            edge = giver[code]
            operator = int(self._owner[edge])
            waiting.append(int(self._when[edge]))
            if operator not in plan:
                plan.add(operator)
                waiting += self.needs[:, operator].tolist()
        return plan

    def _parts(self, code: int, column: NDArray[np.float64]) -> list[int]:
        """What a gate's literal rests on: all its parts, or of a disjunction the cheapest."""
        for level in self._levels:
            found = np.flatnonzero(level.variables == code // 2)
            if len(found):
                parts = level.parts[:, found[0]]
                if code % 2 == 0:
                    return list(map(int, parts))
                return [int(min((part ^ 1 for part in parts.tolist()), key=lambda c: column[c]))]
        raise AssertionError("every code is an atom's or a gate's")

    def _givers(self, column: NDArray[np.float64], free: Sequence[int]) -> list[int]:
        """For each code, the first of the cheapest changes that make it true; -1 if there is none."""
        step = np.ones((self.needs.shape[1], 1))
        step[list(free)] = FREE
        edges = self._edges(column[:, None], step)[:, 0]
        best = np.minimum.reduceat(edges, self._starts) if len(edges) else edges
        cheapest = np.flatnonzero(edges == best[self._segment])
        segments, first = np.unique(self._segment[cheapest], return_index=True)
        givers = np.full(self._codes, -1)
        givers[self._targets[segments]] = cheapest[first]
        return list(givers.tolist())

    def _settle(self, table: CostTable) -> None:
        """Bring the gates up to date with the atoms."""
        for level in self._levels:
            table[2 * level.variables] = table[level.parts].sum(axis=0)
            table[2 * level.variables + 1] = table[level.parts ^ 1].min(axis=0)

    def _edges(self, table: CostTable, step: NDArray[np.float64]) -> CostTable:
        run = table[self._making].sum(axis=0) + step[self._makers]
        edges: CostTable = run[self._maker] + table[self._when]
        return edges

    def _offered(self, table: CostTable, step: NDArray[np.float64]) -> CostTable:
        edges = self._edges(table, step)
        return np.minimum.reduceat(edges, self._starts, axis=0) if len(edges) else edges


_NONE = np.zeros(0, dtype=np.int64)


def _padded(conjunctions: Conjunctions) -> Codes:
    """The literals of each conjunction in a column, filled up with true."""
    width = max((len(block.codes) for block in conjunctions.blocks), default=1)
    codes = np.full((width, conjunctions.count), TRUE_CODE, dtype=np.int64)
    for block in conjunctions.blocks:
        codes[: len(block.codes), block.positions] = block.codes
    return codes
