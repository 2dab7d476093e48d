"""Tasks of `depot`: stacks of crates to be rebuilt elsewhere.

Solvable by construction: every place has a hoist, trucks reach every place and hold any number of crates. So
all crates can be taken into trucks, top crates first, and then be stacked in any way on the pallets; and the
goal is a part of such a way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, pick, sample, shuffled


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if there would be nothing to do or not the means for it."""

    depots: int = 1
    distributors: int = 2  #: with the depots at least 2 places
    trucks: int = 1  #: at least 1
    crates: int = 2  #: at least 1
    pallets: int = 3  #: at least as many as places, each of which has one
    hoists: int = 3  #: at least as many as places, each of which has one
    goals: int = 2  #: crates whose surface the goal names, 1 to all of them

    def __post_init__(self) -> None:
        if min(self.depots, self.distributors) < 0 or self.places < 2 or self.trucks < 1:
            raise ValueError(f"{self}: a task needs 2 places and a truck at least")
        if min(self.pallets, self.hoists) < self.places:
            raise ValueError(f"{self}: every place needs a pallet and a hoist")
        if not 1 <= self.goals <= self.crates:
            raise ValueError(f"{self}: the goal must name 1 to {self.crates} crates")

    @property
    def places(self) -> int:
        """Depots and distributors together."""
        return self.depots + self.distributors


SIZES: tuple[Size, ...] = (
    Size(1, 2, 1, 2, 3, 3, 2),
    Size(1, 2, 2, 3, 3, 3, 2),
    Size(1, 2, 2, 4, 3, 3, 3),
    Size(1, 2, 2, 5, 3, 3, 4),
    Size(1, 2, 2, 6, 4, 3, 4),
    Size(2, 2, 2, 6, 5, 4, 5),
    Size(2, 2, 2, 7, 6, 4, 5),
    Size(2, 3, 2, 7, 7, 5, 5),
    Size(2, 3, 3, 7, 7, 5, 6),
    Size(3, 3, 3, 8, 9, 6, 6),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. The goal says for some crates what they are to stand on; none stands there yet."""
    depots = _names("depot", size.depots)
    distributors = _names("distributor", size.distributors)
    places = [*depots, *distributors]
    trucks, crates = _names("truck", size.trucks), _names("crate", size.crates)
    pallets, hoists = _names("pallet", size.pallets), _names("hoist", size.hoists)
    at = {
        **{truck: pick(rng, places) for truck in trucks},
        **_spread(rng, hoists, places),
        **_spread(rng, pallets, places),
    }
    stacks = _stacks(rng, crates, pallets)
    init: list[GroundAtom] = [
        *(("at", thing, place) for thing, place in at.items()),
        *(("at", crate, at[pallet]) for pallet, stack in stacks.items() for crate in stack),
        *_standing(stacks),
        *(("clear", [pallet, *stack][-1]) for pallet, stack in stacks.items()),
        *(("available", hoist) for hoist in hoists),
    ]
    objects = {
        **dict.fromkeys(depots, "depot"),
        **dict.fromkeys(distributors, "distributor"),
        **dict.fromkeys(trucks, "truck"),
        **dict.fromkeys(hoists, "hoist"),
        **dict.fromkeys(pallets, "pallet"),
        **dict.fromkeys(crates, "crate"),
    }
    new: list[GroundAtom] = []
    while len(new) < size.goals:
        new = [atom for atom in _standing(_stacks(rng, crates, pallets)) if atom not in init]
    wanted = sorted(sample(rng, new, size.goals))
    return TaskFacts(objects, tuple(init), tuple((True, atom) for atom in wanted))


def _names(kind: str, count: int) -> list[str]:
    return [f"{kind}{number}" for number in range(1, count + 1)]


def _spread(rng: np.random.Generator, things: list[str], places: list[str]) -> dict[str, str]:
    """Thing to place: one thing at every place, the others anywhere."""
    homes = [*places, *(pick(rng, places) for _ in things[len(places) :])]
    return dict(zip(things, homes, strict=True))


def _stacks(rng: np.random.Generator, crates: list[str], pallets: list[str]) -> dict[str, list[str]]:
    """Pallet to the crates stacked on it, from the bottom up."""
    stacks: dict[str, list[str]] = {pallet: [] for pallet in pallets}
    for crate in shuffled(rng, crates):
        stacks[pick(rng, pallets)].append(crate)
    return stacks


def _standing(stacks: Mapping[str, list[str]]) -> list[GroundAtom]:
    """What every crate stands on."""
    return [
        ("on", upper, lower)
        for pallet, stack in stacks.items()
        for lower, upper in pairwise([pallet, *stack])
    ]
