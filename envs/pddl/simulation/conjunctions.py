"""Many conjunctions of literals, evaluated at once over a batch of states.

A literal's code is `2v` for variable `v` and `2v + 1` for its negation; variable 0 is constantly true, so
that code 0 is true and code 1 false. A truth table is a uint8 array of shape (codes, ceil(batch / 8)): bit
`i` of a row says whether that literal holds in state `i`. One `and` of bytes thus decides eight states, and
a conjunction costs one gathered row a literal. (Tables over groups of atoms would cost one row of *all*
conjunctions a group: more work as soon as the task has more groups than a conjunction has literals.)
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
        self._blocks = [_transposed(b) for b in _merged([_squeezed(b) for b in blocks if len(b.positions)])]

    def evaluate(self, truth: TruthTable) -> NDArray[np.uint8]:
        """Which conjunctions hold, shape (count, width of the truth table); bits as in the truth table."""
        if len(self._blocks) == 1:
            return _all_hold(truth, self._blocks[0].codes)
        held = np.empty((self.count, truth.shape[1]), dtype=np.uint8)
        for block in self._blocks:
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
