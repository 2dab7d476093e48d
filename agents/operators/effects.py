"""Which lifted effects of an action explain the changes that its examples show, and which changes none does.

A change is that of a ground atom; where arguments are equal, or are constants, several lifted atoms are the
same ground one, and each may be the effect. `places` are those of `Examples`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from agents.operators.conditional import AtomChange
from agents.operators.examples import Examples, Table, greedy_cover

#: Examples of one unexplained change, and unexplained refusals of one operator, that are listed.
MAX_LISTED = 5


def few_that_explain(changed: Table, candidates: Table, places: NDArray[np.int64]) -> Table:
    """Of the candidates those that some example shows alone, and few that explain the other changes."""
    found = alone(changed, candidates, places)
    covers = []
    for row, where in zip(changed & candidates, places, strict=True):
        for place in np.unique(where[row & ~np.isin(where, where[row & found])]):
            covers.append(row & (where == place))
    found[greedy_cover(np.array(covers, dtype=np.bool_).reshape(len(covers), len(found)))] = True
    return found


def also_at(places: NDArray[np.int64], adds: Table) -> Table:
    """Where a lifted atom is ground to the same atom as one that is added; shape (examples, atoms)."""
    rows = [np.isin(row, row[adds]) for row in places]
    return np.array(rows, dtype=np.bool_).reshape(places.shape)


def alone(changed: Table, effects: Table, places: NDArray[np.int64]) -> Table:
    """The effects that some example shows to be the only explanation of a change."""
    shown = np.zeros(len(effects), dtype=np.bool_)
    for row, where in zip(changed & effects, places, strict=True):
        candidates = np.flatnonzero(row)
        _, first, counts = np.unique(where[candidates], return_index=True, return_counts=True)
        shown[candidates[first[counts == 1]]] = True
    return shown


def changes_unexplained(seen: Examples, adds: Table, deletes: Table) -> Iterator[AtomChange]:
    """Changes of whole traces' states that no effect found explains."""
    for number, (row, example) in enumerate(zip(seen.places, seen.executed, strict=True)):
        trace, step = example.trace, example.step
        if step.after is None:
            continue
        known = trace.known[step.before] & trace.known[step.after]
        for became, mask in ((True, adds), (False, deletes)):
            changed = known & (trace.holds[step.after] == became) & (trace.holds[step.before] != became)
            changed[row[mask & (row >= 0)]] = False
            for i in np.flatnonzero(changed).tolist():
                yield AtomChange(number, i, trace.atoms[i][0], became)


def in_words(seen: Examples, changes: Iterable[AtomChange]) -> Iterator[str]:
    """Some changes of each predicate."""
    listed: dict[str, int] = {}
    for change in changes:
        listed[change.predicate] = listed.get(change.predicate, 0) + 1
        if listed[change.predicate] <= MAX_LISTED:
            trace, step = seen.executed[change.example].trace, seen.executed[change.example].step
            where = f" ({step.place})" if step.place else ""
            atom = " ".join(trace.atoms[change.column])
            yield f"{step.operator} made ({atom}) {'true' if change.became else 'false'}{where}"
