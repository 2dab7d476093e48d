"""An executor with another one behind it, for machines on which the first cannot be started."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from search.executors import Executor, ExecutorUnavailable

T = TypeVar("T")
_log = logging.getLogger(__name__)


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
