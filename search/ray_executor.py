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

from search.boundary import WorkerError, call_guarded
from search.executors import MAX_RETRIES, Executor, relay
from search.ray_connection import (
    check_workers,
    connect,
    import_ray,
    interrupts_wait,
    refuse_another,
    start_here,
    try_address,
)
from search.ray_head import Keeper

T = TypeVar("T")


def _this_package() -> tuple[str, ...]:
    return ("search",)


class RayExecutor(Executor):
    """Runs calls as Ray tasks of one CPU each.

    `address` is a cluster's address; `workers` is the number of CPUs to use of a cluster started here
    (default: all), and the least that a cluster named by an address must have. `needs` names the modules that
    the calls come from, and is called where there are nodes to check: each must have them, and their packages
    as the driver has them.
    """

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        needs: Callable[[], tuple[str, ...]] = _this_package,
    ):
        self._address = address
        self._workers = workers
        self._needs = needs
        self._task: Any = None
        self._joined = False
        self._keeper: Keeper | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        """Import Ray, and connect if a cluster is named; one of our own starts with the first call."""
        if self.named:
            self.start()
        else:
            self._ray()

    @property
    def named(self) -> str | None:
        """The address of the cluster to join; None if one is started on this machine."""
        return self._address or os.environ.get("RAY_ADDRESS")

    def _ray(self) -> Any:
        return import_ray(alone=self.named is None)

    def start(self) -> None:
        """Connect and check the workers, unless that was done already.

        Raises ExecutorUnavailable without `ray`, without the cluster, with too few CPUs, or if a node cannot
        import what the calls need, or has it otherwise than the driver.
        """
        with self._lock:
            if self._task is None:
                self._task = self._task_of(self._ray())

    def _task_of(self, ray: Any) -> Any:
        """`call_guarded` as a task of a cluster that was checked."""
        started_here = self.named is None and not ray.is_initialized()
        if ray.is_initialized() and self.named is not None:
            refuse_another(ray, self.named)
        if not ray.is_initialized():
            address = self._reachable()
            with interrupts_wait():
                connect(ray, address)
                self._joined = True
        # on this machine workers run what the driver runs, even while somebody edits it
        check_workers(ray, self._workers, () if started_here else self._needs())
        return ray.remote(num_cpus=1, max_retries=MAX_RETRIES, retry_exceptions=False)(call_guarded)

    def _reachable(self) -> str:
        """The address of a cluster that answers: the one that is named, or one that is started here."""
        if self.named is not None:
            try_address(self.named)
            return self.named
        self._keeper, address = start_here(self._workers)
        return address

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Hand `fn(*args)` to the cluster; starts it at the first call."""
        self.start()
        ray = self._ray()
        try:
            reference = self._task.remote(fn, args)
        except TypeError as error:  # what cannot be pickled
            unsent: Future[T] = Future()
            unsent.set_exception(WorkerError.of(error))
            return unsent

        def cancel() -> bool:
            ray.cancel(reference)
            return True

        return relay(reference.future(), cancel, _machine_failures(ray.exceptions))

    def close(self) -> None:
        """Stop the cluster if it was started here, else only leave it."""
        if self._joined:
            self._ray().shutdown()
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()
        self._task, self._joined = None, False


def _machine_failures(errors: Any) -> tuple[type[BaseException], ...]:
    """What Ray raises if a call never came back and is not to blame for it.

    An error of the call itself comes back as data; what else is a RayTaskError is a call or a value that
    cannot be sent.
    """
    return (
        errors.WorkerCrashedError,
        errors.OutOfMemoryError,
        errors.NodeDiedError,
        errors.LocalRayletDiedError,
        errors.ObjectLostError,
        errors.OutOfDiskError,
        errors.RpcError,
        errors.RaySystemError,
        errors.TaskUnschedulableError,
    )
