"""One measured figure, and how it is timed."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the result."""

    what: str
    value: str
    target: str
    met: bool
    beside: str = ""  #: a comparison, taken in the same run


def peak_memory() -> Figure | None:
    """The highest resident memory of this process so far; None where the system does not tell."""
    megabytes = peak_megabytes()
    if megabytes is None:
        return None
    return Figure("peak memory of this process", f"{megabytes:.0f} MB", "300 MB", megabytes <= 300)


def peak_megabytes() -> float | None:
    """The highest resident memory of this process so far, in MiB; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource  # absent on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def median_seconds(call: Callable[[], object], repeats: int) -> float:
    """Seconds of one call, after one that is not counted."""
    call()
    return statistics.median(seconds(call) for _ in range(repeats))


def seconds(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
