"""Tasks of `grippers` and `grippers_ood`: balls to be brought to other rooms.

Solvable by construction: every room can be reached from every other one, and all grippers are free at first,
so a robot can bring one ball after the other. In `grippers_ood` some rooms are prepared at first; a robot
that carries one ball has another gripper free, with which it can prepare any room that it is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, pick

#: How often a ball must go to another room; the first ball always must.
_MOVED = 0.8


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if there is nothing to do."""

    robots: int = 2  #: at least 1, each with two grippers
    rooms: int = 3  #: at least 2
    balls: int = 4  #: at least 1

    def __post_init__(self) -> None:
        if self.robots < 1 or self.rooms < 2 or self.balls < 1:
            raise ValueError(f"{self}: a task needs 1 robot, 2 rooms and 1 ball at least")


SIZES: tuple[Size, ...] = (
    Size(2, 3, 3),
    Size(2, 3, 4),
    Size(2, 4, 4),
    Size(2, 4, 5),
    Size(3, 4, 5),
    Size(2, 5, 6),
    Size(3, 5, 6),
    Size(3, 5, 8),
    Size(3, 6, 8),
    Size(4, 6, 10),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. The goal says where every ball must lie."""
    robots = [f"robot{number}" for number in range(1, size.robots + 1)]
    rooms = [f"room{number}" for number in range(1, size.rooms + 1)]
    balls = [f"ball{number}" for number in range(1, size.balls + 1)]
    init: list[GroundAtom] = [("at-robby", robot, pick(rng, rooms)) for robot in robots]
    grippers = [(robot, f"{side}gripper{robot[5:]}") for robot in robots for side in "lr"]
    init += [("free", robot, gripper) for robot, gripper in grippers]
    goal = []
    for ball in balls:
        start = pick(rng, rooms)
        moved = rng.random() < _MOVED or ball == balls[0]
        end = pick(rng, [room for room in rooms if room != start]) if moved else start
        init.append(("at", ball, start))
        goal.append((True, ("at", ball, end)))
    kinds = (("robot", robots), ("gripper", [g for _, g in grippers]), ("room", rooms), ("obj", balls))
    objects = {name: kind for kind, names in kinds for name in names}
    return TaskFacts(objects, tuple(init), tuple(goal))


@dataclass(frozen=True)
class PreparedSize(Size):
    """How large a task of `grippers_ood` is. Raises ValueError if there is nothing to do."""

    prepared: float = 0.2  #: how likely each room is prepared at first


class Prepared:
    """The generator of `grippers_ood`: tasks of `grippers`, in which some rooms are prepared at first."""

    Size = PreparedSize
    SIZES: tuple[PreparedSize, ...] = tuple(PreparedSize(s.robots, s.rooms, s.balls) for s in SIZES)

    @staticmethod
    def generate(rng: np.random.Generator, size: PreparedSize) -> TaskFacts:
        """A task of that size. The goal says where every ball must lie."""
        base = generate(rng, size)
        rooms = [name for name, kind in base.objects.items() if kind == "room"]
        prepared = [("prepared", room) for room in rooms if rng.random() < size.prepared]
        return TaskFacts(base.objects, (*base.init, *prepared), base.goal)
