"""Gripper: everything is put down, balls are brought room by room with all grippers, then what is to be held.

A ball is carried at most twice: to its room, and into its gripper.
"""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.equivalence.known_domains.grippers import AT, CARRY, HAND, Placement
from envs.pddl.equivalence.known_domains.patterns import Members
from envs.pddl.language.structure import GroundAtom

MOVE, PICK, DROP = range(3)  # the order of the rules
_Step = tuple[int, tuple[str, ...]]


def deliver(init: frozenset[GroundAtom], wanted: frozenset[GroundAtom], members: Members) -> list[_Step]:
    """The steps from a whole state to one that satisfies the wanted atoms. Raises Impossible."""
    goal, run = Placement(wanted), _Run(Placement(init), sorted(members[HAND]))
    to_room = {ball: atom[2] for ball, atom in sorted(goal.balls.items()) if atom[0] == AT}
    for room in sorted(set(run.lying.values())):
        away = [ball for ball, to in to_room.items() if run.lying[ball] == room != to]
        for start in range(0, len(away), len(run.hands)):
            run.bring({ball: to_room[ball] for ball in away[start : start + len(run.hands)]}, room)
    for ball, atom in sorted(goal.balls.items()):
        if atom[0] == CARRY:
            run.go(run.lying[ball])
            run.steps.append((PICK, (ball, run.robot, atom[2])))
    if goal.robot is not None:
        run.go(goal.robot[1])
    return run.steps


class _Run:
    """Where the robot and the balls are after some steps; at first, all balls have been put down."""

    def __init__(self, now: Placement, hands: Sequence[str]):
        self.hands = hands
        self.robot = now.robot[1] if now.robot else ""
        self.lying = {ball: atom[2] if atom[0] == AT else self.robot for ball, atom in now.balls.items()}
        carried = sorted(atom for atom in now.balls.values() if atom[0] == CARRY)
        self.steps: list[_Step] = [(DROP, (ball, self.robot, hand)) for _, ball, hand in carried]

    def go(self, room: str) -> None:
        """Move to a room, if the robot is not there."""
        if room != self.robot:
            self.steps.append((MOVE, (self.robot, room)))
            self.robot = room

    def bring(self, balls: dict[str, str], room: str) -> None:
        """Carry balls from a room to theirs, no more of them than there are grippers."""
        self.go(room)
        load = list(zip(balls, self.hands, strict=False))
        self.steps += [(PICK, (ball, room, hand)) for ball, hand in load]
        for ball, hand in sorted(load, key=lambda held: (balls[held[0]], held)):
            self.go(balls[ball])
            self.steps.append((DROP, (ball, self.robot, hand)))
            self.lying[ball] = self.robot
