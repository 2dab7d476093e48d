"""Many conjunctions of literals, evaluated at once over a batch of states.

A literal's code is `2v` for variable `v` and `2v + 1` for its negation; variable 0 is constantly true, so
that code 0 is true and code 1 false. A truth table is a uint8 array of shape (codes, ceil(batch / 8)): bit
`i` of a row says whether that literal holds in state `i`. One `and` of bytes thus decides eight states, and
a conjunction costs one gathered row a literal. (Tables over groups of atoms would cost one row of *all*
conjunctions a group: more work as soon as the task has more groups than a conjunction has literals.)

Conditions that are no conjunctions are gates: a circuit of polynomial size instead of a DNF. A gate is a
variable that stands for a conjunction of literals over atoms and earlier gates; a disjunction is the negated
gate of its negated parts. Equal conjunctions share a gate. Gates are evaluated level by level; a task
without disjunctions and existential quantifiers has none and pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
TruthTable = NDArray[np.uint8]
TRUE_CODE, FALSE_CODE = 0, 1
#: Blocks of different width are padded into one if it stays this small: a numpy call costs more.
_SMALL = 4096


@dataclass(frozen=True)
class Block:
    """Conjunctions `positions[i]` of the literals `codes[i]`; shape of codes: (conjunctions, literals)."""

    positions: Codes
    codes: Codes


class Conjunctions:
    """Conjunctions numbered 0 .. count-1."""

    def __init__(self, blocks: Sequence[Block], count: int):
        """Takes blocks whose positions together are a permutation of 0 .. count-1."""
        self.count = count
        #: literals first: shape of their codes (literals, conjunctions)
        self.blocks = [_transposed(b) for b in _merged([_squeezed(b) for b in blocks if len(b.positions)])]

    def evaluate(self, truth: TruthTable) -> NDArray[np.uint8]:
        """Which conjunctions hold, shape (count, width of the truth table); bits as in the truth table."""
        if len(self.blocks) == 1:
            return _all_hold(truth, self.blocks[0].codes)
        held = np.empty((self.count, truth.shape[1]), dtype=np.uint8)
        for block in self.blocks:
            held[block.positions] = _all_hold(truth, block.codes)
        return held


def _all_hold(truth: TruthTable, codes: Codes) -> NDArray[np.uint8]:
    held: NDArray[np.uint8] = np.bitwise_and.reduce(truth.take(codes, axis=0), axis=0)
    return held


def _squeezed(block: Block) -> Block:
    """Without the columns that are constantly true; at least one column is left."""
    kept = block.codes[:, (block.codes != TRUE_CODE).any(axis=0)]
    return Block(block.positions, kept if kept.shape[1] else np.zeros((len(kept), 1), dtype=np.int64))


def _merged(blocks: Sequence[Block]) -> list[Block]:
    """Fewer blocks, padded with true, as long as padding at most doubles the work or stays small."""
    merged: list[Block] = []
    for block in sorted(blocks, key=lambda b: b.codes.shape[1]):
        if merged:
            both = [merged[-1], block]
            padded = sum(len(b.positions) for b in both) * block.codes.shape[1]
            if padded <= max(_SMALL, 2 * sum(b.codes.size for b in both)):
                merged[-1] = _padded(both, block.codes.shape[1])
                continue
        merged.append(block)
    return merged


def _padded(blocks: Sequence[Block], width: int) -> Block:
    codes = [np.pad(b.codes, ((0, 0), (0, width - b.codes.shape[1]))) for b in blocks]
    return Block(np.concatenate([b.positions for b in blocks]), np.concatenate(codes))


def _transposed(block: Block) -> Block:
    """Rows in the order of their positions, literals first: the layout that is gathered from."""
    order = np.argsort(block.positions)
    return Block(block.positions[order], np.ascontiguousarray(block.codes[order].T))


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
        listed = [tuple(row) for row in rows[several].tolist()]
        gates = {
            row: self._gate(tuple(sorted(c for c in row if c > FALSE_CODE))) for row in sorted(set(listed))
        }
        literals[several] = [gates[row] for row in listed]
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
        self.variables = first + gates
        self.levels = tuple(levels)

    def truth(self, states: NDArray[np.uint64]) -> TruthTable:
        """The truth table, as `conjunctions` describes it, of packed little-endian states."""
        bits = np.unpackbits(states.view(np.uint8), axis=1, count=self._atoms, bitorder="little")
        if len(states) > 1:
            bits = np.packbits(bits, axis=0, bitorder="little")
        truth = np.empty((self.variables, 2, len(bits)), dtype=np.uint8)
        truth[0, 0] = 255
        truth[1 : self._atoms + 1, 0] = bits.T
        np.invert(truth[: self._atoms + 1, 0], out=truth[: self._atoms + 1, 1])
        codes = truth.reshape(2 * self.variables, len(bits))
        for variables, conjunctions in self.levels:
            held = conjunctions.evaluate(codes)
            truth[variables, 0] = held
            truth[variables, 1] = ~held
        return codes
