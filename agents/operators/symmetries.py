"""Symmetric relations, as far as traces show: `(connected ?x ?y)` holds wherever `(connected ?y ?x)` does.

A predicate is symmetric in an order of its arguments if in every state that was seen, of each atom that
holds, the one in that order is not known to be false, and `MIN_SUPPORT` atoms over all traces bear it out.
The states are a sample: this is evidence, and no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from agents.operators.examples import Table
from agents.operators.lifted import EQUAL, NamedLiteral
from envs.pddl.language.vocabulary import Parameters
from envs.pddl.traces.trace import Trace

#: Ground atoms, over all traces, that are known to hold together with the one in the other order.
MIN_SUPPORT = 10


class Symmetries:
    """The symmetries of predicates in all states of some traces, looked up when they are asked for."""

    def __init__(self, traces: Sequence[Trace], noise: float = 0.0):
        """With `noise`, the probability of a flip, an atom holds in a trace if it does in most of its states.

        Then twice that share of the atoms may lack the other one.
        """
        self._noise = noise
        self._states = [(trace.atoms, *(_voted(trace) if noise else _padded(trace))) for trace in traces]
        self._known: dict[tuple[str, tuple[int, ...]], bool] = {}

    def has(self, one: NamedLiteral, other: NamedLiteral) -> bool:
        """Whether two atoms of one predicate and the same terms, each once, hold in the same states."""
        if len(set(one.terms)) < len(one.terms):
            return False
        key = one.predicate, tuple(one.terms.index(term) for term in other.terms)
        if key not in self._known:
            self._known[key] = self._holds(*key)
        return self._known[key]

    def again(self, literals: Iterable[NamedLiteral], parameters: Parameters) -> set[NamedLiteral]:
        """Of the atoms of a symmetric relation, those that say again, in another order, what one says.

        That one has its parameters first in their order.
        """
        order = {variable: i for i, (variable, _) in enumerate(parameters)}
        found: set[NamedLiteral] = set()
        said: dict[tuple[str, tuple[str, ...]], list[NamedLiteral]] = {}
        atoms = (literal for literal in literals if literal.positive and literal.predicate != EQUAL)
        for atom in sorted(atoms, key=lambda atom: [order.get(term, -1) for term in atom.terms]):
            others = said.setdefault((atom.predicate, tuple(sorted(atom.terms))), [])
            if any(self.has(other, atom) for other in others):
                found.add(atom)
            others.append(atom)
        return found

    def _holds(self, predicate: str, order: tuple[int, ...]) -> bool:
        borne_out = lacking = 0
        for atoms, true, known in self._states:
            columns = {atom: i for i, atom in enumerate(atoms) if atom[0] == predicate}
            ones = list(columns.values())
            others = [columns.get((predicate, *(atom[1 + place] for place in order)), -1) for atom in columns]
            seen = true[:, ones] & known[:, others]
            lacking += int(np.count_nonzero((seen & ~true[:, others]).any(axis=0)))
            borne_out += int(np.count_nonzero((seen & true[:, others]).any(axis=0)))
        return borne_out >= MIN_SUPPORT and lacking <= 2 * self._noise * borne_out


def _padded(trace: Trace) -> tuple[Table, Table]:
    """What holds and what is known; in the last place, of what no state names, that it is whole says all."""
    return np.pad(trace.holds, ((0, 0), (0, 1))), np.column_stack([trace.known, trace.whole])


def _voted(trace: Trace) -> tuple[Table, Table]:
    """What holds in most states, and what is known in some, as if of one state."""
    true, known = _padded(trace)
    most = 2 * true.sum(axis=0, keepdims=True) > known.sum(axis=0, keepdims=True)
    return np.asarray(most, dtype=np.bool_), np.asarray(known.any(axis=0, keepdims=True), dtype=np.bool_)
