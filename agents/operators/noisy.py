"""What is likely where observations are flipped: which atoms hold before an action, and which it changes.

Each observation of an atom is flipped with one known probability. Of each lifted atom, ground by an example's
arguments, three things can be so before the action: it holds always, never, or in some share of the
examples; and three can happen to it: nothing, it is added, or it is deleted. What never holds is not deleted,
and what always holds is not added. Each hypothesis explains how often the atom was seen so before and so
after (true, false or not at all). The most likely one is taken. A share costs half the logarithm of the
number of examples (the Bayesian information criterion) and `LOG_ODDS`; so much costs a change. Examples in
which other lifted atoms are the same ground atom say nothing of one of them alone, and are used only where
there are no others.

Source: the model of observations is that of Lamanna and Serafini 2024 (NOLAM); the choice is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.operators.examples import Examples, Table

#: Shares of the examples in which an atom holds that are tried.
#: How much more likely, as a logarithm, a share or a change must be than that an atom always holds and stays.
LOG_ODDS = 2.0
_SHARES = np.linspace(0, 1, 41)
_NEVER, _ALWAYS = 0, len(_SHARES) - 1
_KEPT, _ADDED, _DELETED = range(3)


@dataclass(frozen=True)
class Likely:
    """The most likely hypothesis about each lifted atom; each of shape (atoms,)."""

    always: Table  #: it holds before every example
    never: Table
    added: Table
    deleted: Table


def likely(seen: Examples, noise: float) -> Likely:
    """What is most likely of each atom of an action; `noise` is how often flips occur, in (0, 1/2)."""
    counts = _counts(seen)
    # how likely an observation (false, true, none) is of an atom that is false or true
    sees = np.array([[1 - noise, noise, 1.0], [noise, 1 - noise, 1.0]])
    scores = np.array([_scores(counts, sees, after) for after in ((0, 1), (1, 1), (0, 0))])
    total = counts.sum(axis=(1, 2))
    scores[:, 1:_ALWAYS] -= np.log(np.maximum(total, 1)) / 2 + LOG_ODDS
    scores[1:] -= LOG_ODDS
    scores[_ADDED, _ALWAYS] = scores[_DELETED, _NEVER] = -np.inf
    best = scores.reshape(-1, len(total)).argmax(axis=0)
    happens, share = np.divmod(best, len(_SHARES))
    known = counts[:, :2].sum(axis=(1, 2)) > 0
    return Likely(
        known & (share == _ALWAYS), known & (share == _NEVER), happens == _ADDED, happens == _DELETED
    )


def _counts(seen: Examples) -> NDArray[np.int64]:
    """In how many examples each atom was seen so before, and so after; shape (atoms, 3, 3)."""
    shared = np.array([_shared(row) for row in seen.places]).reshape(seen.places.shape)
    used = ~shared | shared.all(axis=0)
    before, after = (np.where(t.known, t.true, 2) for t in (seen.before, seen.after))
    return np.array(
        [[(used & (before == b) & (after == a)).sum(axis=0) for a in range(3)] for b in range(3)]
    ).transpose(2, 0, 1)


def _shared(row: NDArray[np.int64]) -> Table:
    """Which numbers stand in a row more than once."""
    _, places, counts = np.unique(row, return_inverse=True, return_counts=True)
    return np.asarray(counts[places] > 1, dtype=np.bool_)


def _scores(
    counts: NDArray[np.int64], sees: NDArray[np.float64], after: tuple[int, int]
) -> NDArray[np.float64]:
    """The log-likelihood of the counts, shape (shares, atoms); `after`: what false and true atoms become."""
    false, true = (np.outer(sees[was], sees[becomes]) for was, becomes in enumerate(after))
    shares = _SHARES[:, None, None]
    seen = np.log((1 - shares) * false + shares * true)
    return np.asarray(np.einsum("sba,nba->sn", seen, counts), dtype=np.float64)
