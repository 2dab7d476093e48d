"""The order among candidates. Kinds of failure are enum members, never numbers on the score axis.

unusable (by kind) < no initial action < EW in [0, 1] < solved; of several tasks, the more are solved the
better, whatever comes after. Source: Mahdavi et al. 2024, Appendix B.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import total_ordering


class Outcome(IntEnum):
    """What became of a candidate, worst first."""

    NO_PROBLEM = 0  #: the problem text is unusable, so no domain can help
    NO_ANSWER = 1  #: the reply was cut off, refused, withheld or empty: nobody's PDDL
    NO_EDIT = 2  #: the reply holds no modification
    REFUSED_EDIT = 3  #: the reply's modification could not be read or applied
    INSANE_DOMAIN = 4  #: sanity check failed, e.g. an action without effects
    INVALID_DOMAIN = 5  #: the modified domain does not check, e.g. undeclared predicates
    EXPLODED = 6  #: too large to ground within cap, memory and deadline
    NO_INITIAL_ACTION = 7  #: no operator applies in the initial state
    WALKED = 8  #: an EW score was taken
    SOLVED = 9  #: EW is 1 and the planner's plan works in the world


@total_ordering
@dataclass(frozen=True)
class Rating:
    """A candidate's place in the order. `ew` is set exactly for WALKED and SOLVED.

    A candidate that is tried on several tasks is rated by the first that it does not solve, or the last.
    """

    outcome: Outcome
    ew: float | None = None
    tasks: int = 0  #: how many tasks were solved before the one that `outcome` is of

    def __post_init__(self) -> None:
        if (self.ew is not None) != (self.outcome >= Outcome.WALKED):
            raise ValueError(
                f"{self.outcome.name} with EW {self.ew}: an EW belongs to WALKED and SOLVED only"
            )

    def __lt__(self, other: Rating) -> bool:
        return (self.tasks, self.outcome, self.ew or 0.0) < (other.tasks, other.outcome, other.ew or 0.0)
