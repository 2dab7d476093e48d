"""Tasks of `grippers_ood`: those of `grippers`, in which some rooms are prepared at first.

Solvable by construction: a robot that carries one ball has another gripper free, with which it can prepare
any room that it is in; so it can bring one ball after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.generators import grippers
from envs.tasks import TaskFacts


@dataclass(frozen=True)
class Size(grippers.Size):
    """How large a task is. Raises ValueError if there is nothing to do."""

    prepared: float = 0.2  #: how likely each room is prepared at first


SIZES: tuple[Size, ...] = tuple(Size(size.robots, size.rooms, size.balls) for size in grippers.SIZES)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. The goal says where every ball must lie."""
    base = grippers.generate(rng, size)
    rooms = [name for name, kind in base.objects.items() if kind == "room"]
    prepared = [("prepared", room) for room in rooms if rng.random() < size.prepared]
    return TaskFacts(base.objects, (*base.init, *prepared), base.goal)
