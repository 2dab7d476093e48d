"""Rows of object numbers, such as the arguments of operators and atoms, looked up among others at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def sorted_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each of some rows once, in their order."""
    _, first = np.unique(_words(rows), return_index=True)
    return rows[first]


def places_in(
    rows: NDArray[np.int64], wanted: NDArray[np.int64] | Sequence[Sequence[int]]
) -> NDArray[np.int64]:
    """At which of the sorted rows each wanted one stands; -1 where at none."""
    words = _words(rows)
    sought = _words(np.array(wanted, dtype=np.int64).reshape(len(wanted), rows.shape[1]))
    if not len(words):
        return np.full(len(sought), -1, dtype=np.int64)
    places = np.searchsorted(words, sought)
    known = words[np.minimum(places, len(words) - 1)] == sought
    return np.where(known, places, -1)


def _words(rows: NDArray[np.int64]) -> NDArray[np.bytes_]:
    """Each row as one word; words are in the order of the rows."""
    ended = np.zeros((len(rows), rows.shape[1] + 1), dtype=">u4")  # also of no columns
    ended[:, :-1] = rows
    return ended.view(f"S{ended.itemsize * ended.shape[1]}").reshape(len(rows))
