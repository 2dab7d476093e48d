"""Tasks of `gripper`: balls to be brought to other rooms or into grippers.

Solvable by construction: every room can be reached from every other. First every ball is put down in the
room where it is to lie, or in any room if it is to be carried; then each ball to be carried is picked up
with its own gripper, which nothing else is to use; then the robot goes to its room. No step undoes an
earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, pick, shuffled, sized

_CARRIED_AT_FIRST = 0.5  # chance that a gripper is not free
_CARRIED_AT_LAST = 0.3  # chance that a gripper is to carry a ball
_ROBOT_HAS_GOAL = 0.5


@dataclass(frozen=True)
class Gripper(TaskGenerator):
    """Tasks of `gripper`. Raises ValueError if no ball could be moved."""

    rooms: int = sized(3, (3, 4, 3, 4, 5, 5, 6, 6, 7, 8), least=2)
    balls: int = sized(4, (4, 4, 6, 6, 7, 8, 9, 11, 13, 16), least=1)
    grippers: int = sized(2, (2, 2, 2, 3, 2, 3, 3, 4, 4, 4), least=1)

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: every ball has a goal, and the first ball is not where it is to be."""
        rooms, balls, grippers = self.names("room", "ball", "gripper")
        start = _places(rng, rooms, balls, grippers, _CARRIED_AT_FIRST)
        end = _places(rng, rooms, balls, grippers, _CARRIED_AT_LAST)
        while end[balls[0]] == start[balls[0]]:
            end = _places(rng, rooms, balls, grippers, _CARRIED_AT_LAST)
        used = [atom[2] for atom in start.values() if atom[0] == "carry"]
        init = [
            *(("room", room) for room in rooms),
            *(("ball", ball) for ball in balls),
            *(("gripper", gripper) for gripper in grippers),
            ("at-robby", pick(rng, rooms)),
            *(start[ball] for ball in balls if start[ball][0] == "at"),
            *(("free", gripper) for gripper in grippers if gripper not in used),
            *(start[ball] for ball in balls if start[ball][0] == "carry"),
        ]
        wanted = [end[ball] for ball in balls]
        if rng.random() < _ROBOT_HAS_GOAL:
            wanted.append(("at-robby", pick(rng, rooms)))
        return TaskFacts.of({"object": [*rooms, *balls, *grippers]}, init, wanted)


def _places(
    rng: np.random.Generator, rooms: list[str], balls: list[str], grippers: list[str], carried: float
) -> dict[str, GroundAtom]:
    """For every ball the atom that says where it is: in a room, or in a gripper of its own."""
    places: dict[str, GroundAtom] = {ball: ("at", ball, pick(rng, rooms)) for ball in balls}
    for ball, gripper in zip(shuffled(rng, balls), grippers, strict=False):
        if rng.random() < carried:
            places[ball] = ("carry", ball, gripper)
    return places
