"""From a worker's future to the driver's: what came back, what never did, and cancelling.

A worker's future brings a `Returned`, or fails itself if the call never came back. The driver's future, an
*outer* one, brings the call's value or a WorkerError. Whoever cancels an outer future wakes those who wait
for it, which a plain `Future.cancel` does not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from search.boundary import Returned, WorkerError

T = TypeVar("T")
U = TypeVar("U")


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


def relay(
    inner: Future[Returned], cancel: Callable[[], bool], machine_failures: tuple[type[BaseException], ...]
) -> Future[Any]:
    """The future of the call's value, from the future of what the worker returned.

    An exception of `inner` itself means that the call never came back; it is retryable if it is one of
    `machine_failures`, else the call or its value could not be sent.
    """
    outer: Outer[Any] = Outer(cancel)

    def pass_on(done: Future[Returned]) -> None:
        if done.cancelled() or not outer.begin():
            return
        failure = done.exception()
        if failure is None:
            settle(outer, done.result())
        else:
            outer.set_exception(lost(failure, isinstance(failure, machine_failures)))

    inner.add_done_callback(pass_on)
    return outer


def mapped(inner: Future[T], change: Callable[[T], U]) -> Future[U]:
    """The future of what `change`, which must raise nothing, makes of a call's value; errors stay."""
    outer: Outer[U] = Outer(inner.cancel)

    def pass_on(done: Future[T]) -> None:
        if done.cancelled() or not outer.begin():
            return
        error = done.exception()
        if error is None:
            outer.set_result(change(done.result()))
        else:
            outer.set_exception(error)

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
