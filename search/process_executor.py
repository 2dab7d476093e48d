"""The process executor: calls run in spawned processes of this machine, one process a *slot*.

A slot is a thread that takes one call after another from the common queue and has a process of its own. A
process that is lost takes down only the call that it was running: the slot starts another process and runs
the call again. So a call that loses every worker fails alone, and calls beside it are not touched.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from search.boundary import Returned, call_guarded
from search.executors import MAX_RETRIES, Executor, Outer, deliver

T = TypeVar("T")


class ProcessExecutor(Executor):
    """Runs calls in `workers` spawned processes of this machine (default: one per usable CPU).

    A script that uses it needs the usual guard, `if __name__ == "__main__":`.
    """

    def __init__(self, workers: int | None = None):
        self._most = workers or _usable_cpus()
        self._lock = threading.Lock()
        self._queue: SimpleQueue[_Call | None] = SimpleQueue()
        self._slots: list[threading.Thread] = []
        self._waiting = 0  #: calls that are queued or running

    def check(self) -> None:
        """Nothing can be missing: processes start with the first call."""

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Queue `fn(*args)`."""
        call = _Call(Outer(lambda: True), fn, args)
        with self._lock:
            self._waiting += 1
            if len(self._slots) < min(self._most, self._waiting):
                serve = threading.Thread(
                    target=self._serve, args=(self._queue,), name="process-slot", daemon=True
                )
                self._slots.append(serve)
                serve.start()
            self._queue.put(call)
        return call.outer

    def close(self) -> None:
        """Stop the processes after the calls they are running; queued calls are dropped."""
        with self._lock:
            slots, self._slots = self._slots, []
            queue, self._queue = self._queue, SimpleQueue()
        while not queue.empty():
            queued = queue.get()
            if queued is not None:
                queued.outer.cancel()
                self._done()
        for _ in slots:
            queue.put(None)
        for slot in slots:
            slot.join()

    def _done(self) -> None:
        with self._lock:
            self._waiting -= 1

    def _serve(self, queue: SimpleQueue[_Call | None]) -> None:
        """A slot: one call after another until there is a None."""
        # the process inherits that these are blocked, until it has handlers of its own (`_belong_to_driver`)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, _LEFT_TO_DRIVER)
        process = _Process()
        try:
            while (call := queue.get()) is not None:
                wanted = call.outer.begin()
                outcome = process.run(call) if wanted else None
                self._done()  # before the caller is woken, who may submit the next
                if outcome is not None:
                    deliver(outcome, call.outer, (BrokenExecutor,))
        finally:
            process.close()


@dataclass(frozen=True, eq=False)
class _Call:
    outer: Outer[Any]
    fn: Callable[..., Any]
    args: tuple[Any, ...]


class _Process:
    """One spawned process after another; the next is started when a call finds the last one lost."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def run(self, call: _Call) -> Future[Returned]:
        """What came of the call, ended; it is made again while its process is lost."""
        for _ in range(1 + MAX_RETRIES):
            outcome = self._once(call)
            if not isinstance(outcome.exception(), BrokenExecutor):
                break
            self.close()
        return outcome

    def close(self) -> None:
        """Stop the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()

    def _once(self, call: _Call) -> Future[Returned]:
        try:
            if self._pool is None:
                spawn = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, spawn, initializer=_belong_to_driver)
            outcome = self._pool.submit(call_guarded, call.fn, call.args)
            outcome.exception()  # waits
        except (BrokenExecutor, OSError, RuntimeError) as error:  # no process can be had
            outcome = Future()
            outcome.set_exception(error if isinstance(error, BrokenExecutor) else BrokenExecutor(str(error)))
        return outcome


def _usable_cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: Signals that reach the whole process group, of which the driver alone makes an orderly end.
_LEFT_TO_DRIVER = {signal.SIGINT, signal.SIGTERM}


def _belong_to_driver() -> None:
    """Leave ctrl-C and SIGTERM, which reach the whole group, to the driver, and end when it has ended.

    A killed driver closes no queue: each worker holds both ends of it, and would wait there for ever.
    """
    for number in _LEFT_TO_DRIVER:
        # a function: what is ignored would be ignored by the processes of a planner too
        signal.signal(number, _not_for_us)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _LEFT_TO_DRIVER)
    threading.Thread(target=_end_with_driver, name="end-with-driver", daemon=True).start()


def _not_for_us(number: int, frame: object) -> None:
    return


def _end_with_driver() -> None:
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)
