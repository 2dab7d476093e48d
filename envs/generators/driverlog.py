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

from envs.tasks import TaskFacts, TaskGenerator, network, numbered, pick, sample, shuffled, sized


@dataclass(frozen=True)
class Driverlog(TaskGenerator):
    """Tasks of `driverlog`. Raises ValueError if packages could not be brought anywhere."""

    drivers: int = sized(1, (1, 1, 2, 2, 2, 2, 2, 3, 3, 3), least=1)
    trucks: int = sized(1, (1, 2, 1, 2, 2, 2, 3, 3, 3, 3), least=1)
    #: all of them are to be brought elsewhere
    packages: int = sized(2, (2, 2, 3, 3, 4, 5, 6, 6, 7, 8), least=1)
    #: packages, trucks and drivers start and end at junctions
    junctions: int = sized(3, (4, 4, 4, 4, 5, 6, 6, 7, 8, 10), least=2)
    #: roads, and as many footpaths, more than are needed to connect all junctions
    shortcuts: int = sized(0, (1, 1, 1, 2, 2, 3, 4, 4, 5, 6))

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: every package has a goal, and it is not where the package starts.

        Half of the trucks and half of the drivers, on average, have a goal too.
        """
        drivers, trucks, packages = self.names("driver", "truck", "package")
        junctions = numbered("s", self.junctions)
        roads = _network(rng, junctions, self.shortcuts)
        halfway = {f"p{a[1:]}-{b[1:]}": (a, b) for a, b in _network(rng, junctions, self.shortcuts)}
        footpaths = [(end, point) for point, ends in halfway.items() for end in ends]
        trips = {package: sample(rng, junctions, 2) for package in packages}
        movers = (*drivers, *trucks)
        init = [
            *(("at", mover, pick(rng, junctions)) for mover in movers),
            *(("at", package, start) for package, (start, _) in trips.items()),
            *(("empty", truck) for truck in trucks),
            *(("link", *way) for road in roads for way in (road, road[::-1])),
            *(("path", *way) for footpath in footpaths for way in (footpath, footpath[::-1])),
        ]
        wanted = [
            *(("at", mover, pick(rng, junctions)) for mover in movers if rng.random() < 0.5),
            *(("at", package, end) for package, (_, end) in trips.items()),
        ]
        places = [*junctions, *halfway]
        objects = {"driver": drivers, "truck": trucks, "obj": packages, "location": places}
        return TaskFacts.of(objects, init, wanted)


def _network(rng: np.random.Generator, places: list[str], extra: int) -> list[tuple[str, str]]:
    """Pairs that connect all places (a random tree), and up to `extra` more, in the order of the places."""
    found = network(rng, shuffled(rng, places), places, extra)
    return [pair for pair in combinations(places, 2) if pair in found or pair[::-1] in found]
