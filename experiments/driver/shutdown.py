"""Ending a run in good order while several episodes are under way.

Every episode asks its language model and its executor behind one `Shutdown`. Once that has begun, no request
and no evaluation is started: callers get `Stopped`, evaluations that have not begun are cancelled, and those
that run end and are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from agents.llm.interface import Completion, LanguageModel, Message
from search.executors import Executor

T = TypeVar("T")


class Stopped(RuntimeError):
    """The run is ending, so this episode stops here; it is resumed when the run is."""


#: What an episode ends with when the shutdown began under it.
STOPPED = (Stopped, CancelledError)


class Shutdown:
    """Whether the run is ending. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.begun = False
        self._under_way: dict[Future[Any], None] = {}

    def check(self) -> None:
        """Raises Stopped if the run is ending."""
        if self.begun:
            raise Stopped("the run is ending")

    def watch(self, future: Future[Any]) -> None:
        """Cancel `future` when the shutdown begins, unless it is done by then."""
        with self._lock:
            self._under_way[future] = None
        future.add_done_callback(self._forget)
        if self.begun:
            future.cancel()

    def begin(self) -> None:
        """Start nothing more, and cancel what has not begun. Beginning twice is harmless."""
        with self._lock:
            self.begun = True
            waiting = list(self._under_way)
        for future in waiting:
            future.cancel()

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._under_way.pop(future, None)


class StoppableModel:
    """A language model that is not asked once the shutdown has begun."""

    def __init__(self, model: LanguageModel, shutdown: Shutdown):
        self._model, self._shutdown = model, shutdown

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """The model's completions. Raises Stopped."""
        self._shutdown.check()
        return self._model.sample(messages, k, temperature, seed)


class ExecutorInUse(Executor):
    """An executor that belongs to somebody else, who has checked it and closes it."""

    def __init__(self, executor: Executor):
        self._executor = executor

    def start(self) -> None:
        """Have the workers of the executor behind ready."""
        self._executor.start()

    def check(self) -> None:
        """Checked by its owner."""

    def close(self) -> None:
        """Closed by its owner."""


class StoppableExecutor(ExecutorInUse):
    """Takes no call once the shutdown has begun."""

    def __init__(self, executor: Executor, shutdown: Shutdown):
        super().__init__(executor)
        self._shutdown = shutdown

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """The future of the executor behind. Raises Stopped."""
        self._shutdown.check()
        future = self._executor.submit(fn, *args)
        self._shutdown.watch(future)
        return future
