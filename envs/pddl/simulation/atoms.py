"""The numbered atoms of a task, and the literal codes of many atoms looked up at once.

A predicate's atoms are mixed-radix numbers of their arguments; a lookup is one search in a sorted array.
Atoms of predicates that no effect changes are constants: their codes are true and false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language.structure import GroundAtom
from envs.pddl.simulation.conjunctions import FALSE_CODE, TRUE_CODE, Codes

#: One atom a row: its arguments' object numbers, shape (atoms, arity).
ArgumentRows = NDArray[np.int64]


class AtomTable:
    """Fluent atoms numbered in the order of (predicate, arguments); static ones known as constants."""

    def __init__(
        self, objects: Sequence[str], fluent: Mapping[str, ArgumentRows], static: Mapping[str, ArgumentRows]
    ):
        """Takes the atoms per predicate; repeats in `fluent` are dropped."""
        self._objects = objects
        self._keys: dict[str, tuple[NDArray[np.int64], Codes]] = {}
        self.atoms: tuple[GroundAtom, ...] = ()
        for name, rows in sorted(fluent.items()):
            keys, places = np.unique(self._number(list(rows.T), len(rows)), return_index=True)
            first = len(self.atoms)
            self._keys[name] = keys, 2 * np.arange(first + 1, first + 1 + len(keys))
            self.atoms += self._texts(name, rows[places])
        for name, rows in static.items():
            keys = np.sort(self._number(list(rows.T), len(rows)))
            self._keys[name] = keys, np.full(len(keys), TRUE_CODE)

    def codes(self, predicate: str, columns: Sequence[NDArray[np.int64]], count: int) -> Codes:
        """The literals `predicate(columns[0][i], ...)` for i < count; false if the atom can never hold."""
        keys, codes = self._keys.get(predicate, (_EMPTY, _EMPTY))
        if not len(keys):
            return np.full(count, FALSE_CODE, dtype=np.int64)
        wanted = self._number(columns, count)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, codes[places], FALSE_CODE)

    def _number(self, columns: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.int64]:
        """Each row's arguments as one number; Python integers where 64 bits could overflow."""
        radix = max(len(self._objects), 2)
        wide = len(columns) * radix.bit_length() > 62
        number = np.zeros(count, dtype=object if wide else np.int64)
        for column in columns:
            number = number * radix + column
        return number

    def _texts(self, name: str, rows: ArgumentRows) -> tuple[GroundAtom, ...]:
        return tuple((name, *(self._objects[i] for i in row)) for row in rows.tolist())


_EMPTY = np.zeros(0, dtype=np.int64)
