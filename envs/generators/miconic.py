"""Tasks of `miconic` and of the worlds that share its objects and facts: floors, passengers and one lift.

Solvable by construction: of every two floors one is above the other, so the lift reaches the floor that a
passenger comes from and then the one the passenger is bound for, and nothing that happens is ever in the way.
With a motor that a trip up makes hot (`miconic_ood`) this stays true: a hot motor means that the last trip
went up, so there is a lower floor to go down to, and from there every floor above is one trip away.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from envs.tasks import TaskFacts, TaskGenerator, pick, sample, sized


@dataclass(frozen=True)
class Miconic(TaskGenerator):
    """Tasks of `miconic`. Raises ValueError if one would have nothing to do."""

    floors: int = sized(7, (7, 7, 8, 9, 10, 11, 12, 14, 16, 18), least=2)
    passengers: int = sized(4, (4, 5, 6, 7, 9, 11, 13, 15, 18, 22), least=1)  #: all of them are to be served

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: nobody has been served at first, and everybody is to be served."""
        floors, passengers = self.names("floor", "passenger")
        trips = {passenger: sample(rng, floors, 2) for passenger in passengers}
        init = [
            ("lift-at", pick(rng, floors)),
            *(("origin", passenger, start) for passenger, (start, _) in trips.items()),
            *(("destin", passenger, end) for passenger, (_, end) in trips.items()),
            *(("above", lower, higher) for lower, higher in combinations(floors, 2)),
        ]
        objects = {"passenger": passengers, "floor": floors}
        return TaskFacts.of(objects, init, (("served", passenger) for passenger in passengers))


class MiconicOod(Miconic):
    """Tasks of `miconic_ood`: the rules differ, the tasks are those of `miconic`."""
