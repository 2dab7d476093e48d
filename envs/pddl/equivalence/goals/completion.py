"""A goal with all that it implies, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from envs.pddl.equivalence.goals.goal import Goal


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


def unreachable(goal: Goal, part: str) -> Completion:
    """The completion of a goal of which a part holds in no reachable state."""
    return Completion(goal, Exactness.UNREACHABLE, f"no reachable state satisfies {part}")
