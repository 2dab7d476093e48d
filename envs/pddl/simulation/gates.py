"""Conditions that are no conjunctions, as gates: a circuit of polynomial size instead of a DNF.

A gate is a variable that stands for a conjunction of literals over atoms and earlier gates; a disjunction
is the negated gate of its negated parts. Equal conjunctions share a gate. Gates are evaluated level by
level; a task without disjunctions and existential quantifiers has none and pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.conjunctions import FALSE_CODE, TRUE_CODE, Block, Codes, Conjunctions, TruthTable


class GateTable:
    """The gates made so far, over the variables 1 .. atoms; mutated by `conjunction` and `disjunction`."""

    def __init__(self, atoms: int):
        self._first = atoms + 1
        self._known: dict[tuple[int, ...], int] = {}
        self._levels: list[int] = []

    def conjunction(self, columns: Sequence[Codes], count: int) -> Codes:
        """One literal a row that holds iff all of the row do; `columns` are arrays of length `count`."""
        if not columns:
            return np.full(count, TRUE_CODE, dtype=np.int64)
        rows = np.sort(np.stack(columns, axis=1), axis=1)
        left, right = rows[:, :-1], rows[:, 1:]
        contradictory = ((left % 2 == 0) & (right == left + 1)).any(axis=1)
        rows[:, 1:][left == right] = TRUE_CODE
        literals: Codes = rows.max(axis=1, initial=TRUE_CODE)
        literals[contradictory | (rows == FALSE_CODE).any(axis=1)] = FALSE_CODE
        several = np.flatnonzero(((rows > FALSE_CODE).sum(axis=1) > 1) & (literals > FALSE_CODE))
        distinct, which = np.unique(rows[several], axis=0, return_inverse=True)
        gates = [self._gate(tuple(sorted(c for c in row if c > FALSE_CODE))) for row in distinct.tolist()]
        literals[several] = np.array(gates, dtype=np.int64)[which.reshape(-1)]
        return literals

    def disjunction(self, columns: Sequence[Codes], count: int) -> Codes:
        """One literal a row that holds iff some literal of the row does."""
        return self.conjunction([c ^ 1 for c in columns], count) ^ 1

    def circuit(self) -> Circuit:
        """The finished gates."""
        levels: list[list[int]] = [[] for _ in range(max(self._levels, default=-1) + 1)]
        for gate, level in enumerate(self._levels):
            levels[level].append(gate)
        return Circuit(self._first, [self._level(gates) for gates in levels], len(self._levels))

    def _gate(self, codes: tuple[int, ...]) -> int:
        if codes not in self._known:
            below = [self._levels[c // 2 - self._first] for c in codes if c // 2 >= self._first]
            self._known[codes] = len(self._levels)
            self._levels.append(1 + max(below, default=-1))
        return 2 * (self._first + self._known[codes])

    def _level(self, gates: Sequence[int]) -> tuple[NDArray[np.int64], Conjunctions]:
        definitions = list(self._known)
        by_width: dict[int, list[int]] = {}
        for i, gate in enumerate(gates):
            by_width.setdefault(len(definitions[gate]), []).append(i)
        blocks = [
            Block(np.array(own), np.array([definitions[gates[i]] for i in own], dtype=np.int64))
            for own in by_width.values()
        ]
        return np.array(gates, dtype=np.int64) + self._first, Conjunctions(blocks, len(gates))


class Circuit:
    """Gates over the bits of a state, and the truth table of all their literals."""

    def __init__(self, first: int, levels: Sequence[tuple[NDArray[np.int64], Conjunctions]], gates: int):
        """Gate variables start at `first`; each level is its gates' variables and their conjunctions."""
        self._atoms = first - 1
        self._variables = first + gates
        self._levels = tuple(levels)

    def truth(self, states: NDArray[np.uint64]) -> TruthTable:
        """The truth table, as `conjunctions` describes it, of packed little-endian states."""
        bits = np.unpackbits(states.view(np.uint8), axis=1, count=self._atoms, bitorder="little")
        if len(states) > 1:
            bits = np.packbits(bits, axis=0, bitorder="little")
        truth = np.empty((self._variables, 2, len(bits)), dtype=np.uint8)
        truth[0, 0] = 255
        truth[1 : self._atoms + 1, 0] = bits.T
        np.invert(truth[: self._atoms + 1, 0], out=truth[: self._atoms + 1, 1])
        codes = truth.reshape(2 * self._variables, len(bits))
        for variables, conjunctions in self._levels:
            held = conjunctions.evaluate(codes)
            truth[variables, 0] = held
            truth[variables, 1] = ~held
        return codes
