"""An executor that makes equal calls once: for episodes that do the same up to some point.

Calls are equal if function and arguments are equal as pickled data. Only results are kept, never errors, and
only those of calls that had ended when the equal one was submitted; so what a caller gets is what the call
itself would have given, and nobody waits for, or cancels, another one's call. Two equal calls that are not
seen to be equal (sets in another order, or what cannot be pickled by value) only cost time.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from search.executors import Executor

T = TypeVar("T")

#: Results that are kept; beyond that the one that was not used for longest goes.
MOST = 20_000


class MemoisedExecutor(Executor):
    """Runs calls on `executor`, equal ones once. Calls must depend on their arguments alone. Thread-safe.

    Closing leaves the executor behind open: it belongs to somebody else.
    """

    def __init__(self, executor: Executor, most: int = MOST):
        self._executor = executor
        self._most = most
        self._lock = threading.Lock()
        self._results: OrderedDict[str, Any] = OrderedDict()

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """The result of an equal call that has ended, as a future that is done; or that of the executor."""
        key = call_key(fn, args)
        if key is None:
            return self._executor.submit(fn, *args)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                known: Future[T] = Future()
                known.set_result(self._results[key])
                return known
        future = self._executor.submit(fn, *args)
        future.add_done_callback(lambda done: self._keep(key, done))
        return future

    def start(self) -> None:
        """Have the workers of the executor behind ready."""
        self._executor.start()

    def check(self) -> None:
        """Check the executor behind."""
        self._executor.check()

    def close(self) -> None:
        """Forget all results."""
        with self._lock:
            self._results.clear()

    def _keep(self, key: str, done: Future[Any]) -> None:
        if done.cancelled() or done.exception() is not None:
            return
        with self._lock:
            self._results[key] = done.result()
            if len(self._results) > self._most:
                self._results.popitem(last=False)


def call_key(fn: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
    """SHA-256 (hexadecimal) of a call as data; None if it cannot be pickled by value.

    Pickled without the memo: with it, equal arguments differ by which of their equal parts are one object.
    """
    written = io.BytesIO()
    pickler = pickle.Pickler(written, protocol=5)
    pickler.fast = True
    try:
        pickler.dump((fn, args))
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError):
        return None
    return hashlib.sha256(written.getbuffer()).hexdigest()
