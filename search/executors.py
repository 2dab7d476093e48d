"""Where evaluations run: in this process, in spawned processes (`search.process_executor`), or on a Ray
cluster (`search.ray_executor`).

All three take the same picklable calls and give the same results and the same errors: an error of the called
function is a `WorkerError` with its text. A call whose worker is lost is run again in another one, up to
`MAX_RETRIES` times, and must therefore be idempotent; if it loses every worker, that is a retryable
`WorkerError` of this call alone. Calls may be submitted from several threads.

Workers start with the first call, so an executor that is never used costs nothing. One can stand behind
another, for machines on which the first cannot be started (`FallbackExecutor`).
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from search.boundary import call_guarded
from search.relay import settle

T = TypeVar("T")
_log = logging.getLogger(__name__)

#: How often a call is run again whose worker was lost. Errors of the call itself are never retried.
MAX_RETRIES = 2


class ExecutorUnavailable(RuntimeError):
    """The workers cannot be used as they are; the message says how to mend it."""


class Executor(ABC):
    """Runs calls. Use it as a context manager, or `close` it. Any thread may submit."""

    @abstractmethod
    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Start `fn(*args)`. Its future raises WorkerError if the call fails or its worker is lost."""

    @abstractmethod
    def close(self) -> None:
        """Release the workers; calls that have not ended are lost. Closing twice is allowed."""

    @abstractmethod
    def check(self) -> None:
        """Find out before any work is paid for that the workers can be had; nothing of this machine starts.

        Raises ExecutorUnavailable.
        """

    def start(self) -> None:
        """Have the workers ready, which else the first call sees to; best done in the program's main thread.

        Raises ExecutorUnavailable.
        """
        return

    def map(self, fn: Callable[..., T], items: Sequence[Any]) -> list[T]:
        """`fn` of every item, in the order of the items. Raises the first item's error, if any."""
        return [future.result() for future in [self.submit(fn, item) for item in items]]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SerialExecutor(Executor):
    """Runs each call at once, in this thread."""

    def check(self) -> None:
        """Nothing can be missing."""

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Run `fn(*args)` now; the future is done."""
        future: Future[T] = Future()
        settle(future, call_guarded(fn, args))
        return future

    def close(self) -> None:
        """Nothing to release."""


class FallbackExecutor(Executor):
    """Runs calls on `first`; on `second` if `first` turns out to be unavailable before its first call.

    A warning of one line then says why; `instead` names the second one in it. Both are closed with this.
    """

    def __init__(self, first: Executor, second: Executor, instead: str):
        self._chosen, self._second, self._instead = first, second, instead
        self._both = (first, second)
        self._lock = threading.Lock()
        self._started = False

    def check(self) -> None:
        """Check the one that will be used."""
        with self._lock:
            self._attempt(lambda executor: executor.check())

    def start(self) -> None:
        """Have the workers of the one that will be used ready."""
        with self._lock:
            if not self._started:
                self._attempt(lambda executor: executor.start())
                self._started = True

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Hand `fn(*args)` on; the first call decides to which."""
        self.start()
        return self._chosen.submit(fn, *args)

    def close(self) -> None:
        """Release the workers of both."""
        for executor in self._both:
            executor.close()

    def _attempt(self, step: Callable[[Executor], None]) -> None:
        try:
            step(self._chosen)
        except ExecutorUnavailable as error:
            if self._chosen is self._second:
                raise
            _log.warning("%s; %s", " ".join(str(error).split()), self._instead)
            self._chosen.close()  # what of it has started
            self._chosen = self._second
            step(self._chosen)
