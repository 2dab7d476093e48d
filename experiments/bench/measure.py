"""The harness of the bench: figures with their limits, and how calls are timed, here or in a child."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_CHILD_LIMIT_S, _CHILD_MEMORY_MB = 600.0, 8000


@dataclass(frozen=True)
class BenchSettings:
    """What every subject is measured with."""

    repeats: int = 9
    """Timings of which the median is shown."""
    plot: Path | None = None
    """Search: draw its scaling to this name, with .png and with .svg behind it."""


@dataclass(frozen=True)
class Figure:
    """One line of the result."""

    what: str
    value: str
    target: str
    met: bool
    beside: str = ""  #: a comparison, taken in the same run


def at_most(
    what: str, value: float, limit: float, unit: str, beside: str = "", *, only_if: bool = True
) -> Figure:
    """A figure that must not be above its limit; missed in any case unless `only_if`."""
    return Figure(what, shown(value, unit), f"<= {limit:,g} {unit}", value <= limit and only_if, beside)


def at_least(what: str, value: float, limit: float, unit: str, beside: str = "") -> Figure:
    """A figure that must not be below its limit."""
    return Figure(what, shown(value, unit), f">= {limit:,g} {unit}", value >= limit, beside)


def shown(value: float, unit: str) -> str:
    """A measured value with about three digits, and its unit."""
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{decimals}f} {unit}"


def peak_memory(what: str, limit_mb: float) -> Iterator[Figure]:
    """One figure, the highest resident memory of this process so far; none where the system does not say."""
    megabytes = peak_megabytes()
    if megabytes is not None:
        yield at_most(what, megabytes, limit_mb, "MB")


def small_memory(_settings: BenchSettings) -> Iterator[Figure]:
    """The memory that the kernel and one environment take."""
    return peak_memory("peak memory of this process", 300)


def peak_megabytes() -> float | None:
    """The highest resident memory of this process so far, in MiB; None where the system does not say."""
    try:
        # On Linux a child's `ru_maxrss` begins at the memory of the process that started it; this does not.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 2**10
    except (OSError, IndexError):
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
    return timed(call)[1]


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """What one call gives, and its seconds."""
    started = time.perf_counter()
    found = call()
    return found, time.perf_counter() - started


@dataclass(frozen=True)
class ChildMeasure:
    """What `experiments.bench.child` printed."""

    seconds: float  #: of CPU
    megabytes: float  #: at most, imports included; 0 where the system does not say
    count: int  #: of what was made


def in_child(measure: str, folder: str) -> ChildMeasure:
    """One of the measures of `experiments.bench.child`, by name. Raises RuntimeError if the child fails."""
    from envs.pddl.process import run_child  # with envs comes gymnasium, which the help has no use for

    command = [sys.executable, "-m", "experiments.bench.child", measure, folder]
    child = run_child(command, cwd=Path.cwd(), wall_s=_CHILD_LIMIT_S, memory_mb=_CHILD_MEMORY_MB)
    if not child.succeeded:
        raise RuntimeError(f"{measure}: {child.status}: {child.stderr[-300:].strip()}")
    return ChildMeasure(**json.loads(child.stdout))
