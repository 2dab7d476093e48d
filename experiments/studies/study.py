"""What all studies share: their common flags, and doing their units in parallel, each once.

A study is a list of units, plain frozen dataclasses that hold everything that their results depend on, and a
function that turns one unit into a record of plain data. Records are written down as they come, so the same
command again does only what is missing; results do not depend on the executor or its workers.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from envs.pddl.planning.planner import Planner
from envs.registry import worlds
from envs.source import WorldNotFound, canonical_name, has_files
from experiments.config import ConfigError, ExecutorName, pick, study_executor
from experiments.driver.job import executor_of
from experiments.runs.directory import RunDirectory
from experiments.runs.provenance import provenance
from experiments.runs.records import Event, content_key
from experiments.runs.revive import RecordUnreadable, require
from search.boundary import WorkerError

Record = dict[str, Any]


@dataclass(frozen=True)
class StudyConfig:
    """Flags of every study."""

    env: tuple[str, ...] = ()
    """Worlds to study, bundled ones, folders or pddlgym:DOMAIN; default: all bundled ones."""
    problem: int = 1
    """The task of each world."""
    seed: int = 0
    """Everything random follows from it."""
    planner: str | None = None
    """Your own build of Fast Downward; default: the one in the up-fast-downward wheel."""
    planner_wall_s: float = 5.0
    """Seconds that one call of the planner may take; a plan that takes longer counts as not found."""
    executor: ExecutorName | None = None
    """Where units are worked on; results do not depend on it. Default: ray where --ray-address or RAY_ADDRESS
    names a cluster, else process."""
    ray_address: str | None = None
    """A running Ray cluster; default: one is started on this machine."""
    workers: int | None = None
    """Units at a time; default: one for each CPU."""
    fresh: bool = False
    """Set an old study in --out aside instead of resuming it."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds asked for. Raises ConfigError for an unknown name."""
        return tuple(map(_world, self.env)) or worlds()

    def planning(self) -> Planner:
        """The planner asked for."""
        return Planner(self.planner, wall_s=self.planner_wall_s)

    def science(self) -> dict[str, Any]:
        """What results depend on, for the run directory."""
        machine = ("executor", "ray_address", "workers", "fresh", "out", "planner")
        return {key: value for key, value in asdict(self).items() if key not in machine} | {
            "env": list(self.worlds)
        }


def _world(name: str) -> str:
    """A world of PDDL by the name that all processes know it by. Raises ConfigError if there is none."""
    try:
        return canonical_name(name) if has_files(name) else pick("world", name, worlds())
    except WorldNotFound as error:
        raise ConfigError(str(error)) from error


class Unit(Protocol):
    """One piece of a study; a frozen dataclass of plain data."""

    @property
    def key(self) -> str:
        """Content hash."""
        ...


def unit_key(unit: Any) -> str:
    """The content hash of a unit's fields."""
    return content_key({"kind": type(unit).__name__, **asdict(unit)})


def open_study(config: StudyConfig, out: Path) -> RunDirectory:
    """The study's directory, after the planner was tried. Raises ConfigDrift, PlannerMissing, ConfigError."""
    if not 0 < config.planner_wall_s < math.inf or config.seed < 0:
        raise ConfigError("--planner-wall-s must be a positive number and --seed must not be negative")
    return RunDirectory.open(out, config.science(), provenance(config.planning().check()), fresh=config.fresh)


def do_units(
    config: StudyConfig,
    directory: RunDirectory,
    units: Sequence[Unit],
    work: Callable[..., Record],
    console: Console,
) -> list[Record]:
    """The record of every unit, in the order of the units; what is written already is not done again.

    Raises the first unit's WorkerError, after all others were done.
    """
    known = records_of(directory)
    missing = [unit for unit in units if unit.key not in known]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        executor_of(
            config.executor or study_executor(config.ray_address), config.ray_address, config.workers
        ) as executor,
        Progress(*columns, console=console) as progress,
    ):
        bar = progress.add_task(str(directory.path), total=len(units), completed=len(units) - len(missing))
        book = _Book(directory, known, lambda: progress.advance(bar))
        futures = []
        for unit in missing:
            future = executor.submit(work, unit)
            future.add_done_callback(book.entry(unit.key))
            futures.append(future)
        errors = [error for error in (future.exception() for future in futures) if error is not None]
    if errors:
        raise errors[0]
    return [known[unit.key] for unit in units]


def records_of(directory: RunDirectory) -> dict[str, Record]:
    """The records of units that are written already, by key. Raises RunUnreadable."""
    known = {}
    for number, event in enumerate(directory.each_event(), start=1):
        if event["event"] == Event.UNIT:
            try:
                require(event, "key")
            except RecordUnreadable as error:
                raise directory.unreadable(number, str(error)) from error
            known[event["key"]] = event
    return known


class _Book:
    """Writes records down as their futures end, in whichever thread that is."""

    def __init__(self, directory: RunDirectory, known: dict[str, Record], tell: Callable[[], None]):
        self._directory, self._known, self._tell = directory, known, tell
        self._lock = threading.Lock()

    def entry(self, key: str) -> Callable[[Future[Record]], None]:
        """What to do when the unit of that key has ended."""

        def write(future: Future[Record]) -> None:
            if future.cancelled() or isinstance(future.exception(), WorkerError):
                return
            record = {"key": key, **future.result()}
            with self._lock:
                self._directory.append(Event.UNIT, record)
                self._known[key] = record
            self._tell()

        return write
