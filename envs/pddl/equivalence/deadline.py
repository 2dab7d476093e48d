"""How long a comparison may take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from envs.pddl.simulation.grounding import GroundingFailed, Limits


class OutOfTime(RuntimeError):
    """The deadline came before an answer: nothing is known of the problems."""


class Deadline:
    """A moment after which nothing new is begun; None: no such moment."""

    def __init__(self, seconds: float | None):
        self._until = None if seconds is None else monotonic() + seconds

    def left(self) -> float | None:
        """Seconds until the deadline, None without one. Raises OutOfTime when it is over."""
        if self._until is None:
            return None
        left = self._until - monotonic()
        if left <= 0:
            raise OutOfTime("the time for comparing is over")
        return left

    def part(self, share: float) -> Deadline:
        """A deadline at a share of the time that is left. Raises OutOfTime when none is."""
        left = self.left()
        return Deadline(None if left is None else left * share)


NO_DEADLINE = Deadline(None)


@contextmanager
def grounding_until(deadline: Deadline) -> Iterator[Limits]:
    """Limits for grounding within the time left; a child that has to be ended for it is OutOfTime."""
    left = deadline.left()
    try:
        yield Limits() if left is None else Limits(deadline_s=min(Limits().deadline_s, left))
    except GroundingFailed:
        deadline.left()
        raise
    deadline.left()
