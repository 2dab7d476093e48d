"""Which actions the walks of a score exercised: how often each was executed and refused, on either side.

Of directed walks, an operator that a walk takes is executed by the side it was sampled on, and executed or
refused by the other. Of joint walks, an operator that a walk takes is executed by both, and one that a side
alone lists in a joint state is refused by the other. What an action was never executed for says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

#: What became of operators; fields of `ActionCount`.
Became = Literal["world_executed", "world_refused", "model_executed", "model_refused"]
_KINDS: tuple[Became, ...] = get_args(Became)
#: How many operators of an action became what.
Tally = Counter[tuple[str, Became]]


@dataclass(frozen=True, order=True)
class ActionCount:
    """One action in the walks of a score: its operators, each in one state, repeats included."""

    action: str
    world_executed: int = 0
    world_refused: int = 0
    model_executed: int = 0
    model_refused: int = 0


def tally(operators: Sequence[str], numbers: NDArray[np.int64], *became: Became) -> Tally:
    """Operators by number, each of which became all of this; numbers below 0 are none."""
    found: Tally = Counter()
    counts = np.bincount(numbers[numbers >= 0])  # a wrong model may run millions of operators in a step
    for operator in np.flatnonzero(counts).tolist():
        action = operators[operator][1:-1].split(" ", 1)[0]
        found.update({(action, kind): int(counts[operator]) for kind in became})
    return found


def action_counts(tallies: Iterable[Tally], actions: Iterable[str] = ()) -> tuple[ActionCount, ...]:
    """All tallies together, by action; of `actions` also those that no walk met."""
    total: Tally = Counter()
    for one in tallies:
        total.update(one)
    fields: dict[str, dict[str, int]] = {action: {} for action in actions}
    for (action, became), count in total.items():
        fields.setdefault(action, {})[became] = count
    return tuple(ActionCount(action, **fields[action]) for action in sorted(fields))


def tally_of(counts: Iterable[ActionCount]) -> Tally:
    """Counts as a tally again."""
    return Counter({(count.action, kind): getattr(count, kind) for count in counts for kind in _KINDS})
