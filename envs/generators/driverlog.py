"""Tasks of `driverlog`: packages, and some trucks and drivers, to be brought to other locations.

Roads join junctions. Footpaths join junctions too, each by way of a halfway point that no road leads to, as
in the competition's tasks. All of them lead both ways.

Solvable by construction: the junctions are connected by roads, and by footpaths. So a driver can walk to a
truck, drive it wherever a package or the truck itself is wanted, leave it there and walk to any junction.
First the packages, then the trucks, then the drivers reach their goals, and no step undoes an earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick, sample, shuffled


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if packages could not be brought anywhere."""

    drivers: int = 1  #: at least 1
    trucks: int = 1  #: at least 1
    packages: int = 2  #: at least 1; all of them are to be brought elsewhere
    junctions: int = 3  #: at least 2; packages, trucks and drivers start and end at junctions
    shortcuts: int = 0  #: roads, and as many footpaths, more than are needed to connect all junctions

    def __post_init__(self) -> None:
        if min(self.drivers, self.trucks, self.packages, self.junctions - 1) < 1:
            raise ValueError(f"{self}: a task needs a driver, a truck, a package and 2 junctions at least")


SIZES: tuple[Size, ...] = (
    Size(1, 1, 2, 4, 1),
    Size(1, 2, 2, 4, 1),
    Size(2, 1, 3, 4, 1),
    Size(2, 2, 3, 4, 2),
    Size(2, 2, 4, 5, 2),
    Size(2, 2, 5, 6, 3),
    Size(2, 3, 6, 6, 4),
    Size(3, 3, 6, 7, 4),
    Size(3, 3, 7, 8, 5),
    Size(3, 3, 8, 10, 6),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size: every package has a goal, and it is not where the package starts.

    Half of the trucks and half of the drivers, on average, have a goal too.
    """
    junctions = [f"s{number}" for number in range(1, size.junctions + 1)]
    drivers, trucks, packages = (
        [f"{kind}{number}" for number in range(1, count + 1)]
        for kind, count in (("driver", size.drivers), ("truck", size.trucks), ("package", size.packages))
    )
    roads = _network(rng, junctions, size.shortcuts)
    halfway = {f"p{a[1:]}-{b[1:]}": (a, b) for a, b in _network(rng, junctions, size.shortcuts)}
    footpaths = [(end, point) for point, ends in halfway.items() for end in ends]
    trips = {package: sample(rng, junctions, 2) for package in packages}
    init: list[GroundAtom] = [
        *(("at", mover, pick(rng, junctions)) for mover in (*drivers, *trucks)),
        *(("at", package, start) for package, (start, _) in trips.items()),
        *(("empty", truck) for truck in trucks),
        *(("link", *way) for road in roads for way in (road, road[::-1])),
        *(("path", *way) for footpath in footpaths for way in (footpath, footpath[::-1])),
    ]
    goal: list[Literal] = [
        *((True, ("at", mover, pick(rng, junctions))) for mover in (*drivers, *trucks) if rng.random() < 0.5),
        *((True, ("at", package, end)) for package, (_, end) in trips.items()),
    ]
    objects = {
        **dict.fromkeys(drivers, "driver"),
        **dict.fromkeys(trucks, "truck"),
        **dict.fromkeys(packages, "obj"),
        **dict.fromkeys((*junctions, *halfway), "location"),
    }
    return TaskFacts(objects, tuple(init), tuple(goal))


def _network(rng: np.random.Generator, places: list[str], extra: int) -> list[tuple[str, str]]:
    """Pairs that connect all places (a random tree), and up to `extra` more, in the order of the places."""
    order = shuffled(rng, places)
    tree = {frozenset((place, pick(rng, order[:i]))) for i, place in enumerate(order) if i}
    pairs = list(combinations(places, 2))
    others = [pair for pair in pairs if frozenset(pair) not in tree]
    chosen = sample(rng, others, min(extra, len(others)))
    return [pair for pair in pairs if frozenset(pair) in tree or pair in chosen]
