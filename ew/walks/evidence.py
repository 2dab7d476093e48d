"""What a world was seen to do, apart from who saw it: which operators may run after which walks.

It holds for every model of the world in that task. So what was walked for one model can be taken out of its
`WorldWalks`, sent to another process, merged with what was walked for others, and given to new `WorldWalks`,
which then never ask for it.

It is bounded: the shortest walks stay, of equally long ones those with the lowest operator numbers. Merging
is a union that is then bounded, so it is commutative, associative and idempotent, and no result depends on
who came first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

#: What the states of one evidence may come to, about.
MAX_BYTES = 2_000_000
#: What a walk takes beside its row, about.
_WALK_BYTES = 200

#: Numbers of operators, from the initial state on.
Walk = tuple[int, ...]


@dataclass(frozen=True)
class Evidence:
    """What one world did in one task. Picklable; equal content is equal."""

    operators: str  #: `digest` of the world's operators, which walks and rows are numbered by
    states: tuple[tuple[Walk, bytes], ...]  #: a walk that runs, and the packed row of what may run then

    @classmethod
    def of(cls, operators: Sequence[str], rows: Mapping[Walk, bytes]) -> Self:
        """The evidence of these rows, as many of them as may be kept."""
        return cls(digest(operators), _bounded(rows))

    def merged(self, other: Self) -> Self:
        """What either has seen. Raises ValueError if they are of different worlds."""
        if self.operators != other.operators:
            raise ValueError("evidence of worlds with different operators cannot be merged")
        return type(self)(self.operators, _bounded({**dict(self.states), **dict(other.states)}))


def digest(operators: Iterable[str]) -> str:
    """SHA-256 (hexadecimal) of operators in their order."""
    return hashlib.sha256("\n".join(operators).encode("utf-8")).hexdigest()


def _bounded(rows: Mapping[Walk, bytes]) -> tuple[tuple[Walk, bytes], ...]:
    """The shortest walks, sorted. Rows of one world are equally long, so their number is always the same."""
    ordered = sorted(rows.items(), key=lambda item: (len(item[0]), item[0]))
    size = _WALK_BYTES + (len(ordered[0][1]) if ordered else 0)
    return tuple(ordered[: max(1, MAX_BYTES // size)])
