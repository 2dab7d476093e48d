"""The Ray executor: calls become tasks of a cluster, on this machine or on many.

It starts a cluster on this machine unless an address (its argument, or RAY_ADDRESS) names one, or this
process is already connected; it never stops a cluster that it did not start. A task whose worker or node is
lost is run again, on another node if need be, a bounded number of times. Limits of time and memory are kept
inside the calls; nothing here relies on Ray to stop a task.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from search.boundary import call_guarded
from search.executors import Executor
from search.ray_connection import check_workers, connect, import_ray, interrupts_wait
from search.relay import relay

T = TypeVar("T")

#: How often Ray runs a call again whose worker died. Errors of the call itself are never retried.
MAX_RETRIES = 2


class RayExecutor(Executor):
    """Runs calls as Ray tasks of one CPU each.

    `address` is a cluster's address; `workers` is the number of CPUs to use of a cluster started here
    (default: all), and the least that a cluster named by an address must have.
    """

    def __init__(self, address: str | None = None, workers: int | None = None):
        self._address = address
        self._workers = workers
        self._task: Any = None
        self._owned = False
        self._lock = threading.Lock()

    def check(self) -> None:
        """Import Ray, and connect if a cluster is named; one of our own starts with the first call."""
        import_ray()
        if self._named:
            self.start()

    @property
    def _named(self) -> str | None:
        return self._address or os.environ.get("RAY_ADDRESS")

    def start(self) -> None:
        """Connect and check the workers, unless that was done already.

        Raises ExecutorUnavailable without `ray`, without the cluster, with too few CPUs, or if a node cannot
        import this package in this version.
        """
        with self._lock:
            if self._task is None:
                self._task = self._task_of(import_ray())

    def _task_of(self, ray: Any) -> Any:
        """`call_guarded` as a task of a cluster that was checked."""
        if not ray.is_initialized():
            with interrupts_wait():
                connect(ray, self._named, self._workers)
                self._owned = True
        check_workers(ray, self._workers)
        return ray.remote(num_cpus=1, max_retries=MAX_RETRIES, retry_exceptions=False)(call_guarded)

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Hand `fn(*args)` to the cluster; starts it at the first call."""
        self.start()
        ray = import_ray()
        reference = self._task.remote(fn, args)

        def cancel() -> bool:
            ray.cancel(reference)
            return True

        failures = ray.exceptions
        machine = (failures.WorkerCrashedError, failures.OutOfMemoryError, failures.ObjectLostError)
        return relay(reference.future(), cancel, machine)

    def close(self) -> None:
        """Stop the cluster if it was started here, else only leave it."""
        if self._owned:
            import_ray().shutdown()
        self._task, self._owned = None, False
