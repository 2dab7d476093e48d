"""Where evaluations run: in this process, in spawned processes (`search.process_executor`), or on a Ray
cluster (`search.ray_executor`).

All three take the same picklable calls and give the same results and the same errors: an error of the called
function is a `WorkerError` with its text. A call whose worker is lost is run again in another one, up to
`MAX_RETRIES` times, and must therefore be idempotent; if it loses every worker, that is a retryable
`WorkerError` of this call alone. Calls may be submitted from several threads.

Workers start with the first call, so an executor that is never used costs nothing. One can stand behind
another, for machines on which the first cannot be started (`FallbackExecutor`).

A worker's future brings a `Returned`, or fails itself if the call never came back. The driver's future, an
`Outer` one, brings the call's value or a WorkerError. Cancelling an outer future wakes the threads that
wait for it, which a plain `Future.cancel` does not.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from search.boundary import Returned, WorkerError, call_guarded

T = TypeVar("T")
U = TypeVar("U")
#: Types of exceptions.
Failures = tuple[type[BaseException], ...]
_log = logging.getLogger(__name__)

#: How often a call is run again whose worker was lost. Errors of the call itself are never retried.
MAX_RETRIES = 2


class ExecutorUnavailable(RuntimeError):
    """The workers cannot be used as they are; the message says how to fix it."""


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


class Outer(Future[T]):
    """A future of the driver's that stands for a worker's and passes a cancellation on. Thread-safe."""

    def __init__(self, cancel_inner: Callable[[], bool]):
        super().__init__()
        self._cancel_inner = cancel_inner
        self._turn = threading.RLock()

    def cancel(self) -> bool:
        """Cancel the call. False if it cannot be stopped any more and has to be waited for."""
        with self._turn:
            if not self.cancelled():
                if not (self._cancel_inner() and super().cancel()):
                    return False
                self.set_running_or_notify_cancel()  # wakes those who wait
            return True

    def begin(self) -> bool:
        """Whether a result is still wanted; afterwards the call cannot be cancelled."""
        with self._turn:
            return not self.cancelled() and self.set_running_or_notify_cancel()


def relay(inner: Future[Returned], cancel: Callable[[], bool], machine_failures: Failures) -> Future[Any]:
    """The future of the call's value, from the future of what the worker returned; see `deliver`."""
    outer: Outer[Any] = Outer(cancel)
    return _followed(inner, outer, lambda done: deliver(done, outer, machine_failures))


def deliver(done: Future[Returned], outer: Outer[Any], machine_failures: Failures) -> None:
    """Give `outer` what a worker returned, or the reason why the call never came back.

    That is retryable if it is one of `machine_failures`, else the call or its value could not be sent.
    """
    failure = done.exception()
    if failure is None:
        settle(outer, done.result())
    else:
        outer.set_exception(lost(failure, isinstance(failure, machine_failures)))


def mapped(inner: Future[T], change: Callable[[T], U]) -> Future[U]:
    """The future of what `change`, which must raise nothing, makes of a call's value; errors stay."""
    outer: Outer[U] = Outer(inner.cancel)

    def give(done: Future[T]) -> None:
        error = done.exception()
        if error is None:
            outer.set_result(change(done.result()))
        else:
            outer.set_exception(error)

    return _followed(inner, outer, give)


def _followed(inner: Future[T], outer: Outer[U], give: Callable[[Future[T]], None]) -> Future[U]:
    """`outer`, which gets what `inner` brings unless it was cancelled."""

    def pass_on(done: Future[T]) -> None:
        if not done.cancelled() and outer.begin():
            give(done)

    inner.add_done_callback(pass_on)
    return outer


def lost(error: BaseException, retryable: bool) -> WorkerError:
    """Plain data about a call that never came back; of a machine's report, which may be long, the summary."""
    plain = WorkerError.of(error)
    message = plain.message.strip().partition("\n")[0] if retryable else plain.message
    return WorkerError(plain.type_name, message, retryable, plain.traceback_text, plain.blame)


def settle(future: Future[Any], returned: Returned) -> None:
    """Give `future` the value or the error that a call returned."""
    if returned.error is not None:
        future.set_exception(returned.error)
    else:
        future.set_result(returned.value)
