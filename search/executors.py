"""Where evaluations run: in this process, in spawned processes, or on a Ray cluster.

All three take the same picklable calls and give the same results and the same errors: an error of the called
function is a `WorkerError` with its text, and so is the loss of a worker, which is retryable. A call
must be idempotent, since a lost one may be run again.

Ray and process workers start with the first call, so an executor that is never used costs nothing. Only
`RayExecutor` needs the `ray` package. It starts a cluster on this machine unless an address (its argument, or
RAY_ADDRESS) names one, or this process is already connected; it never stops a cluster that it did not start.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from types import FrameType
from typing import Any, Self, TypeVar

from search.boundary import Returned, WorkerError, call_guarded, identify

T = TypeVar("T")

#: How often Ray runs a call again whose worker died. Errors of the call itself are never retried.
MAX_RETRIES = 2
#: How long a node may take for its first task, in seconds.
CANARY_S = 60
#: Payloads are a few kilobytes; Ray's default would claim a third of the machine's memory.
OBJECT_STORE_BYTES = 128 * 2**20
#: Ray puts sockets up to 62 characters below its folder, and the path of a socket has at most 103 (macOS).
MAX_FOLDER_LENGTH = 40


class ExecutorUnavailable(RuntimeError):
    """The workers cannot be used as they are; the message says how to mend it."""


class Executor(ABC):
    """Runs calls. Use it as a context manager, or `close` it. Not thread-safe: submit from one thread."""

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
        _settle(future, call_guarded(fn, args))
        return future

    def close(self) -> None:
        """Nothing to release."""


class ProcessExecutor(Executor):
    """Runs calls in `workers` spawned processes of this machine (default: one per usable CPU)."""

    def __init__(self, workers: int | None = None):
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def check(self) -> None:
        """Nothing can be missing: processes start with the first call."""

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Queue `fn(*args)`."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers, multiprocessing.get_context("spawn"), initializer=_belong_to_driver
            )
        try:
            inner = self._pool.submit(call_guarded, fn, args)
        except BrokenExecutor as error:
            inner = Future()
            inner.set_exception(error)
        return _relay(inner, inner.cancel, (BrokenExecutor,))

    def close(self) -> None:
        """Stop the processes after the calls they are running; queued calls are dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


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

    def check(self) -> None:
        """Import Ray, and connect if a cluster is named; one of our own starts with the first call."""
        _import_ray()
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
        if self._task is None:
            ray = _import_ray()
            if not ray.is_initialized():
                with _interrupts_wait():
                    _connect(ray, self._named, self._workers)
                    self._owned = True
            _check_workers(ray, self._workers)
            self._task = ray.remote(num_cpus=1, max_retries=MAX_RETRIES, retry_exceptions=False)(call_guarded)

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """Hand `fn(*args)` to the cluster; starts it at the first call."""
        self.start()
        ray = _import_ray()
        reference = self._task.remote(fn, args)

        def cancel() -> bool:
            ray.cancel(reference)
            return True

        failures = ray.exceptions
        machine = (failures.WorkerCrashedError, failures.OutOfMemoryError, failures.ObjectLostError)
        return _relay(reference.future(), cancel, machine)

    def close(self) -> None:
        """Stop the cluster if it was started here, else only leave it."""
        if self._owned:
            _import_ray().shutdown()
        self._task, self._owned = None, False


class _Relay(Future[T]):
    """A future of the driver's that stands for a worker's and passes a cancellation on."""

    def __init__(self, cancel_inner: Callable[[], bool]):
        super().__init__()
        self._cancel_inner = cancel_inner

    def cancel(self) -> bool:
        """Cancel the call. False if it cannot be stopped any more and has to be waited for."""
        return self._cancel_inner() and super().cancel()


def _relay(
    inner: Future[Returned], cancel: Callable[[], bool], machine_failures: tuple[type[BaseException], ...]
) -> Future[Any]:
    """The future of the call's value, from the future of what the worker returned.

    An exception of `inner` itself means that the call never came back; it is retryable if it is one of
    `machine_failures`, else the call or its value could not be sent.
    """
    outer: _Relay[Any] = _Relay(cancel)

    def pass_on(done: Future[Returned]) -> None:
        if done.cancelled() or not outer.set_running_or_notify_cancel():
            return
        lost = done.exception()
        if lost is None:
            _settle(outer, done.result())
        else:
            plain = WorkerError.of(lost)
            retryable = isinstance(lost, machine_failures)
            outer.set_exception(WorkerError(plain.type_name, plain.message, retryable, plain.traceback_text))

    inner.add_done_callback(pass_on)
    return outer


def _settle(future: Future[Any], returned: Returned) -> None:
    if returned.error is not None:
        future.set_exception(returned.error)
    else:
        future.set_result(returned.value)


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


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hold the first ctrl-C back until the block has ended; a second one is passed on at once.

    A process whose start of Ray was broken off may crash when it ends, and leave Ray's processes behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(number)
        if len(held) > 1 and callable(before):
            before(number, frame)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            signal.raise_signal(signal.SIGINT)


def _import_ray() -> Any:
    """The ray package, with its usage reports off."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise ExecutorUnavailable(
            f"the Ray executor needs the package `ray` ({error}): "
            "install it, or use the serial or the process executor"
        ) from error
    return ray


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    """Join the cluster at `address`, or start one on this machine if that is None."""
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        failed = "Ray does not start on this machine"
        mend = "set RAY_TMPDIR to a folder with a short path, or use the serial or the process executor"
        settings |= {
            "num_cpus": workers,
            "include_dashboard": False,
            "object_store_memory": OBJECT_STORE_BYTES,
            "_temp_dir": _session_folder(),
        }
    else:
        failed = f"no Ray cluster at {address}"
        mend = (
            "start one with `ray start --head`, mend the address or RAY_ADDRESS, set RAY_AUTH_MODE and "
            "RAY_AUTH_TOKEN as the cluster does, or leave the address out to use this machine"
        )
    try:
        _probe(address or "")
        ray.init(address or "local", **settings)
    except (OSError, RuntimeError, ValueError) as error:
        raise ExecutorUnavailable(f"{failed} ({error}): {mend}") from error


def _session_folder() -> str | None:
    """A folder of this user's own for Ray's sessions; None (Ray's choice) if its path would be too long.

    None also if RAY_TMPDIR is set, which Ray reads itself.
    """
    owner = os.getuid() if hasattr(os, "getuid") else getuser()
    folder = str(Path(tempfile.gettempdir()) / f"groundwalk-ray-{owner}")
    return None if "RAY_TMPDIR" in os.environ or len(folder) > MAX_FOLDER_LENGTH else folder


def _probe(address: str) -> None:
    """Raises OSError if nothing listens at a host:port address; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=5).close()


def _check_workers(ray: Any, workers: int | None) -> None:
    """A canary on every node: it must import this package, in the driver's versions, within CANARY_S."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus < (workers or 1):
        raise ExecutorUnavailable(
            f"the Ray cluster has {cpus} CPUs, asked for are {workers or 1}: ask for fewer"
        )
    canary = ray.remote(num_cpus=0, max_retries=0)(identify)
    nodes = sorted(
        (node["NodeName"], node["NodeID"])
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU")
    )
    replies = [
        canary.options(scheduling_strategy=NodeAffinitySchedulingStrategy(identity, soft=False)).remote()
        for _, identity in nodes
    ]
    for (name, _), reply in zip(nodes, replies, strict=True):
        try:
            there = ray.get(reply, timeout=CANARY_S)
        except ray.exceptions.RayError as error:
            raise ExecutorUnavailable(
                f"Ray node {name} cannot run this package: {error}. Install groundwalk there, "
                "or pass it along with a working_dir"
            ) from error
        here = identify()
        if there != here:
            raise ExecutorUnavailable(
                f"Ray node {name} runs Python and groundwalk {there}, the driver {here}: make them equal"
            )
