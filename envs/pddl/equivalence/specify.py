"""Goals completed with all they imply in the states that can be reached."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from envs.pddl.equivalence.goals import Goal
from envs.pddl.language import Problem


class Exactness(StrEnum):
    """How a completed goal relates to what holds in all reachable goal states."""

    EXACT = "exact"
    SOUND = "sound"  #: all that was added holds there; more may hold
    UNREACHABLE = "unreachable"  #: no reachable state satisfies the goal


@dataclass(frozen=True)
class Completion:
    """A completed goal."""

    goal: Goal
    exactness: Exactness
    reason: str = ""  #: why it is not exact, in words


def specify(problem: Problem, goal: Goal) -> Completion:
    """Complete the goal of a problem, which `read_goal` has read."""
    if goal.impossible:
        return Completion(goal, Exactness.UNREACHABLE, f"no reachable state satisfies {goal.impossible}")
    return Completion(goal, Exactness.SOUND, "what the goal implies is not known for this domain")
