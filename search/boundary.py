"""The boundary between the driver and its workers: a call returns its value or plain data about its error.

An exception object may not survive the way between processes, and what arrives may differ from one kind of
worker to the next. So the worker itself turns any error of the called function into a `WorkerError`, which
is plain data, and the driver raises that: the same object for serial, process and Ray execution.
KeyboardInterrupt and SystemExit are not errors of the function and pass through.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from types import TracebackType
from typing import Any

#: Suffixes of files on which results may depend.
_SOURCES = (".py", ".json", ".lp", ".md", ".nl", ".pddl", ".txt")


class WorkerError(RuntimeError):
    """A call failed in a worker. Picklable and equal by content."""

    def __init__(
        self, type_name: str, message: str, retryable: bool = False, traceback_text: str = "", blame: str = ""
    ):
        super().__init__(type_name, message, retryable, traceback_text, blame)
        self.type_name = type_name  #: the original exception's class, with its module
        self.message = message  #: the original exception's text
        self.retryable = retryable  #: whether the same call may succeed later
        self.traceback_text = traceback_text  #: the original traceback, from the called function on
        self.blame = blame  #: whose fault it is, if the exception's class says so in its attribute `blame`

    @classmethod
    def of(cls, error: BaseException) -> WorkerError:
        """Plain data about `error`, itself if it is a WorkerError; retryable if it says so."""
        if isinstance(error, WorkerError):
            return error
        kind = type(error)
        trace = "".join(traceback.format_exception(kind, error, _below_boundary(error)))
        retryable = getattr(error, "retryable", False) is True
        blame = getattr(kind, "blame", "")  # of foreign errors an attribute of that name may be anything
        said = str(blame) if isinstance(blame, str) else ""
        return cls(f"{kind.__module__}.{kind.__qualname__}", str(error), retryable, trace, said)

    def __str__(self) -> str:
        return f"{self.type_name} in a worker: {self.message}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WorkerError) and self.args == other.args

    def __hash__(self) -> int:
        return hash(self.args)


@dataclass(frozen=True)
class Returned:
    """What came back from a worker: a value, or an error if that is not None."""

    value: Any = None
    error: WorkerError | None = None


def call_guarded(fn: Callable[..., Any], args: tuple[Any, ...]) -> Returned:
    """Call `fn(*args)` on the worker's side of the boundary."""
    with _Boundary() as boundary:
        return Returned(fn(*args))
    return Returned(error=boundary.error)


@dataclass(frozen=True)
class Identity:
    """What runs in a place, to compare workers with the driver by."""

    python: str  #: major.minor
    version: str  #: of this package
    sources: str  #: digest of the source and data files of what the calls come from

    def __str__(self) -> str:
        return f"Python {self.python} and groundwalk {self.version} (sources {self.sources})"


def identify(needs: tuple[str, ...] = ("search",)) -> Identity:
    """The identity of the place where this runs. Raises ImportError if a module of `needs` is not there.

    An edited checkout has the version of the one it comes from, hence the digest: over all files of the
    packages that the modules belong to.
    """
    for name in needs:
        import_module(name)
    python = ".".join(python_version().split(".")[:2])
    packages = sorted({name.partition(".")[0] for name in needs})
    try:
        return Identity(python, version("groundwalk"), _digest(packages))
    except PackageNotFoundError:
        return Identity(python, "not installed", _digest(packages))


def _digest(packages: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for name in packages:
        folder = Path(import_module(name).__file__ or "").parent
        for path in sorted(p for p in folder.rglob("*") if p.suffix in _SOURCES):
            digest.update(f"{name}/{path.relative_to(folder).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class _Boundary:
    """Keeps the error that leaves the block, as plain data, instead of letting it pass."""

    def __init__(self) -> None:
        self.error: WorkerError | None = None

    def __enter__(self) -> _Boundary:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.error = WorkerError.of(error)
        return True


def _below_boundary(error: BaseException) -> TracebackType | None:
    """The error's traceback without the frame of `call_guarded`."""
    trace = error.__traceback__
    if trace is not None and trace.tb_frame.f_code is call_guarded.__code__:
        return trace.tb_next
    return trace
