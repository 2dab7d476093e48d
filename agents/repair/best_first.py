"""Best-first search over the candidates of a repair."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from agents.repair.candidate import Candidate, Edit
from agents.repair.search import Repairs


def best_first(
    repairs: Repairs, before: frozenset[Edit], expansions: int, stop: Callable[[], bool]
) -> Candidate:
    """The best candidate found within so many expansions; `before` are edits that were good before.

    Ends early where the best candidate leaves nothing unexplained and nothing in doubt, and none of its
    neighbours is better: an effect may save several edits of preconditions.
    """
    order = count()
    open_: list[tuple[tuple[float, int, int], int, Candidate]] = []
    seen = {frozenset(), before}
    for edits in _ordered_starts(before):
        found = repairs.candidate(edits)
        heapq.heappush(open_, (found.rank, next(order), found))
    best = open_[0][2]
    for _ in range(expansions):
        if not open_ or stop():
            break
        rank, _, candidate = heapq.heappop(open_)
        clear = rank <= _rank(best) and candidate.cost == candidate.worth
        if clear and not candidate.starts and candidate.size <= len(candidate.edits) + 1:
            return candidate
        for edits in repairs.neighbours(candidate):
            if stop():
                return best
            if edits not in seen:
                seen.add(edits)
                found = repairs.candidate(edits)
                best = min(best, found, key=_rank)
                heapq.heappush(open_, (found.rank, next(order), found))
        if clear and rank <= _rank(best):
            return candidate
    return best


def _rank(candidate: Candidate) -> tuple[float, int, int]:
    """What candidates are compared by: what all of them explain, the edits alone decide."""
    return candidate.rank if candidate.unexplained else (candidate.cost, *candidate.rank[1:])


def _ordered_starts(before: frozenset[Edit]) -> tuple[frozenset[Edit], ...]:
    return (frozenset(), before) if before else (frozenset(),)
