"""Where evaluations run: in this process, in spawned processes, or on a Ray cluster (`search.ray_executor`).

All three take the same picklable calls and give the same results and the same errors: an error of the called
function is a `WorkerError` with its text, and so is the loss of a worker, which is retryable. A call
must be idempotent, since a lost one may be run again. Calls may be submitted from several threads.

Workers start with the first call, so an executor that is never used costs nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import partial
from typing import Any, Self, TypeVar

from search.boundary import call_guarded
from search.relay import relay, settle

T = TypeVar("T")


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


class ProcessExecutor(Executor):
    """Runs calls in `workers` spawned processes of this machine (default: one per usable CPU)."""

    def __init__(self, workers: int | None = None):
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        """Nothing can be missing: processes start with the first call."""

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Queue `fn(*args)`."""
        pool = self._started()
        try:
            inner = pool.submit(call_guarded, fn, args)
        except BrokenExecutor as error:
            inner = Future()
            inner.set_exception(error)
        inner.add_done_callback(partial(self._leave_broken, pool))
        return relay(inner, inner.cancel, (BrokenExecutor,))

    def close(self) -> None:
        """Stop the processes after the calls they are running; queued calls are dropped."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def _leave_broken(self, pool: ProcessPoolExecutor, done: Future[Any]) -> None:
        """Once a process was lost its pool takes no calls any more; the next call starts another one."""
        if not done.cancelled() and isinstance(done.exception(), BrokenExecutor):
            with self._lock:
                self._pool = None if self._pool is pool else self._pool

    def _started(self) -> ProcessPoolExecutor:
        """The pool; its processes start one by one, as calls come in."""
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    self._workers, multiprocessing.get_context("spawn"), initializer=_belong_to_driver
                )
            return self._pool


def _belong_to_driver() -> None:
    """Leave ctrl-C, which reaches the whole process group, to the driver, and end when it has ended.

    A killed driver closes no queue: each worker holds both ends of it, and would wait there for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, name="end-with-driver", daemon=True).start()


def _end_with_driver() -> None:
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)
