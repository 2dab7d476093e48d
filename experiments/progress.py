"""What a user sees while a run works: one live line on a terminal, plain lines elsewhere.

The line, wrapped if need be: what is done of how much at most, best rating and EW so far, calls, tokens and
the time that the rest may take. Every finished node and task is told once; a run that is resumed tells only
what is new.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from experiments.records import EpisodeRecord, NodeRecord, TaskRecord


@dataclass(frozen=True)
class Counters:
    """What the language model was asked in this process."""

    calls: int = 0  #: samples that were paid for, or read from a recording
    cached: int = 0  #: samples that the journal already held
    tokens: int = 0
    failed: int = 0  #: calls given up after all retries


class Progress:
    """Tells a console about a run. Thread-safe; a context manager while the live line is wanted."""

    def __init__(self, console: Console, counters: Callable[[], Counters], units: int = 1):
        self._console = console
        self._counters = counters
        self._lock = threading.RLock()
        self._started = time.monotonic()
        self._units = units
        self._finished = 0
        self._unit = ""
        self._nodes = self._at_most = 0
        self._best = "–"
        self._live = Live(console=console, get_renderable=self._line, auto_refresh=True, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the live line away. Stopping twice is harmless."""
        self._live.stop()

    def say(self, text: str) -> None:
        """One line of its own."""
        with self._lock:
            self._console.print(Text(text), soft_wrap=True)

    def episode(self, name: str, at_most: int) -> None:
        """An episode begins; it has at most `at_most` candidates."""
        with self._lock:
            self._unit, self._nodes, self._at_most, self._best = name, 0, at_most, "–"
        self.say(f"{name}: at most {at_most} candidates" if at_most else name)

    def node(self, record: NodeRecord, best: str) -> None:
        """A candidate was evaluated; `best` is the best rating so far, in words."""
        with self._lock:
            self._nodes += 1
            self._best = best
        ew = "" if record.score.ew is None else f" EW {record.score.ew:.3f}"
        self.say(f"  node {record.id}: {record.outcome.lower()}{ew}")

    def task(self, record: TaskRecord) -> None:
        """A task was finished."""
        ew = "" if record.score.ew is None else f", EW {record.score.ew:.3f}"
        plan = "" if record.plan_length is None else f", plan of {record.plan_length} steps"
        self.say(f"  task {record.task}: {record.outcome.value}{plan}{ew}")

    def done(self, record: EpisodeRecord) -> None:
        """An episode ended."""
        with self._lock:
            self._finished += 1
        self.say(f"  solved {record.solved} of {record.tasks} tasks in {record.wall_s:.1f} s")

    def _line(self) -> Text:
        with self._lock:
            counters = self._counters()
            seconds = time.monotonic() - self._started
            parts = (
                f"{self._unit} ({self._finished}/{self._units})".strip(),
                f"candidates {self._nodes}/{self._at_most}" if self._at_most else "",
                f"best {self._best}" if self._at_most else "",
                f"calls {counters.calls}" + (f" (+{counters.cached} cached)" if counters.cached else ""),
                f"tokens {counters.tokens:,}",
                f"failed calls {counters.failed}" if counters.failed else "",
                f"{_clock(seconds)} (≤ {self._left(seconds)} left)",
            )
        return Text(" · ".join(filter(None, parts)), overflow="fold")

    def _left(self, seconds: float) -> str:
        """An upper bound by proportion: the search may end early."""
        share = (self._finished + self._nodes / max(1, self._at_most)) / max(1, self._units)
        return _clock(seconds * (1 - share) / share) if 0 < share <= 1 else "?"


@contextmanager
def told_by(progress: Progress) -> Iterator[None]:
    """Inside, warnings of all our packages become lines of `progress`."""
    handler = _Lines(progress)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Lines(logging.Handler):
    def __init__(self, progress: Progress):
        super().__init__(logging.WARNING)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        self._progress.say(f"  {record.levelname.lower()}: {record.getMessage()}")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
