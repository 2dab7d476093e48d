"""Ending a run in good order while several episodes are under way.

Every episode asks its language model and its executor through one gate. Once the gate is closed, nothing new
is asked or sent out: whoever tries is told with `Stopped`, evaluations that have not begun are cancelled, and
what is under way ends and is kept.
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
    """The run is ending, so this episode goes no further; it is taken up again when the run is."""


#: What an episode ends with when the gate was closed under it.
STOPPED = (Stopped, CancelledError)


class Gate:
    """Open until it is closed, and never again. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._under_way: dict[Future[Any], None] = {}

    @property
    def closed(self) -> bool:
        """Whether the run is ending."""
        return self._closed

    def pass_through(self) -> None:
        """Raises Stopped if the gate is closed."""
        if self._closed:
            raise Stopped("the run is ending")

    def watch(self, future: Future[Any]) -> None:
        """Cancel `future` when the gate is closed, unless it is done by then."""
        with self._lock:
            self._under_way[future] = None
        future.add_done_callback(self._forget)
        if self._closed:
            future.cancel()

    def close(self) -> None:
        """Let nothing through any more, and cancel what has not begun. Closing twice is harmless."""
        with self._lock:
            self._closed = True
            waiting = list(self._under_way)
        for future in waiting:
            future.cancel()

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._under_way.pop(future, None)


class GatedModel:
    """A language model behind a gate."""

    def __init__(self, model: LanguageModel, gate: Gate):
        self._model, self._gate = model, gate

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """What the model says. Raises Stopped."""
        self._gate.pass_through()
        return self._model.sample(messages, k, temperature, seed)


class GatedExecutor(Executor):
    """An executor behind a gate; it belongs to somebody else and is not closed with this."""

    def __init__(self, executor: Executor, gate: Gate):
        self._executor, self._gate = executor, gate

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """What the executor makes of the call. Raises Stopped."""
        self._gate.pass_through()
        future = self._executor.submit(fn, *args)
        self._gate.watch(future)
        return future

    def check(self) -> None:
        """The executor behind was checked before."""

    def close(self) -> None:
        """The executor behind belongs to somebody else."""
