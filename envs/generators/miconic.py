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

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, pick, sample


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if it would have nothing to do."""

    floors: int = 7  #: at least 2
    passengers: int = 4  #: at least 1; all of them are to be served

    def __post_init__(self) -> None:
        if self.floors < 2 or self.passengers < 1:
            raise ValueError(f"{self}: a task needs 2 floors and 1 passenger at least")


SIZES: tuple[Size, ...] = (
    Size(7, 4),
    Size(7, 5),
    Size(8, 6),
    Size(9, 7),
    Size(10, 9),
    Size(11, 11),
    Size(12, 13),
    Size(14, 15),
    Size(16, 18),
    Size(18, 22),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size: nobody has been served at first, and everybody is to be served."""
    floors = [f"floor{number}" for number in range(1, size.floors + 1)]
    passengers = [f"passenger{number}" for number in range(1, size.passengers + 1)]
    trips = {passenger: sample(rng, floors, 2) for passenger in passengers}
    init: list[GroundAtom] = [
        ("lift-at", pick(rng, floors)),
        *(("origin", passenger, start) for passenger, (start, _) in trips.items()),
        *(("destin", passenger, end) for passenger, (_, end) in trips.items()),
        *(("above", lower, higher) for lower, higher in combinations(floors, 2)),
    ]
    objects = {**dict.fromkeys(passengers, "passenger"), **dict.fromkeys(floors, "floor")}
    return TaskFacts(objects, tuple(init), tuple((True, ("served", p)) for p in passengers))
