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

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, pick, sample, shuffled, sized


@dataclass(frozen=True)
class Depot(TaskGenerator):
    """Tasks of `depot`. Raises ValueError if there would be nothing to do or not the means for it."""

    depots: int = sized(1, (1, 1, 1, 1, 1, 2, 2, 2, 2, 3), least=0)
    #: with the depots at least 2 places
    distributors: int = sized(2, (2, 2, 2, 2, 2, 2, 2, 3, 3, 3), least=0)
    trucks: int = sized(1, (1, 2, 2, 2, 2, 2, 2, 2, 3, 3), least=1)
    crates: int = sized(2, (2, 3, 4, 5, 6, 6, 7, 7, 7, 8))
    #: at least as many as places, each of which has one
    pallets: int = sized(3, (3, 3, 3, 3, 4, 5, 6, 7, 7, 9))
    #: at least as many as places, each of which has one
    hoists: int = sized(3, (3, 3, 3, 3, 3, 4, 4, 5, 5, 6))
    #: crates whose surface the goal names, 1 to all of them
    goals: int = sized(2, (2, 2, 3, 4, 4, 5, 5, 5, 6, 6), least=1)

    def _check(self) -> None:
        places = self.depots + self.distributors
        self.require(places >= 2, "a task needs 2 places at least")
        self.require(min(self.pallets, self.hoists) >= places, "every place needs a pallet and a hoist")
        self.require(self.goals <= self.crates, f"the goal must name 1 to {self.crates} crates")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. The goal says what some crates are to stand on; none stands there yet."""
        depots, distributors, trucks = self.names("depot", "distributor", "truck")
        crates, pallets, hoists = self.names("crate", "pallet", "hoist")
        places = [*depots, *distributors]
        at = {truck: pick(rng, places) for truck in trucks}
        at |= _spread(rng, hoists, places)
        at |= _spread(rng, pallets, places)
        stacks = _stacks(rng, crates, pallets)
        init = [
            *(("at", thing, place) for thing, place in at.items()),
            *(("at", crate, at[pallet]) for pallet, stack in stacks.items() for crate in stack),
            *_standing(stacks),
            *(("clear", [pallet, *stack][-1]) for pallet, stack in stacks.items()),
            *(("available", hoist) for hoist in hoists),
        ]
        new: list[GroundAtom] = []
        while len(new) < self.goals:
            new = [atom for atom in _standing(_stacks(rng, crates, pallets)) if atom not in init]
        objects = {
            **{"depot": depots, "distributor": distributors, "truck": trucks},
            **{"hoist": hoists, "pallet": pallets, "crate": crates},
        }
        return TaskFacts.of(objects, init, sorted(sample(rng, new, self.goals)))


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
    piles = ([pallet, *stack] for pallet, stack in stacks.items())
    return [("on", upper, lower) for pile in piles for lower, upper in pairwise(pile)]
