"""Tasks of `logistics`: packages to be brought to other locations, in their own or in another city.

Solvable by construction: every city has a truck, which reaches all locations of the city, and exactly one of
these is an airport; there is at least one plane, planes start at airports and fly between any two of them. So
every package reaches every location, whatever has been done before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick, sample


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if packages could not be brought anywhere."""

    cities: int = 2  #: at least 1; each has one truck
    locations: int = 3  #: in each city; one of them is its airport
    planes: int = 1  #: at least 1
    packages: int = 3  #: at least 1; all of them are to be brought elsewhere

    def __post_init__(self) -> None:
        if min(self.cities, self.locations, self.planes, self.packages) < 1:
            raise ValueError(f"{self}: a task needs 1 of everything at least")
        if self.cities * self.locations < 2:
            raise ValueError(f"{self}: a package has nowhere to go with a single location")


SIZES: tuple[Size, ...] = (
    Size(2, 3, 1, 3),
    Size(2, 3, 1, 4),
    Size(2, 4, 1, 5),
    Size(3, 3, 1, 5),
    Size(3, 3, 2, 6),
    Size(3, 4, 2, 7),
    Size(4, 3, 2, 8),
    Size(4, 4, 2, 9),
    Size(5, 3, 3, 10),
    Size(5, 4, 3, 12),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size: every package has a goal, and it is not where the package starts."""
    cities = _names("city", size.cities)
    trucks = _names("truck", size.cities)
    planes = _names("plane", size.planes)
    packages = _names("package", size.packages)
    locations = _names("location", size.cities * size.locations)
    districts = [locations[i : i + size.locations] for i in range(0, len(locations), size.locations)]
    airports = [pick(rng, district) for district in districts]
    trips = {package: sample(rng, locations, 2) for package in packages}
    init: list[GroundAtom] = [
        *(("package-at", package, start) for package, (start, _) in trips.items()),
        *(("truck-at", truck, pick(rng, near)) for truck, near in zip(trucks, districts, strict=True)),
        *(("plane-at", plane, pick(rng, airports)) for plane in planes),
        *(("location-in-city", x, city) for city, near in zip(cities, districts, strict=True) for x in near),
        *(("location-is-airport", airport) for airport in airports),
    ]
    goal: list[Literal] = [(True, ("package-at", package, end)) for package, (_, end) in trips.items()]
    objects = {
        **dict.fromkeys(packages, "package"),
        **dict.fromkeys(trucks, "truck"),
        **dict.fromkeys(planes, "plane"),
        **dict.fromkeys(locations, "location"),
        **dict.fromkeys(cities, "city"),
    }
    return TaskFacts(objects, tuple(init), tuple(goal))


def _names(kind: str, count: int) -> list[str]:
    return [f"{kind}{number}" for number in range(1, count + 1)]
