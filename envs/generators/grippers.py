"""Tasks of `grippers` and `grippers_ood`: balls to be brought to other rooms.

Solvable by construction: every room can be reached from every other one, and all grippers are free at first,
so a robot can bring one ball after the other. In `grippers_ood` some rooms are prepared at first; a robot
that carries one ball has another gripper free, with which it can prepare any room that it is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, pick, sized

#: How often a ball must go to another room; the first ball always must.
_MOVED = 0.8


@dataclass(frozen=True)
class Grippers(TaskGenerator):
    """Tasks of `grippers`. Raises ValueError if there is nothing to do."""

    robots: int = sized(2, (2, 2, 2, 2, 3, 2, 3, 3, 3, 4), least=1)  #: each with two grippers
    rooms: int = sized(3, (3, 3, 4, 4, 4, 5, 5, 5, 6, 6), least=2)
    balls: int = sized(4, (3, 4, 4, 5, 5, 6, 6, 8, 8, 10), least=1)

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. The goal says where every ball must lie."""
        robots, rooms, balls = self.names("robot", "room", "ball")
        init: list[GroundAtom] = [("at-robby", robot, pick(rng, rooms)) for robot in robots]
        grippers = {f"{side}gripper{robot[5:]}": robot for robot in robots for side in "lr"}
        init += [("free", robot, gripper) for gripper, robot in grippers.items()]
        wanted = []
        for ball in balls:
            start = pick(rng, rooms)
            moved = rng.random() < _MOVED or ball == balls[0]
            end = pick(rng, [room for room in rooms if room != start]) if moved else start
            init.append(("at", ball, start))
            wanted.append(("at", ball, end))
        objects = {"robot": robots, "gripper": grippers, "room": rooms, "obj": balls}
        return TaskFacts.of(objects, init, wanted)


@dataclass(frozen=True)
class GrippersOod(Grippers):
    """Tasks of `grippers_ood`: those of `grippers`, in which some rooms are prepared at first."""

    prepared: float = 0.2  #: how likely each room is prepared at first

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. The goal says where every ball must lie."""
        base = super().generate(rng)
        rooms = [name for name, kind in base.objects.items() if kind == "room"]
        prepared = [("prepared", room) for room in rooms if rng.random() < self.prepared]
        return TaskFacts(base.objects, (*base.init, *prepared), base.goal)
