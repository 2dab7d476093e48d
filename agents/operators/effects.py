"""Effects of an action whose arguments are known, without conditions and quantifiers.

An atom that became true when an operator ran was added by it, if no other run of the action left it false;
one that became false was deleted, if no other run left it true, save where the same run also adds it: what is
both deleted and added stays true. Where arguments are equal, or are constants, one change may be that of
several lifted atoms: then each of them is an effect as far as nothing refutes it, and is told as undetermined
unless some run shows it alone. So is what states that were only seen in part may hide. What was seen and
never changed is no effect.

What changed and is no effect of this form (an object beside the arguments, a condition, a quantifier) is not
guessed at: it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.operators.examples import Examples, Table, some
from agents.operators.lifted import Literal

#: Examples of one unexplained change that are told.
MAX_TOLD = 5


@dataclass(frozen=True)
class Effects:
    """What was found; tuples are sorted."""

    kept: tuple[Literal, ...]
    undetermined: tuple[Literal, ...]  #: kept or not
    unexplained: tuple[str, ...]  #: changes, in words; of each kind the first few


def learn_effects(seen: Examples, preconditions: Sequence[Literal]) -> Effects:
    """The effects of an action. An effect that the preconditions make idle is not in doubt, and not told."""
    before, after = seen.before, seen.after
    became_true, became_false = before.false & after.true, before.true & after.false
    adds = some(became_true) & ~some(after.false)
    readded = _also_at(seen.places, adds)
    deletes = some(became_false) & ~some(after.true & ~readded)
    shown = _alone(became_true, adds, seen.places), _alone(became_false, deletes, seen.places)
    needed = frozenset(preconditions)
    hidden_add = some(~before.known & after.true) & ~some(after.false)
    hidden_delete = some(~before.known & after.false) & ~some(after.true & ~readded)
    open_adds = (adds | hidden_add) & ~shown[0] & ~_implied(seen, needed, True)
    open_deletes = (deletes | hidden_delete) & ~shown[1] & ~_implied(seen, needed, False)
    return Effects(
        tuple(sorted((*_of(seen, adds, True), *_of(seen, deletes, False)))),
        tuple(sorted((*_of(seen, open_adds, True), *_of(seen, open_deletes, False)))),
        tuple(_unexplained(seen, adds, deletes)),
    )


def _implied(seen: Examples, needed: frozenset[Literal], positive: bool) -> Table:
    """Which atoms the preconditions say to hold (or not to) already."""
    said = (atom if positive else atom.negated for atom in seen.atoms)
    return np.array([literal in needed for literal in said], dtype=np.bool_)


def _also_at(places: NDArray[np.int64], adds: Table) -> Table:
    """Where a lifted atom is ground to the same atom as one that is added; shape (examples, atoms)."""
    rows = [np.isin(row, row[adds]) for row in places]
    return np.array(rows, dtype=np.bool_).reshape(places.shape)


def _alone(changed: Table, effects: Table, places: NDArray[np.int64]) -> Table:
    """The effects that some example shows to be the only explanation of a change."""
    shown = np.zeros(len(effects), dtype=np.bool_)
    for row, where in zip(changed & effects, places, strict=True):
        candidates = np.flatnonzero(row)
        _, first, counts = np.unique(where[candidates], return_index=True, return_counts=True)
        shown[candidates[first[counts == 1]]] = True
    return shown


def _of(seen: Examples, mask: Table, adds: bool) -> Iterator[Literal]:
    for i in np.flatnonzero(mask).tolist():
        yield seen.atoms[i] if adds else seen.atoms[i].negated


def _unexplained(seen: Examples, adds: Table, deletes: Table) -> Iterator[str]:
    """Changes of whole traces' states that no effect found explains."""
    told: dict[str, int] = {}
    for row, example in zip(seen.places, seen.executed, strict=True):
        trace, step = example.trace, example.step
        if step.after is None:
            continue
        known = trace.known[step.before] & trace.known[step.after]
        for became, mask in ((True, adds), (False, deletes)):
            changed = known & (trace.holds[step.after] == became) & (trace.holds[step.before] != became)
            changed[row[mask & (row >= 0)]] = False
            for i in np.flatnonzero(changed).tolist():
                atom = trace.atoms[i]
                told[atom[0]] = told.get(atom[0], 0) + 1
                if told[atom[0]] <= MAX_TOLD:
                    where = f" ({step.place})" if step.place else ""
                    yield f"{step.operator} made ({' '.join(atom)}) {'true' if became else 'false'}{where}"
