"""A candidate of a repair: edits of effects and initial atoms, with the preconditions that fit them best.

Preconditions are fitted to what was seen, for given states: proved first, then as few changes as possible. An
operator that the world executed has no false precondition, so a literal that is false for one such operator
is refuted. Of the literals that are left, those of the model stay; the operators that would then still run
though the world refuses them have to be excluded by further literals that nothing refutes: a set cover, found
greedily. What no literal can exclude shows that the states, and so the effects, are wrong; and so does an
operator that the world executes where a part of the precondition that is not edited is false.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.operators.examples import greedy_cover
from agents.repair.model import Editable, Effect
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

    @property
    def refuted(self) -> tuple[Literal, ...]:
        """The literals that are dropped."""
        return tuple(literal for literal, _ in self.dropped)

    def preconditions(self, action: Editable) -> tuple[Literal, ...]:
        """The literals of an action's precondition, changed in this way."""
        return tuple(p for p in (*action.preconditions, *self.added) if p not in self.refuted)


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
    usable: list[Literal] = []
    excluding: list[Mask] = []
    for literal in action.tests:
        if literal not in action.preconditions:
            excluded = ~truth(literal, wrongly)
            if excluded.any() and truth(literal, positive).all():
                usable.append(literal)
                excluding.append(excluded)
    covers = np.array(excluding, dtype=np.bool_).reshape(len(usable), len(wrongly)).T
    chosen = greedy_cover(covers)  # of equals the first: atoms come before their negations
    left = np.count_nonzero(~covers[:, chosen].any(axis=1))
    return tuple(usable[i] for i in chosen), int(left)


#: What an unexplained operator adds, per doubling of their number.
UNEXPLAINED = 0.35


@dataclass(frozen=True, order=True)
class EffectEdit:
    """An effect that one action gets or loses."""

    action: str
    effect: Effect
    present: bool  #: whether it has the effect now


@dataclass(frozen=True, order=True)
class InitialEdit:
    """An atom that becomes true or false in the initial state."""

    predicate: str
    arguments: tuple[int, ...]
    present: bool


Edit = EffectEdit | InitialEdit


def effects_of(action: Editable, edits: Collection[Edit]) -> list[Effect]:
    """The effects without condition that an edited action has, in a fixed order."""
    own = [e for e in edits if isinstance(e, EffectEdit) and e.action == action.name]
    kept = action.effects | {e.effect for e in own if e.present}
    kept -= {e.effect for e in own if not e.present}
    return sorted(kept, key=lambda e: (e.predicate, e.terms, e.positive))


def takes_from_goal(edit: Edit, wanted: Collection[tuple[str, bool]]) -> bool:
    """Whether an edit takes away an effect, or a truth at the start, of a kind that `Model.wanted` names.

    Many such effects are read by the goal alone, and walks never speak for them.
    """
    if isinstance(edit, EffectEdit):
        return not edit.present and (edit.effect.predicate, edit.effect.positive) in wanted
    return (edit.predicate, not edit.present) in wanted


@dataclass(frozen=True, eq=False)
class Candidate:
    """Edits of effects and initial atoms, and the preconditions that fit best with them."""

    edits: frozenset[Edit]
    fits: dict[str, Fit]
    proved: frozenset[tuple[str, Literal]] = frozenset()  #: preconditions that are wrong whatever effects do
    taken: int = 0  #: edits that take from the goal, see `takes_from_goal`

    @property
    def rules(self) -> object:
        """What the candidate changes, without how often it was borne out."""
        return self.edits, {name: (found.refuted, found.added) for name, found in self.fits.items()}

    def fit_of(self, action: Editable) -> Fit:
        """The preconditions of an action, if any are changed."""
        return self.fits.get(action.name, Fit())

    @property
    def size(self) -> int:
        """All edits together."""
        return len(self.edits) + sum(f.edits for f in self.fits.values())

    @property
    def cost(self) -> int:
        """All edits together; one that takes from the goal counts as two."""
        return self.size + self.taken

    @property
    def starts(self) -> int:
        """Edits of initial atoms."""
        return sum(isinstance(edit, InitialEdit) for edit in self.edits)

    @property
    def rank(self) -> tuple[float, int, int]:
        """Lower is better: by weighed cost, then by edits of initial atoms, then by edits of effects.

        The first hold in one task only, the second change the states of all that comes after.
        """
        return self.weighed_cost, self.starts, len(self.edits)

    @property
    def unexplained(self) -> int:
        """Operators that no preconditions could put right."""
        return sum(f.left for f in self.fits.values())

    @property
    def weighed_cost(self) -> float:
        """The cost, and what is unexplained or in doubt; see `agents.repair.search`."""
        doubts = 0.0
        for name, found in self.fits.items():
            doubts += sum(
                math.log2(1 + wrong) for literal, wrong in found.dropped if (name, literal) not in self.proved
            )
            doubts += 2 * math.log2(1 + found.left)
        return self.cost + UNEXPLAINED * doubts
