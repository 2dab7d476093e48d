"""How long a comparison may take."""

from __future__ import annotations

from time import monotonic

#: Seconds that a comparison may take unless it is said otherwise.
DEADLINE_S = 10.0


class OutOfTime(RuntimeError):
    """The deadline came before an answer: nothing is known of the problems."""


class Undecided(ValueError):
    """The problems could not be compared, and not for lack of time; why, in words. Survives pickling."""


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
