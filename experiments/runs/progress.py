"""What a user sees while a run works: one live line on a terminal, plain lines elsewhere.

The line, wrapped if need be: what is done of how much at most, best rating and EW so far, calls, tokens,
cost where there are prices, what finished nodes and tasks took of simulators, what went wrong with calls, and
the time that the rest may take. Every finished node and task is printed once; a resumed run prints only what
is new. Where several episodes are under way at once, lines begin with the episode's name, and the live line
sums over those under way. What workers do comes back with their results alone; jobs that walk in a simulator
in this process have a live line of their own (`simulators_shown`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ew.score.rating import Outcome
from ew.score.shown import shown
from ew.walks.budget import NO_COST, SimulatorCost
from ew.walks.simulator_cost import watched
from experiments.runs.details import Repair
from experiments.runs.records import EpisodeRecord, NodeRecord, TaskRecord

#: Of a fault, so many characters are shown.
LONGEST_FAULT = 200


@dataclass(frozen=True)
class Counters:
    """What the language model was asked in this process."""

    calls: int = 0  #: samples that were paid for, or read from a recording
    cached: int = 0  #: samples that the journal already held
    tokens: int = 0
    failed: int = 0  #: calls given up after all retries
    retries: int = 0  #: requests that were sent again
    not_whole: int = 0  #: samples that were cut off, refused, withheld or empty
    cost: str = ""  #: of the whole run, in words; empty without prices


@dataclass(eq=False)
class _UnderWay:
    """An episode that has begun and not ended."""

    name: str
    at_most: int  #: candidates
    nodes: int = 0
    best: str = "–"


class Progress:
    """Prints the progress of a run. Thread-safe; a context manager while the live line is wanted.

    `units` episodes are to be done, up to `at_once` at a time.
    """

    def __init__(self, console: Console, counters: Callable[[], Counters], units: int = 1, at_once: int = 1):
        self._console = console
        self._counters = counters
        self.lock = threading.RLock()
        self._started = time.monotonic()
        self._units = units
        self._several = min(units, at_once) > 1
        self.finished = 0  # episodes
        self._in_simulators = NO_COST
        self._known: set[tuple[str, str]] = set()  # candidates by content, and tasks
        self.under_way: list[_UnderWay] = []
        self._live = Live(console=console, get_renderable=self._line, auto_refresh=True, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the live line away. Stopping twice is harmless."""
        self._live.stop()

    def say(self, text: str) -> None:
        """One line of its own."""
        with self.lock:
            self._console.print(Text(text), soft_wrap=True)

    def walked(self, record: NodeRecord | TaskRecord) -> None:
        """What was finished took this of simulators."""
        key = (record.unit, record.key if isinstance(record, NodeRecord) else f"task {record.task}")
        with self.lock:
            if record.score.simulator is not None and key not in self._known:
                self._known.add(key)
                self._in_simulators += record.score.simulator

    def episode(self, name: str, at_most: int) -> EpisodeProgress:
        """An episode begins; it has at most `at_most` candidates."""
        begun = _UnderWay(name, at_most)
        with self.lock:
            self.under_way.append(begun)
        self.say(f"{name}: at most {at_most} candidates" if at_most else name)
        return EpisodeProgress(self, begun, f"{name}: " if self._several else "  ")

    def _line(self) -> Text:
        with self.lock:
            counters = self._counters()
            seconds = time.monotonic() - self._started
            parts = (
                *self._episodes(),
                f"calls {counters.calls}" + (f" (+{counters.cached} cached)" if counters.cached else ""),
                f"tokens {counters.tokens:,}",
                f"cost {counters.cost}" if counters.cost else "",
                _tried(self._in_simulators) if self._in_simulators != NO_COST else "",
                f"retries {counters.retries}" if counters.retries else "",
                f"not whole {counters.not_whole}" if counters.not_whole else "",
                f"failed calls {counters.failed}" if counters.failed else "",
                f"{_clock(seconds)} (≤ {self._left(seconds)} left)",
            )
        return Text(" · ".join(filter(None, parts)), overflow="fold")

    def _episodes(self) -> Iterator[str]:
        """What is under way; the best rating only where there is one that it can belong to."""
        under_way = self.under_way
        alone = under_way[0] if len(under_way) == 1 else None
        yield f"{alone.name if alone else f'{len(under_way)} episodes'} ({self.finished}/{self._units})"
        at_most = sum(e.at_most for e in under_way)
        if at_most:
            yield f"candidates {sum(e.nodes for e in under_way)}/{at_most}"
            yield f"best {alone.best}" if alone else ""

    def _left(self, seconds: float) -> str:
        """An upper bound by proportion: the search may end early."""
        done = self.finished + sum(e.nodes / max(1, e.at_most) for e in self.under_way)
        share = done / max(1, self._units)
        return _clock(seconds * (1 - share) / share) if 0 < share <= 1 else "?"


class EpisodeProgress:
    """Prints the progress of one episode. Thread-safe."""

    def __init__(self, progress: Progress, episode: _UnderWay, prefix: str):
        self._progress = progress
        self._episode = episode
        self._prefix = prefix

    def say(self, text: str) -> None:
        """One line about this episode."""
        self._progress.say(self._prefix + text)

    def node(self, record: NodeRecord, best: str, before: float | None = None) -> None:
        """A candidate was evaluated; `best` is the best rating so far, in words, `before` its parent's EW."""
        self._progress.walked(record)
        with self._progress.lock:
            self._episode.nodes += 1
            self._episode.best = best
        ew = "" if record.score.ew is None else f" EW {shown(record.score.ew, 3)}"
        fault = first_fault(record)
        words = f"node {record.id}: {record.outcome.lower()}{ew}{f': {fault}' if fault else ''}"
        self._say_all([*_repair(record, before), words])

    def task(self, record: TaskRecord) -> None:
        """A task was finished."""
        self._progress.walked(record)
        ew = "" if record.score.ew is None else f", EW {shown(record.score.ew, 3)}"
        plan = "" if record.plan_length is None else f", plan of {record.plan_length} steps"
        judged = "".join(f", {found.name} {found.judgement}" for found in record.details if found.judgement)
        line = f"task {record.task}: {record.outcome.value}{plan}{ew}{judged}"
        self._say_all([line, *(f"  doubt about the text of {doubt}" for doubt in record.doubts)])

    def done(self, record: EpisodeRecord) -> None:
        """The episode ended."""
        if record.unanswered:
            return self.given_up(
                "unanswered: no answer came of anything that was asked, so there is no score"
            )
        self._leave(finished=1)
        lines = [f"solved {record.solved} of {record.tasks} tasks in {record.wall_s:.1f} s"]
        lines += [record.limits_of_agreement] if record.limits_of_agreement else []
        self._say_all([*lines, *(f"  doubt about the text of {doubt}" for doubt in record.doubts)])

    def given_up(self, why: str) -> None:
        """The episode was given up, and has no score."""
        self._leave(finished=1)
        self.say(why)

    def stopped(self) -> None:
        """The run ends before the episode does."""
        self._leave(finished=0)

    def _say_all(self, lines: Sequence[str]) -> None:
        """Lines that no other episode's come between."""
        with self._progress.lock:
            for line in lines:
                self.say(line)

    def _leave(self, finished: int) -> None:
        with self._progress.lock:
            self._progress.under_way.remove(self._episode)
            self._progress.finished += finished


def first_fault(record: NodeRecord) -> str:
    """The first fault of a candidate that cannot be walked in, on one line; empty for all others.

    It is what the feedback says after its heading.
    """
    if record.outcome not in Outcome.__members__ or Outcome[record.outcome] >= Outcome.NO_INITIAL_ACTION:
        return ""
    _, _, details = record.feedback.partition("\n\n")
    found = next((line for line in details.splitlines() if line.strip()), "").strip().removeprefix("- ")
    if found.startswith("Expected:"):
        return ""
    return found if len(found) <= LONGEST_FAULT else f"{found[:LONGEST_FAULT]}..."


def _repair(record: NodeRecord, before: float | None) -> list[str]:
    """What a repair did to make this candidate of its parent."""
    repair = record.added(Repair)
    if repair is None:
        return []
    parent = record.id.rpartition(".")[0] + ("" if before is None else f" (EW {shown(before, 3)})")
    simulator = "" if repair.simulator is None else f", {repair.simulator}"
    took = f"{repair.world_queries:,} world queries{simulator}, no language model"
    edits = repair.edits or ("no edit makes it agree better",)
    return [f"node {record.id}: repair of {parent}, {took}", *(f"  - {edit}" for edit in edits)]


@contextmanager
def simulators_shown(console: Console) -> Iterator[None]:
    """Inside, one live line says how much is tried in simulators, once one is; on a terminal only."""
    if not console.is_terminal:
        yield
        return
    done, started = NO_COST, time.monotonic()

    def line() -> Text:
        return Text(f"{_tried(done)} · {_clock(time.monotonic() - started)}", overflow="fold")

    live = Live(console=console, get_renderable=line, auto_refresh=True, transient=True)

    def further(cost: SimulatorCost) -> None:
        nonlocal done
        done += cost
        if not live.is_started:
            live.start()

    try:
        with watched(further):
            yield
    finally:
        live.stop()


@contextmanager
def warnings_shown_by(progress: Progress) -> Iterator[None]:
    """Inside, warnings of all our packages become lines of `progress`."""
    handler, root = logging.Handler(logging.WARNING), logging.getLogger()
    handler.emit = lambda record: progress.say(  # type: ignore[method-assign]
        f"  {record.levelname.lower()}: {record.getMessage()}"
    )
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def _tried(done: SimulatorCost) -> str:
    return f"in simulators: {done.steps + done.refused:,} operators tried, {done.resets:,} resets"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
