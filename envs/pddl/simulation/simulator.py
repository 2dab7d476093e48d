"""A compiled task: batches of states as packed bits, and what operators do to them.

A state is a row of little-endian 64-bit words, one bit a fluent atom; two states are equal iff their rows
are. All conditions, those of conditional effects included, are read in the old state; then atoms are
deleted, then added, so that an atom both deleted and added stays true.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices
from envs.pddl.language.structure import GroundAtom
from envs.pddl.simulation.gates import TRUE_CODE, Circuit, Codes, Conjunctions, TruthTable

#: Packed states, shape (batch, words).
PackedStates = NDArray[np.uint64]
#: Ground atoms that hold.
Atoms = frozenset[GroundAtom]
_WORD = np.dtype("<u8")
#: Words of one mask of all operators above which they are kept as rules instead.
_DENSEST = 1 << 20
#: Bytes of packed answers from which on transposing them bit by bit pays.
_LARGE = 4096


@dataclass(frozen=True)
class Changes:
    """Effects of one kind: `operators[i]` changes atom `atoms[i]` if literal `conditions[i]` holds."""

    operators: NDArray[np.int64]
    conditions: Codes
    atoms: NDArray[np.int64]
    adds: bool


@dataclass(frozen=True)
class Dynamics:
    """Operators over numbered atoms: what they need and what they change."""

    operators: tuple[str, ...]
    circuit: Circuit
    needs: Conjunctions
    changes: tuple[Changes, ...]


class Task:
    """A problem that can be walked in. Satisfies `interface.TransitionSystem`; immutable and picklable."""

    def __init__(
        self,
        atoms: tuple[GroundAtom, ...],
        static: Atoms,
        initial: Atoms,
        dynamics: Dynamics,
        goal: Dynamics,
    ):
        """Made by `compile.compile_task`."""
        self.dynamics = dynamics  #: the operators as conjunctions and changes, for heuristics
        self.operators = dynamics.operators  #: canonical texts, sorted
        self.operator_index: Mapping[str, int] = {text: i for i, text in enumerate(self.operators)}
        self.atoms = atoms  #: the fluent atoms, sorted; bit `i` of a state is `atoms[i]`
        self.static = static  #: the atoms that hold in every state
        self._atom_index = {atom: i for i, atom in enumerate(atoms)}
        self._words = max(1, -(-len(atoms) // 64))
        self._circuit, self._needs = dynamics.circuit, dynamics.needs
        self._goal_circuit, self._goal_needs = goal.circuit, goal.needs
        self._effects = _Effects(dynamics.changes, len(self.operators), self._words)
        self._initial = self.state_of(initial)

    def initial(self, batch: int) -> PackedStates:
        """`batch` fresh copies of the initial state."""
        return np.repeat(self._initial[None], batch, axis=0)

    def applicable(self, states: PackedStates) -> NDArray[np.bool_]:
        """Which operators may run, shape (len(states), len(operators))."""
        return _per_state(self._needs.evaluate(self._circuit.truth(states)), len(states))

    def successors(self, states: PackedStates, operators: OperatorIndices) -> PackedStates:
        """New states after one operator a row (-1: unchanged). Operators must be applicable; not checked."""
        truth = self._circuit.truth(states) if self._effects.conditional else None
        return self._effects.apply(states, operators, truth)

    def goal_reached(self, states: PackedStates) -> NDArray[np.bool_]:
        """Whether the goal holds, shape (len(states),)."""
        return _per_state(self._goal_needs.evaluate(self._goal_circuit.truth(states)), len(states))[:, 0]

    def bits(self, states: PackedStates) -> NDArray[np.uint8]:
        """The states as 0 and 1, shape (len(states), len(self.atoms))."""
        packed = np.ascontiguousarray(states).view(np.uint8)
        return np.unpackbits(packed, axis=1, count=len(self.atoms), bitorder="little")

    def atoms_of(self, state: PackedStates) -> frozenset[GroundAtom]:
        """All atoms that hold in one state's row, static ones included."""
        bits = np.unpackbits(state.reshape(-1).view(np.uint8), bitorder="little")
        return self.static.union(self.atoms[i] for i in np.flatnonzero(bits).tolist())

    def state_of(self, atoms: Collection[GroundAtom]) -> PackedStates:
        """The row, shape (words,), of the state in which exactly `atoms` and the static atoms hold.

        Raises ValueError for an atom that no state of this task can hold.
        """
        bits = np.zeros(64 * self._words, dtype=np.uint8)
        for atom in atoms:
            if atom in self._atom_index:
                bits[self._atom_index[atom]] = 1
            elif atom not in self.static:
                raise ValueError(f"atom ({' '.join(atom)}) can never hold in this task")
        return np.packbits(bits, bitorder="little").view(_WORD)


class _Effects:
    """What every operator deletes and adds: masks for what is unconditional, rules for the rest."""

    def __init__(self, changes: Sequence[Changes], operators: int, words: int):
        # One row more than there are operators: index -1 finds the one that changes nothing.
        dense = (operators + 1) * words <= _DENSEST
        shape = (operators + 1, words) if dense else (1, 1)
        self._dense = dense
        self._keep = np.full(shape, ~np.uint64(0), dtype=_WORD)
        self._add = np.zeros(shape, dtype=_WORD)
        if dense:
            for change in changes:
                self._mask(_where(change, change.conditions == TRUE_CODE))
            changes = [_where(change, change.conditions != TRUE_CODE) for change in changes]
        self._rules = [_Rules([c for c in changes if c.adds == adds], operators) for adds in (False, True)]
        self.conditional = any(rules.any for rules in self._rules)

    def _mask(self, sure: Changes) -> None:
        places = sure.operators, sure.atoms >> 6
        if sure.adds:
            np.bitwise_or.at(self._add, places, _bit(sure.atoms))
        else:
            np.bitwise_and.at(self._keep, places, ~_bit(sure.atoms))

    def apply(
        self, states: PackedStates, operators: OperatorIndices, truth: TruthTable | None
    ) -> PackedStates:
        """The states after the operators; `truth` is that of the old states, needed if `conditional`."""
        masks = operators if self._dense else np.zeros_like(operators)
        after = states & self._keep[masks]
        if truth is None:
            after |= self._add[masks]
            return after
        deleted, added = (rules.fired(truth, operators, states.shape) for rules in self._rules)
        after &= ~deleted
        after |= self._add[masks]
        after |= added
        return after


class _Rules:
    """Adds (or deletes) of all operators that are decided when they run, in the order of the operators."""

    def __init__(self, changes: Sequence[Changes], operators: int):
        owners = _joined([c.operators for c in changes])
        order = np.argsort(owners, kind="stable")
        self._conditions = _joined([c.conditions for c in changes])[order]
        self._atoms = _joined([c.atoms for c in changes])[order]
        self._counts = np.bincount(owners, minlength=operators + 1)
        self._starts = np.cumsum(self._counts) - self._counts
        self.any = len(order) > 0

    def fired(self, truth: TruthTable, operators: OperatorIndices, shape: tuple[int, ...]) -> PackedStates:
        """The bits of the atoms whose condition holds, a row a state; `shape` is that of the states."""
        bits = np.zeros(shape, dtype=_WORD)
        counts = self._counts[operators]
        rows = np.repeat(np.arange(len(operators)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        rules = np.repeat(self._starts[operators], counts) + within
        held = (truth[self._conditions[rules], rows >> 3] >> (rows & 7).astype(np.uint8)) & 1
        rows, atoms = rows[held == 1], self._atoms[rules[held == 1]]
        np.bitwise_or.at(bits, (rows, atoms >> 6), _bit(atoms))
        return bits


def _per_state(held: NDArray[np.uint8], batch: int) -> NDArray[np.bool_]:
    """Bits of shape (conjunctions, bytes) as booleans of shape (batch, conjunctions)."""
    if batch == 1:
        return (held.T & 1).view(np.bool_)
    if held.size < _LARGE:
        bits = np.unpackbits(held, axis=1, count=batch, bitorder="little")
        return np.ascontiguousarray(bits.T).view(np.bool_)
    # Transposing the packed bytes and then unpacking whole rows reads and writes memory in order.
    packed = np.ascontiguousarray(held.T)
    rows = np.empty((held.shape[1], 8, held.shape[0]), dtype=np.uint8)
    for bit in range(8):
        np.right_shift(packed, bit, out=rows[:, bit])
    rows &= 1
    return rows.reshape(-1, held.shape[0])[:batch].view(np.bool_)


def _where(change: Changes, chosen: NDArray[np.bool_]) -> Changes:
    return Changes(change.operators[chosen], change.conditions[chosen], change.atoms[chosen], change.adds)


def _bit(atoms: NDArray[np.int64]) -> NDArray[np.uint64]:
    bits: NDArray[np.uint64] = np.uint64(1) << (atoms & 63).astype(_WORD)
    return bits


def _joined(arrays: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)
