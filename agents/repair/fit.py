"""Preconditions that fit what was seen, for given states: proved first, then as few changes as possible.

An operator that the world executed has no false precondition, so a literal that is false for one such
operator is refuted. Of the literals that are left, those of the model stay; the operators that would then
still run though the world refuses them have to be excluded by further literals that nothing refutes: a set
cover, found greedily. What no literal can exclude shows that the states, and so the effects, are wrong; and
so does an operator that the world executes where a part of the precondition that is not edited is false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.repair.model import Editable
from envs.pddl.simulation.lifted import Literal

Mask = NDArray[np.bool_]
#: Which examples, by index (None: all), satisfy a literal.
Truth = Callable[[Literal, "NDArray[np.int64] | None"], Mask]


@dataclass(frozen=True)
class Fit:
    """What preconditions one action should have."""

    #: the model's own that are refuted, and by how many operators
    dropped: tuple[tuple[Literal, int], ...] = ()
    added: tuple[Literal, ...] = ()
    #: operators that the world refuses and no literal excludes, or executes and a part that stays excludes
    left: int = 0

    @property
    def edits(self) -> int:
        """Literals to be changed."""
        return len(self.dropped) + len(self.added)


def fit(
    action: Editable, positive: NDArray[np.int64], negative: NDArray[np.int64], truth: Truth, fixed: Mask
) -> Fit:
    """The fit for examples with these indices; `fixed` says in which of all the parts that stay hold."""
    dropped, refused = [], int(np.count_nonzero(~fixed[positive]))
    running = fixed[negative]
    for literal in action.preconditions:
        held = truth(literal, None)
        wrong = int(np.count_nonzero(~held[positive]))
        if wrong:
            dropped.append((literal, wrong))
        else:
            running = running & held[negative]
    wrongly = negative[running]
    if not len(wrongly):
        return Fit(tuple(dropped), left=refused)
    added, left = _cover(action, positive, wrongly, truth)
    return Fit(tuple(dropped), added, left + refused)


def _cover(
    action: Editable, positive: NDArray[np.int64], wrongly: NDArray[np.int64], truth: Truth
) -> tuple[tuple[Literal, ...], int]:
    """Few unrefuted literals that exclude as many of the wrongly running operators as possible."""
    own = set(action.preconditions)
    usable: list[Literal] = []
    excluding: list[Mask] = []
    for literal in action.tests:
        if literal in own:
            continue
        excluded = ~truth(literal, wrongly)
        if excluded.any() and truth(literal, positive).all():
            usable.append(literal)
            excluding.append(excluded)
    open_ = np.ones(len(wrongly), dtype=np.bool_)
    chosen: list[Literal] = []
    while usable and open_.any():
        gains = np.array([np.count_nonzero(e & open_) for e in excluding])
        best = int(gains.argmax())  # the first of equals: atoms come before their negations
        if gains[best] == 0:
            break
        chosen.append(usable[best])
        open_ &= ~excluding[best]
    return tuple(chosen), int(np.count_nonzero(open_))
