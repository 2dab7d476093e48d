"""Tasks of movie: a tape to rewind, a counter to set to zero, and a random choice of snacks to get.

Solvable by construction: rewind the tape in the way that fits where its counter stood, then set the counter
to zero, then get a snack of every kind that is wanted, of which there is at least one. The tape is not
rewound at first, so no task is solved already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick, sample, shuffled

_KINDS = ("chips", "dip", "pop", "cheese", "crackers")


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if there is no such task."""

    snacks: int = 20  #: snacks of all kinds together (at least 5, one of each kind)
    wanted: int = 5  #: how many of the five kinds the goal asks for
    stocked: int = 0  #: how many of the five kinds are at hand at first

    def __post_init__(self) -> None:
        if self.snacks < len(_KINDS) or not {self.wanted, self.stocked} <= set(range(len(_KINDS) + 1)):
            raise ValueError(f"{self}: it takes a snack of each kind, and there are {len(_KINDS)} kinds")


#: The smallest is as large as the first published task, with few operators for a first task: a plan is as
#: long in any size, and more snacks only make texts longer.
SIZES: tuple[Size, ...] = (
    Size(snacks=25, wanted=3),
    Size(snacks=25, wanted=5),
    Size(snacks=30, wanted=4, stocked=1),
    Size(snacks=30, wanted=5, stocked=2),
    Size(snacks=35, wanted=4, stocked=3),
    Size(snacks=35, wanted=5),
    Size(snacks=40, wanted=5, stocked=1),
    Size(snacks=45, wanted=4),
    Size(snacks=50, wanted=5, stocked=2),
    Size(snacks=60, wanted=5),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size that can be solved and is not solved already."""
    snacks = [f"snack{number}" for number in range(1, size.snacks + 1)]
    more = size.snacks - len(_KINDS)
    kinds = shuffled(rng, [*_KINDS, *(pick(rng, _KINDS) for _ in range(more))])
    init: list[GroundAtom] = [(kind, snack) for snack, kind in zip(snacks, kinds, strict=True)]
    init += [(f"have-{kind}",) for kind in _some_kinds(rng, size.stocked)]
    init += _counter(rng)
    goal: list[Literal] = [(True, ("movie-rewound",)), (True, ("counter-at-zero",))]
    goal += [(True, (f"have-{kind}",)) for kind in _some_kinds(rng, size.wanted)]
    return TaskFacts(dict.fromkeys(snacks, "object"), tuple(init), tuple(goal))


def _counter(rng: np.random.Generator) -> list[GroundAtom]:
    """Where the counter stood, and in half of the tasks that somebody has set it to zero since."""
    stood: list[GroundAtom] = [(pick(rng, ("counter-at-two-hours", "counter-at-other-than-two-hours")),)]
    return [*stood, ("counter-at-zero",)] if rng.random() < 0.5 else stood


def _some_kinds(rng: np.random.Generator, count: int) -> list[str]:
    """`count` different kinds, in their order."""
    chosen = frozenset(sample(rng, _KINDS, count))
    return [kind for kind in _KINDS if kind in chosen]
