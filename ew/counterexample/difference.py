"""Is a model really wrong? All that two small tasks can do side by side, state after state.

Two tasks are run from their initial states by the operators that both allow, breadth first, over pairs of
states. If some pair allows different operators, walks can show it. If none does, but the goal holds on one
side of a pair alone, only asking for the goal can. If the pairs run out, nothing can: the texts differ, their
behaviour in this task does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.simulator import PackedStates, Task
from ew.walks.walk import NONE, align


class Kind(StrEnum):
    """How two tasks differ, the plainest way that was met."""

    EXECUTABLE = "executable"  #: in some pair of states one allows an operator that the other refuses
    GOAL = "goal"  #: only in whether the goal holds
    NONE = "none"  #: not at all: every pair of states was looked at
    UNKNOWN = "unknown"  #: not as far as was looked


@dataclass(frozen=True)
class Difference:
    """The verdict, and how many pairs of states it took."""

    kind: Kind
    states: int


def first_difference(world: Task, model: Task, max_states: int = 5000) -> Difference:
    """Search until an operator is met that only one side allows, or until `max_states` pairs were seen."""
    there, back = align(world, model), align(model, world)
    ours, theirs = world.initial(1), model.initial(1)
    seen, goal_differs = {_keys(ours, theirs)[0]}, False
    while len(ours):
        allowed = _both(world.applicable(ours), model.applicable(theirs), there, back)
        if allowed is None:
            return Difference(Kind.EXECUTABLE, len(seen))
        goal_differs |= bool((world.goal_reached(ours) != model.goal_reached(theirs)).any())
        if len(seen) > max_states:
            return Difference(Kind.GOAL if goal_differs else Kind.UNKNOWN, len(seen))
        rows, operators = np.nonzero(allowed)
        ours = world.successors(ours[rows], operators.astype(np.int64))
        theirs = model.successors(theirs[rows], there[operators])
        fresh = _fresh(_keys(ours, theirs), seen)
        ours, theirs = ours[fresh], theirs[fresh]
    return Difference(Kind.GOAL if goal_differs else Kind.NONE, len(seen))


def _both(
    ours: NDArray[np.bool_], theirs: NDArray[np.bool_], there: NDArray[np.int64], back: NDArray[np.int64]
) -> NDArray[np.bool_] | None:
    """The operators allowed on both sides in our numbering; None if some row's sets differ."""
    none = np.zeros((len(theirs), 1), dtype=np.bool_)
    projected = np.concatenate([theirs, none], axis=1)[:, there[:-1]]
    differ = (ours != projected).any() or theirs[:, back[:-1] == NONE].any()
    return None if differ else ours


def _keys(ours: PackedStates, theirs: PackedStates) -> list[bytes]:
    """One key a pair of states."""
    return [row.tobytes() for row in np.concatenate([ours, theirs], axis=1)]


def _fresh(keys: list[bytes], seen: set[bytes]) -> list[int]:
    """The places of the keys that are not in `seen` nor came before; `seen` takes them in."""
    places: list[int] = []
    for place, key in enumerate(keys):
        if key not in seen:
            seen.add(key)
            places.append(place)
    return places
