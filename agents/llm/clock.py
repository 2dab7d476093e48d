"""Time as retries see it, in one place, so that waits of minutes can be tested in no time."""

from __future__ import annotations

import threading
import time


class Clock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since some fixed moment; never falls."""
        return time.monotonic()

    def sleep(self, seconds: float, until: threading.Event) -> None:
        """Return after that time, or at once when `until` is set."""
        until.wait(seconds)


class PassingClock(Clock):
    """A clock for tests: time passes by sleeping alone, and that takes none. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0.0
        self.slept: list[float] = []  #: every wait, in order

    def now(self) -> float:
        """The sum of all waits."""
        return self._now

    def sleep(self, seconds: float, until: threading.Event) -> None:
        """Let that time pass."""
        with self._lock:
            self._now += seconds
            self.slept.append(seconds)
