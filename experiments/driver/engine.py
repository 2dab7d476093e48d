"""The engine of every run, of episodes or of a study: it starts units and records each as it ends.

A unit that is finished is left alone, so a run that was stopped is resumed by doing what is missing. Units
know nothing of each other: results do not depend on the executor, its workers, or how many are under way.

A run is ended in good order while several episodes are under way. Each asks its language model and its
executor behind one `Shutdown`. Once that has begun, no request and no evaluation is started: callers get
`Stopped`, evaluations that have not begun are cancelled, and those that run end and are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from queue import SimpleQueue
from typing import Any, TypeVar

from agents.llm.interface import Completion, LanguageModel, Message
from experiments.config import MachineFlags, study_executor
from experiments.runs.ledger import Ledger
from experiments.runs.records import FaultKind
from experiments.runs.units import WorkUnit
from search.boundary import WorkerError
from search.executors import Executor, FallbackExecutor, SerialExecutor
from search.process_executor import ProcessExecutor
from search.ray_executor import RayExecutor

U = TypeVar("U", bound=WorkUnit)
R = TypeVar("R")
T = TypeVar("T")

_INSTEAD = "evaluations run in processes of this machine instead"


def unfinished(units: Iterable[U], ledger: Ledger, *, again: bool = False) -> tuple[U, ...]:
    """The units that are not finished, in order; with `again`, those too of which nothing was answered."""
    return tuple(unit for unit in units if not ledger.is_finished(unit.key, again=again))


def carry_out(
    units: Iterable[U],
    begin: Callable[[U], Future[R]],
    finish: Callable[[U, Future[R]], None],
    on_end: Callable[[], None] = lambda: None,
) -> None:
    """Start all units by `begin`, and call `finish` with each as soon as it has ended, in this thread.

    Raises what `begin` and `finish` raise. In the end, however it comes, `on_end` is called first, and what
    has not begun is cancelled.
    """
    ended: SimpleQueue[Future[R]] = SimpleQueue()
    under_way: dict[Future[R], U] = {}

    def take() -> None:
        future = ended.get()
        finish(under_way.pop(future), future)

    try:
        for unit in units:
            future = begin(unit)
            under_way[future] = unit
            future.add_done_callback(ended.put)
            while not ended.empty():
                take()
        while under_way:
            take()
    finally:
        on_end()
        for future in under_way:
            future.cancel()


def blame(error: WorkerError) -> FaultKind:
    """Whose fault an error in a worker is: what its class says, else ours; a lost worker is the machine's."""
    if error.blame in tuple(FaultKind):
        return FaultKind(error.blame)
    return FaultKind.MACHINE if error.retryable else FaultKind.PROGRAM


def workers_need() -> tuple[str, ...]:
    """The modules that evaluations are made of: each node of a cluster must have them, as they are here.

    Imported here, as a run on this machine alone loads but those that its methods use.
    """
    import agents
    import envs
    import ew
    import search
    from experiments.evaluation import evaluate, instructed, solve
    from experiments.methods import translation, worldmodel

    needed = (agents, envs, ew, evaluate, instructed, solve, translation, worldmodel, search)
    return tuple(module.__name__ for module in needed)


def make_executor(flags: MachineFlags) -> Executor:
    """The executor that the flags ask for; its workers start with the first call. See `RayExecutor`.

    A Ray of the run's own that does not start is replaced by processes, with a warning; a cluster that an
    address names is not.
    """
    match flags.executor or study_executor(flags.ray_address):
        case "serial":
            return SerialExecutor()
        case "process":
            return ProcessExecutor(flags.workers)
        case "ray":
            ray = RayExecutor(flags.ray_address, flags.workers, workers_need)
            return ray if ray.named else FallbackExecutor(ray, ProcessExecutor(flags.workers), _INSTEAD)


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
