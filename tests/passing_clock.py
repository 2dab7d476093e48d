"""A clock by which tests of waits take no time."""

from __future__ import annotations

import threading

from agents.llm.retry import Clock


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
