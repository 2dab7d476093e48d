"""Tasks of movie: a tape to rewind, a counter to set to zero, and a random choice of snacks to get.

Solvable by construction: rewind the tape in the way that fits where its counter stood, then set the counter
to zero, then get a snack of every kind that is wanted, of which there is at least one. The tape is not
rewound at first, so no task is solved already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, shuffled, sized, subset

_KINDS = ("chips", "dip", "pop", "cheese", "crackers")


@dataclass(frozen=True)
class Movie(TaskGenerator):
    """Tasks of `movie`. Raises ValueError if there is no such task."""

    # The smallest size is as large as the first published task, with few operators for a first task: a plan
    # is as long in any size, and more snacks only make texts longer.
    #: snacks of all kinds together (at least 5, one of each kind)
    snacks: int = sized(20, (25, 25, 30, 30, 35, 35, 40, 45, 50, 60))
    #: how many of the five kinds the goal asks for
    wanted: int = sized(5, (3, 5, 4, 5, 4, 5, 5, 4, 5, 5), least=0)
    #: how many of the five kinds are at hand at first
    stocked: int = sized(0, (0, 0, 1, 2, 3, 0, 1, 0, 2, 0), least=0)

    def _check(self) -> None:
        kinds = len(_KINDS)
        self.require(self.snacks >= kinds, "there is a snack of each kind")
        self.require(max(self.wanted, self.stocked) <= kinds, f"there are {kinds} kinds")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size that can be solved and is not solved already."""
        snacks, more = numbered("snack", self.snacks), self.snacks - len(_KINDS)
        kinds = shuffled(rng, [*_KINDS, *(pick(rng, _KINDS) for _ in range(more))])
        init = [
            *((kind, snack) for snack, kind in zip(snacks, kinds, strict=True)),
            *((f"have-{kind}",) for kind in subset(rng, _KINDS, self.stocked)),
            (pick(rng, ("counter-at-two-hours", "counter-at-other-than-two-hours")),),
        ]
        init += [("counter-at-zero",)] if rng.random() < 0.5 else []  # somebody has set it to zero since
        bought = ((f"have-{kind}",) for kind in subset(rng, _KINDS, self.wanted))
        return TaskFacts.of({"object": snacks}, init, (("movie-rewound",), ("counter-at-zero",), *bought))
