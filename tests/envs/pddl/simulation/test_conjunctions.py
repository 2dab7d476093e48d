"""Conjunctions and gates say what a plain loop over their literals says, for any batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.pddl.simulation.gates import FALSE_CODE, TRUE_CODE, Block, Conjunctions, GateTable

ATOMS = 5
CODES = st.integers(0, 2 * ATOMS + 1)
BATCHES = (1, 2, 8, 9, 64, 100)


def random_states(batch: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Truth values, shape (batch, ATOMS), and the same packed into words."""
    values = np.random.default_rng(seed).random((batch, ATOMS)) < 0.5
    padded = np.zeros((batch, 64), dtype=np.uint8)
    padded[:, :ATOMS] = values
    return values, np.packbits(padded, axis=1, bitorder="little").view("<u8")


def holds(code: int, values: np.ndarray) -> bool:
    positive = bool(code < 2 or values[code // 2 - 1])
    return positive == (code % 2 == 0)


def unpacked(held: np.ndarray, batch: int) -> np.ndarray:
    return np.unpackbits(held, axis=1, count=batch, bitorder="little").T.astype(bool)


@given(
    st.lists(st.lists(CODES, max_size=6), min_size=1, max_size=12),
    st.sampled_from(BATCHES),
    st.integers(0, 9),
)
def test_conjunctions_of_any_widths_hold_where_all_their_literals_do(
    rows: list[list[int]], batch: int, seed: int
) -> None:
    values, states = random_states(batch, seed)
    blocks = [
        Block(np.array([i]), np.array([row], dtype=np.int64).reshape(1, len(row)))
        for i, row in enumerate(rows)
    ]
    truth = GateTable(ATOMS).circuit().truth(states)
    held = unpacked(Conjunctions(blocks[::-1], len(rows)).evaluate(truth), batch)
    expected = [[all(holds(c, v) for c in row) for row in rows] for v in values]
    assert held.tolist() == expected


def test_blocks_of_very_different_width_keep_their_places() -> None:
    rng = np.random.default_rng(0)
    places = np.arange(6000)
    narrow = Block(places[places % 20 > 0], rng.integers(2, 12, (5700, 1)))
    wide = Block(places[places % 20 == 0], rng.integers(2, 12, (300, 20)))
    values, states = random_states(3, 1)
    conjunctions = Conjunctions([wide, narrow], 6000)
    held = unpacked(conjunctions.evaluate(GateTable(ATOMS).circuit().truth(states)), 3)
    assert len(conjunctions.blocks) == 2
    for block in (wide, narrow):
        for place, codes in list(zip(block.positions, block.codes, strict=True))[::50]:
            assert held[:, place].tolist() == [all(holds(c, v) for c in codes) for v in values]


@given(
    st.lists(st.lists(st.lists(CODES, min_size=3, max_size=3), max_size=3), min_size=1, max_size=3),
    st.sampled_from(BATCHES),
)
def test_a_conjunction_of_disjunctions_of_conjunctions_holds_where_it_should(
    formula: list[list[list[int]]], batch: int
) -> None:
    gates = GateTable(ATOMS)
    parts = [
        gates.disjunction([gates.conjunction([np.array([c]) for c in term], 1) for term in clause], 1)
        for clause in formula
    ]
    code = gates.conjunction(parts, 1)
    values, states = random_states(batch, 0)
    held = Conjunctions([Block(np.array([0]), code[None])], 1).evaluate(gates.circuit().truth(states))
    expected = [all(any(all(holds(c, v) for c in t) for t in clause) for clause in formula) for v in values]
    assert unpacked(held, batch)[:, 0].tolist() == expected


def combined(*codes: int) -> int:
    return int(GateTable(ATOMS).conjunction([np.array([c]) for c in codes], 1)[0])


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((), TRUE_CODE),
        ((TRUE_CODE, TRUE_CODE), TRUE_CODE),
        ((4, FALSE_CODE), FALSE_CODE),
        ((4, 5), FALSE_CODE),
        ((5, 7, 4), FALSE_CODE),
        ((4, TRUE_CODE, 4), 4),
        ((7, 7, 7), 7),
    ],
)
def test_what_needs_no_gate_gets_none(codes: tuple[int, ...], expected: int) -> None:
    assert combined(*codes) == expected


def test_equal_conjunctions_share_a_gate() -> None:
    gates = GateTable(ATOMS)
    one = gates.conjunction([np.array([2, 6, 4]), np.array([4, 8, 2])], 3)
    other = gates.conjunction([np.array([4]), np.array([2]), np.array([4])], 1)
    assert one[0] == one[2] == other[0] != one[1]
