"""What goals imply in Gripper, exactly.

The robot is in one room, every ball is in one room or one gripper, every gripper is free or holds one ball.
If there is a gripper every such state can be reached from every other. So only counting implies anything:
if all balls are placed, the grippers left open are free; if there is one room, the robot is in it, and so is
a ball left open for which no gripper is.

Source: the rules of Zuo et al. 2024, appendix C; they are complete for goals without negations.
"""

from __future__ import annotations

from envs.pddl.equivalence.known_domains.patterns import Impossible, Members, Oracle, Rule, claim, together
from envs.pddl.language.structure import GroundAtom

ROBOT, AT, FREE, CARRY = "robot", "at", "free", "carry"
ROOM, BALL, HAND = "room", "ball", "gripper"

RULES = (
    Rule.of((ROOM, ROOM), "robot 0", "robot 1", "robot 0"),
    Rule.of((BALL, ROOM, HAND), "at 0 1, robot 1, free 2", "carry 0 2", "at 0 1, free 2"),
    Rule.of((BALL, ROOM, HAND), "carry 0 2, robot 1", "at 0 1, free 2", "carry 0 2"),
)


class Placement:
    """What some atoms say of the robot, balls and grippers. Raises Impossible if they exclude each other."""

    def __init__(self, atoms: frozenset[GroundAtom]):
        self.robot: GroundAtom | None = None
        self.balls: dict[str, GroundAtom] = {}  #: ball → the atom that says where it is
        self.hands: dict[str, GroundAtom] = {}  #: gripper → the atom that says what it holds
        for atom in sorted(atoms):
            self._note(atom)

    def _note(self, atom: GroundAtom) -> None:
        if atom[0] == ROBOT:
            if self.robot is not None:
                raise Impossible(together(self.robot, atom))
            self.robot = atom
        if atom[0] in (AT, CARRY):
            claim(self.balls, atom[1], atom)
        if atom[0] in (FREE, CARRY):
            claim(self.hands, atom[-1], atom)


def is_whole(atoms: frozenset[GroundAtom], members: Members) -> bool:
    """Whether the robot, all balls and all grippers are placed, and there is a gripper. Raises Impossible."""
    placed = Placement(atoms)
    everything = placed.balls.keys() == members[BALL] and placed.hands.keys() == members[HAND]
    return placed.robot is not None and everything and bool(members[HAND])


def implied(atoms: frozenset[GroundAtom], members: Members) -> frozenset[GroundAtom]:
    """The atoms and all others that hold whenever they do. Raises Impossible."""
    placed = Placement(atoms)
    balls = members[BALL] - placed.balls.keys()
    hands = members[HAND] - placed.hands.keys()
    found = set(atoms)
    if not balls:
        found |= {(FREE, hand) for hand in hands}
    if len(members[ROOM]) == 1:
        (room,) = members[ROOM]
        found.add((ROBOT, room))
        if not hands:
            found |= {(AT, ball, room) for ball in balls}
    return frozenset(found)


_KINDS = {ROBOT: (ROOM,), AT: (BALL, ROOM), FREE: (HAND,), CARRY: (BALL, HAND)}
GRIPPER = Oracle(RULES, _KINDS, is_whole, implied)
