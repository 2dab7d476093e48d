"""Tasks of `logistics`: packages to be brought to other locations, in their own or in another city.

Solvable by construction: every city has a truck, which reaches all locations of the city, and exactly one of
these is an airport; there is at least one plane, planes start at airports and fly between any two of them. So
every package reaches every location, whatever has been done before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, sample, sized


@dataclass(frozen=True)
class Logistics(TaskGenerator):
    """Tasks of `logistics`. Raises ValueError if packages could not be brought anywhere."""

    cities: int = sized(2, (2, 2, 2, 3, 3, 3, 4, 4, 5, 5), least=1)  #: each has one truck
    #: in each city; one of them is its airport
    locations: int = sized(3, (3, 3, 4, 3, 3, 4, 3, 4, 3, 4), least=1)
    planes: int = sized(1, (1, 1, 1, 1, 2, 2, 2, 2, 3, 3), least=1)
    #: all of them are to be brought elsewhere
    packages: int = sized(3, (3, 4, 5, 5, 6, 7, 8, 9, 10, 12), least=1)

    def _check(self) -> None:
        several = self.cities * self.locations >= 2
        self.require(several, "a package has nowhere to go with a single location")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: every package has a goal, and it is not where the package starts."""
        planes, packages = self.names("plane", "package")
        cities, trucks = numbered("city", self.cities), numbered("truck", self.cities)
        locations = numbered("location", self.cities * self.locations)
        districts = [locations[i : i + self.locations] for i in range(0, len(locations), self.locations)]
        airports = [pick(rng, district) for district in districts]
        trips = {package: sample(rng, locations, 2) for package in packages}
        init = [
            *(("package-at", package, start) for package, (start, _) in trips.items()),
            *(("truck-at", truck, pick(rng, near)) for truck, near in zip(trucks, districts, strict=True)),
            *(("plane-at", plane, pick(rng, airports)) for plane in planes),
            *(("location-in-city", x, city) for city, xs in zip(cities, districts, strict=True) for x in xs),
            *(("location-is-airport", airport) for airport in airports),
        ]
        objects = {
            **{"package": packages, "truck": trucks, "plane": planes},
            **{"location": locations, "city": cities},
        }
        return TaskFacts.of(objects, init, (("package-at", p, end) for p, (_, end) in trips.items()))
