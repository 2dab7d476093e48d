"""A drawn task before it is a text: its facts, and what sums up its initial state and its goal in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import OBJECT
from envs.tasks import TaskFacts, sample


@dataclass(frozen=True)
class TaskSide:
    """The initial state or the goal of a drawn task."""

    layout: str  #: what kind of arrangement it is
    atoms: tuple[GroundAtom, ...]
    words: str  #: sums it up, in sentences that name no object
    relative: bool = False  #: of a goal: whether the words say it by what is there at first


@dataclass(frozen=True)
class DrawnTask:
    """A task of Blocksworld or Gripper."""

    objects: Sequence[str]
    statics: tuple[GroundAtom, ...]  #: what kind of thing each object is, where types do not say so
    there: str  #: a sentence that lists the objects
    init: TaskSide
    goal: TaskSide

    @property
    def facts(self) -> TaskFacts:
        """What there is, what holds at first, and what is wanted."""
        return TaskFacts(
            dict.fromkeys(self.objects, OBJECT),
            (*self.statics, *self.init.atoms),
            tuple((True, atom) for atom in self.goal.atoms),
        )


def parts_of(rng: np.random.Generator, total: int, count: int, least: int) -> list[int]:
    """`count` numbers of at least `least` that add up to `total`, largest first.

    Raises ValueError if there are none.
    """
    spare = total - count * least
    if spare < 0 or count < 1:
        raise ValueError(f"{total} is no sum of {count} numbers from {least} up")
    bars = sorted(sample(rng, range(spare + count - 1), count - 1))
    ends = [-1, *bars, spare + count - 1]
    gaps = [right - left - 1 for left, right in pairwise(ends)]
    return sorted((gap + least for gap in gaps), reverse=True)


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from `low` to `high`, both included."""
    return low + int(rng.random() * (high - low + 1))


def counted(number: int, one: str, many: str) -> str:
    """`1 room`, `2 rooms`."""
    return f"{number} {one if number == 1 else many}"


def from_to(names: Sequence[str]) -> str:
    """A run of numbered names: `b1`, `b1 and b2`, `b1 to b9`."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{names[0]} to {names[-1]}"
