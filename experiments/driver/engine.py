"""The engine of every run, of episodes or of a study: it starts units and records each as it ends.

A unit that is finished is left alone, so a run that was stopped is resumed by doing what is missing. Units
know nothing of each other: results do not depend on the executor, its workers, or how many are under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

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
