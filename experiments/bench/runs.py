"""Whole runs, each in a process of its own: the default job from start to end, and opening a large run again.

`write_run` invents the events of any number of candidates, as a run with many episodes at once writes them:
episodes take turns, and tasks stand between candidates. Texts are of the usual length and differ from one
candidate to the next, so that nothing is saved by keeping equal ones once.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from envs.pddl.process import run_child
from experiments.bench.measure import Figure
from experiments.bench.report import made_nodes
from experiments.runs.directory import RunDirectory
from experiments.runs.records import Event, Score, Spent, TaskOutcome, TaskRecord

_JOB_LIMIT_S, _JOB_MEMORY_MB = 600.0, 8000
CANDIDATES = 100_000
_SECONDS, _MEGABYTES = 20, 1500
#: Episodes that take turns, and candidates between two tasks.
_AT_ONCE, _BETWEEN = 200, 10
#: Candidates that all others are made of.
_SAMPLES = 60
_CHILD_LIMIT_S, _CHILD_MEMORY_MB = 600.0, 8000


def bench_job() -> Iterator[Figure]:
    """The default job in a new directory and process, Ray's start included, then resumed."""
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        first, log = _job(folder)
        second, _ = _job(folder)
    if first is None or second is None:
        yield Figure("default job", "failed", "60 s", False, log)
        return
    yield Figure("default job", f"{first:.1f} s", "60 s", first <= 60)
    yield Figure("default job again", f"{second:.1f} s", "5 s", second <= 5, f"{first / second:.0f}x faster")


def _job(folder: str) -> tuple[float | None, str]:
    """Wall seconds of the default job with its results in `folder`, None if it failed; and its last words."""
    command = [sys.executable, "-m", "experiments.run", "--out", f"{folder}/run"]
    child = run_child(command, cwd=folder, wall_s=_JOB_LIMIT_S, memory_mb=_JOB_MEMORY_MB)
    return (child.wall_s if child.succeeded else None), (child.stderr or child.stdout)[-200:].strip()


def bench_ledger() -> Iterator[Figure]:
    """A run with CANDIDATES candidates, and beside it a tenth of it."""
    tenth, _ = opened(CANDIDATES // 10)
    seconds, megabytes = opened(CANDIDATES)
    yield Figure(
        f"events of {CANDIDATES:,} candidates read",
        f"{seconds:.1f} s",
        f"{_SECONDS} s",
        seconds <= _SECONDS,
        f"{seconds / tenth:.1f} times a tenth of them",
    )
    yield Figure("  memory", f"{megabytes:.0f} MB", f"{_MEGABYTES} MB", megabytes <= _MEGABYTES)


def opened(candidates: int) -> tuple[float, float]:
    """Seconds and peak MB of a process that reads a run's events. Raises RuntimeError if that fails."""
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as name:
        write_run(Path(name), candidates)
        command = [sys.executable, "-m", "experiments.bench.open_ledger", name]
        child = run_child(command, cwd=Path.cwd(), wall_s=_CHILD_LIMIT_S, memory_mb=_CHILD_MEMORY_MB)
    if not child.succeeded:
        raise RuntimeError(f"{child.status}: {child.stderr[-300:].strip()}")
    seconds, megabytes = map(float, child.stdout.split())
    return seconds, megabytes


def write_run(folder: Path, candidates: int) -> None:
    """The events of a run in `folder`, a line each."""
    with RunDirectory(folder).events_path.open("w", encoding="utf-8") as file:
        for event, data in _events(candidates):
            file.write(json.dumps({"event": event.value, **data}, ensure_ascii=False) + "\n")


def _events(candidates: int) -> Iterator[tuple[Event, dict[str, Any]]]:
    samples = [node.to_json() for node in made_nodes(_SAMPLES, np.random.default_rng(0))]
    for unit in range(min(_AT_ONCE, candidates)):
        yield Event.STARTED, {"unit": f"u{unit}", "name": f"made-tree-{unit}"}
    for number in range(candidates):
        place, unit = divmod(number, _AT_ONCE)
        sample = samples[number % _SAMPLES]
        texts = {key: _varied(sample[key], number) for key in ("problem", "domain", "reply", "feedback")}
        yield Event.NODE, {**sample, **texts, "unit": f"u{unit}", "id": str(place + 1), "key": f"k{number}"}
        if number % _BETWEEN == 0:
            yield Event.TASK, _task(f"u{unit}", place + 1).to_json()


def _varied(text: str | None, number: int) -> str | None:
    return f"; {number}\n{text}" if text else text


def _task(unit: str, number: int) -> TaskRecord:
    return TaskRecord(
        unit, "made", "tree", 0, number, TaskOutcome.SOLVED, Score(), 5, None, "", Spent(1, 2, 3), 0.2
    )
