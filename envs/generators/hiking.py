"""Tasks of `hiking`: couples, tents and cars on a trail, with walks that are to get further.

Solvable by construction, if a task has no more stages than tents times cars: the first couple, which starts
furthest back and together with a car, can fetch every tent and every car it can drive to. It moves all cars
but one, and all tents, ahead: a tent is pitched at each of as many places as there are tents, and the two
partners drive back in the last car. Then it walks that many stages, leaves that car behind, and goes on
with the others from there, where they wait. Every other couple walks along as soon as the first one passes,
as far as it wants.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick

_AHEAD = 0.3  # chance that a couple, a car or a tent does not start at the beginning of the trail


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if it might not be solvable."""

    couples: int = 1  #: at least 1; two persons each
    tents: int = 2  #: at least 1
    cars: int = 1  #: at least 1
    places: int = 3  #: at least 2; one stage fewer, and no more stages than tents times cars

    def __post_init__(self) -> None:
        if min(self.couples, self.tents, self.cars, self.places - 1) < 1:
            raise ValueError(f"{self}: a task needs a couple, a tent, a car and 2 places at least")
        if self.places - 1 > self.tents * self.cars:
            raise ValueError(f"{self}: {self.places - 1} stages need more tents or cars")


SIZES: tuple[Size, ...] = (
    Size(1, 2, 1, 3),
    Size(1, 1, 2, 3),
    Size(1, 2, 2, 3),
    Size(1, 3, 1, 4),
    Size(1, 2, 2, 4),
    Size(2, 2, 1, 3),
    Size(1, 2, 2, 5),
    Size(2, 2, 2, 3),
    Size(1, 2, 3, 6),
    Size(2, 2, 2, 4),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size: the first couple walks the whole trail, every other one at least a stage of it."""
    places, cars, tents = (
        [f"{kind}{number}" for number in range(1, count + 1)]
        for kind, count in (("place", size.places), ("car", size.cars), ("tent", size.tents))
    )
    partners = {f"couple{n}": (f"guy{n}", f"girl{n}") for n in range(1, size.couples + 1)}
    first, *others = partners
    begin = {first: 0, **{couple: int(size.places > 2 and rng.random() < _AHEAD) for couple in others}}
    end = {first: places[-1], **{couple: pick(rng, places[begin[couple] + 1 :]) for couple in others}}
    parked = {car: _start(rng, places) if number else places[0] for number, car in enumerate(cars)}
    init: list[GroundAtom] = [
        *(("at_tent", tent, _start(rng, places)) for tent in tents),
        *(("at_person", p, places[begin[couple]]) for couple, pair in partners.items() for p in pair),
        *(("at_car", car, place) for car, place in parked.items()),
        *(("partners", couple, *pair) for couple, pair in partners.items()),
        *((pick(rng, ("up", "down")), tent) for tent in tents),
        *(("walked", couple, places[at]) for couple, at in begin.items()),
        *(("next", *stage) for stage in pairwise(places)),
    ]
    goal: list[Literal] = [(True, ("walked", couple, place)) for couple, place in end.items()]
    objects = {
        **dict.fromkeys(cars, "car"),
        **dict.fromkeys(tents, "tent"),
        **dict.fromkeys((person for pair in partners.values() for person in pair), "person"),
        **dict.fromkeys(partners, "couple"),
        **dict.fromkeys(places, "place"),
    }
    return TaskFacts(objects, tuple(init), tuple(goal))


def _start(rng: np.random.Generator, places: list[str]) -> str:
    """Where a tent or a car is at first."""
    return pick(rng, places) if rng.random() < _AHEAD else places[0]
