"""The default job from start to end, in a process of its own."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator

from envs.pddl.process import run_child
from experiments.bench.measure import Figure

_JOB_LIMIT_S, _JOB_MEMORY_MB = 600.0, 8000


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
