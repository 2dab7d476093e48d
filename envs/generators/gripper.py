"""Tasks of `gripper`: balls to be brought to other rooms or into grippers.

Solvable by construction: every room can be reached from every other. First every ball is put down in the
room where it is to lie, or in any room if it is to be carried; then each ball to be carried is picked up
with its own gripper, which nothing else is to use; then the robot goes to its room. No step undoes an
earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import OBJECT
from envs.tasks import Literal, TaskFacts, pick, shuffled

_CARRIED_AT_FIRST = 0.5  # chance that a gripper is not free
_CARRIED_AT_LAST = 0.3  # chance that a gripper is to carry a ball
_ROBOT_HAS_GOAL = 0.5


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if no ball could be moved."""

    rooms: int = 3  #: at least 2
    balls: int = 4  #: at least 1
    grippers: int = 2  #: at least 1

    def __post_init__(self) -> None:
        if self.rooms < 2 or self.balls < 1 or self.grippers < 1:
            raise ValueError(f"{self}: a task needs 2 rooms, 1 ball and 1 gripper at least")


SIZES: tuple[Size, ...] = (
    Size(3, 4, 2),
    Size(4, 4, 2),
    Size(3, 6, 2),
    Size(4, 6, 3),
    Size(5, 7, 2),
    Size(5, 8, 3),
    Size(6, 9, 3),
    Size(6, 11, 4),
    Size(7, 13, 4),
    Size(8, 16, 4),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size: every ball has a goal, and the first ball is not where it is to be."""
    rooms, balls, grippers = (
        [f"{kind}{number}" for number in range(1, count + 1)]
        for kind, count in (("room", size.rooms), ("ball", size.balls), ("gripper", size.grippers))
    )
    start = _places(rng, rooms, balls, grippers, _CARRIED_AT_FIRST)
    end = _places(rng, rooms, balls, grippers, _CARRIED_AT_LAST)
    while end[balls[0]] == start[balls[0]]:
        end = _places(rng, rooms, balls, grippers, _CARRIED_AT_LAST)
    used = [atom[2] for atom in start.values() if atom[0] == "carry"]
    init: list[GroundAtom] = [
        *(("room", room) for room in rooms),
        *(("ball", ball) for ball in balls),
        *(("gripper", gripper) for gripper in grippers),
        ("at-robby", pick(rng, rooms)),
        *(start[ball] for ball in balls if start[ball][0] == "at"),
        *(("free", gripper) for gripper in grippers if gripper not in used),
        *(start[ball] for ball in balls if start[ball][0] == "carry"),
    ]
    goal: list[Literal] = [(True, end[ball]) for ball in balls]
    if rng.random() < _ROBOT_HAS_GOAL:
        goal.append((True, ("at-robby", pick(rng, rooms))))
    return TaskFacts(dict.fromkeys((*rooms, *balls, *grippers), OBJECT), tuple(init), tuple(goal))


def _places(
    rng: np.random.Generator, rooms: list[str], balls: list[str], grippers: list[str], carried: float
) -> dict[str, GroundAtom]:
    """For every ball the atom that says where it is: in a room, or in a gripper of its own."""
    places: dict[str, GroundAtom] = {ball: ("at", ball, pick(rng, rooms)) for ball in balls}
    for ball, gripper in zip(shuffled(rng, balls), grippers, strict=False):
        if rng.random() < carried:
            places[ball] = ("carry", ball, gripper)
    return places
