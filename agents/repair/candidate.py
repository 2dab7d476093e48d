"""A candidate of a repair: edits of effects and initial atoms, with the preconditions that fit them best."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from agents.repair.fit import Fit
from agents.repair.model import Editable, Effect
from envs.pddl.simulation.lifted import Literal

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
    own = [e for e in edits if isinstance(e, EffectEdit) and e.action == action.schema.name]
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
        fits = {n: (tuple(literal for literal, _ in f.dropped), f.added) for n, f in self.fits.items()}
        return self.edits, fits

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
        """Lower is better: by worth; of equals the one with fewer edits of initial atoms, then of effects.

        The first hold in one task only, the second change the states of all that comes after.
        """
        return self.worth, self.starts, len(self.edits)

    @property
    def unexplained(self) -> int:
        """Operators that no preconditions could put right."""
        return sum(f.left for f in self.fits.values())

    @property
    def worth(self) -> float:
        """Lower is better; see the module."""
        doubts = 0.0
        for name, found in self.fits.items():
            doubts += sum(
                math.log2(1 + wrong) for literal, wrong in found.dropped if (name, literal) not in self.proved
            )
            doubts += 2 * math.log2(1 + found.left)
        return self.cost + UNEXPLAINED * doubts
