"""What became of one pair: how far a translation came, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Answer(StrEnum):
    """What an answer held."""

    PROBLEM = "problem"  #: a problem of the domain
    UNREADABLE = "unreadable"  #: a problem, but none of the domain
    NO_PROBLEM = "no_problem"
    NO_ANSWER = "no_answer"  #: it was cut off, refused, withheld or empty


class Mistake(StrEnum):
    """One way in which a translation differs from the truth."""

    OBJECTS_MISSING = "objects_missing"
    OBJECTS_EXTRA = "objects_extra"
    INIT_MISSING = "init_missing"
    INIT_EXTRA = "init_extra"
    INIT_ARRANGED = "init_arranged"  #: as many atoms of each kind, about other objects
    GOAL_MISSING = "goal_missing"
    GOAL_EXTRA = "goal_extra"
    GOAL_ARRANGED = "goal_arranged"
    GOAL_IMPOSSIBLE = "goal_impossible"  #: no reachable state satisfies it


@dataclass(frozen=True)
class PairRecord:
    """A judged translation. Plain data; survives JSON and pickling."""

    id: str
    world: str
    style: str  #: how abstract the text is, `Pair.style`
    layouts: str  #: `staircase to stack`; empty for tasks of worlds without layouts
    size: int  #: atoms of the truth
    answer: str  #: an `Answer`
    problem: str | None = None  #: the PDDL that was cut from the answer
    fault: str = ""  #: why there is none that can be read
    planner: str = ""  #: who planned: `rules` or `fast_downward`
    plan: str = ""  #: a `PlanOutcome`; empty if nobody planned
    plan_length: int | None = None
    verdict: str = ""  #: of the comparison with the truth; empty if there was none
    part: str = ""  #: the part in which it differs
    difference: str = ""  #: in words; the truth is the first problem
    mistakes: tuple[str, ...] = ()  #: `Mistake`s

    @property
    def parseable(self) -> bool:
        """Whether a problem of the domain could be cut from the answer."""
        return self.answer == Answer.PROBLEM

    @property
    def correct(self) -> bool:
        """Whether it is the same planning problem as the truth."""
        return self.verdict == "equivalent"

    @property
    def solvable(self) -> bool:
        """Whether it has a plan; what is the same as the truth has one, whether or not it was found."""
        return self.correct or self.plan == "solved"

    @property
    def undecided(self) -> bool:
        """Whether it is not known if it is correct; it is not counted as correct."""
        return self.verdict in ("unsupported", "timeout")
