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

from envs.tasks import TaskFacts, TaskGenerator, pick, sized

_AHEAD = 0.3  # chance that a couple, a car or a tent does not start at the beginning of the trail


@dataclass(frozen=True)
class Hiking(TaskGenerator):
    """Tasks of `hiking`. Raises ValueError if one might not be solvable."""

    couples: int = sized(1, (1, 1, 1, 1, 1, 2, 1, 2, 1, 2), least=1)  #: two persons each
    tents: int = sized(2, (2, 1, 2, 3, 2, 2, 2, 2, 2, 2), least=1)
    cars: int = sized(1, (1, 2, 2, 1, 2, 1, 2, 2, 3, 2), least=1)
    #: one stage fewer, and no more stages than tents times cars
    places: int = sized(3, (3, 3, 3, 4, 4, 3, 5, 3, 6, 4), least=2)

    def _check(self) -> None:
        stages = self.places - 1
        self.require(stages <= self.tents * self.cars, f"{stages} stages need more tents or cars")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: the first couple walks the whole trail, all others a stage of it at least."""
        places, cars, tents = self.names("place", "car", "tent")
        partners = {f"couple{n}": (f"guy{n}", f"girl{n}") for n in range(1, self.couples + 1)}
        first, *others = partners
        begin = {first: 0, **{couple: int(self.places > 2 and rng.random() < _AHEAD) for couple in others}}
        end = {first: places[-1], **{couple: pick(rng, places[begin[couple] + 1 :]) for couple in others}}
        parked = {car: _start(rng, places) if number else places[0] for number, car in enumerate(cars)}
        init = [
            *(("at_tent", tent, _start(rng, places)) for tent in tents),
            *(("at_person", p, places[begin[couple]]) for couple, pair in partners.items() for p in pair),
            *(("at_car", car, place) for car, place in parked.items()),
            *(("partners", couple, *pair) for couple, pair in partners.items()),
            *((pick(rng, ("up", "down")), tent) for tent in tents),
            *(("walked", couple, places[at]) for couple, at in begin.items()),
            *(("next", *stage) for stage in pairwise(places)),
        ]
        persons = [person for pair in partners.values() for person in pair]
        objects = {"car": cars, "tent": tents, "person": persons, "couple": partners, "place": places}
        return TaskFacts.of(objects, init, (("walked", couple, place) for couple, place in end.items()))


def _start(rng: np.random.Generator, places: list[str]) -> str:
    """Where a tent or a car is at first."""
    return pick(rng, places) if rng.random() < _AHEAD else places[0]
