"""The main job: every episode of a plan, several at a time, each written down as it goes.

An episode that is finished is left alone; one that began and did not end is taken up where it stopped. Each
has a thread of the driver, in which it mostly waits: for the language model, and for the executor that all of
them share. Episodes know nothing of each other, so results do not depend on how many there are at a time.

If the machine fails under an episode, it is given up with the reason and the others go on; if the language
model cannot be asked, there are no workers or a cap is reached, nothing can go on: what is under way in the
others ends and is kept. An error of ours is listed as unexplained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace

from agents.llm.errors import LLMError
from agents.llm.interface import LanguageModel
from experiments.config import ExecutorName, RunConfig
from experiments.driver.run_plan import RunPlan
from experiments.driver.shutdown import STOPPED, Gate, GatedExecutor, GatedModel
from experiments.evaluation.judge import Judge
from experiments.methods.base import Kit
from experiments.methods.registry import method_named
from experiments.reporting.faults import is_unanswered
from experiments.runs.ledger import Ledger
from experiments.runs.progress import EpisodeProgress, Progress
from experiments.runs.records import FaultKind
from experiments.runs.units import Unit
from experiments.spending.caps import BudgetReached
from search.boundary import WorkerError
from search.executors import Executor, ExecutorUnavailable, FallbackExecutor, SerialExecutor
from search.process_executor import ProcessExecutor
from search.ray_executor import RayExecutor

#: Episodes at a time where no flag says otherwise and there are workers to share.
AT_ONCE = 4
#: What evaluations may take between two of them, as a rule.
STALL_S = 60.0
#: What a live request may take where no flag limits it, as a rule.
ENDLESS_S = 900.0
_INSTEAD = "evaluations run in processes of this machine instead"


@dataclass(frozen=True)
class Job:
    """A plan with all that it takes to carry it out."""

    plan: RunPlan
    models: Mapping[str, LanguageModel]  #: by `Unit.answers`
    executor: Executor
    ledger: Ledger
    progress: Progress
    #: called when nothing new begins, before the rest is waited for
    on_end: Callable[[], None] = lambda: None

    def run(self) -> None:
        """Finish every episode that is not finished, up to `episodes_at_once` at a time.

        Raises LLMError, ExecutorUnavailable, BudgetReached or KeyboardInterrupt, after what was under way has
        ended.
        """
        self.executor.start()  # here, not in the thread of whichever episode is first
        gate = Gate()
        units = unfinished(self.plan, self.ledger)
        with ThreadPoolExecutor(episodes_at_once(self.plan.config), thread_name_prefix="episode") as pool:
            under_way = [pool.submit(self._attend, unit, gate) for unit in units]
            try:
                for ended in as_completed(under_way):
                    ended.result()
            finally:
                gate.close()
                self.on_end()
                for future in under_way:
                    future.cancel()

    def _attend(self, unit: Unit, gate: Gate) -> None:
        """One episode, with all that may become of it."""
        if gate.closed:
            return
        progress = self.progress.episode(unit.name, method_named(unit.method).candidates(unit))
        self.ledger.begin(unit.key, unit.name)
        try:
            self._episode(unit, gate, progress)
        except WorkerError as error:
            self._give_up(unit, blame(error), str(error), progress)
        except (LLMError, ExecutorUnavailable) as error:
            self._give_up(unit, FaultKind.MACHINE, str(error), progress)
            raise
        except BudgetReached as error:
            self.ledger.add_fault(unit.key, unit.name, FaultKind.BUDGET.value, str(error))
            progress.stopped()
            raise
        except STOPPED:
            progress.stopped()

    def _episode(self, unit: Unit, gate: Gate, progress: EpisodeProgress) -> None:
        model = GatedModel(self.models[unit.answers], gate)
        judge = Judge.of(unit, self.plan.config.planner)
        executor = GatedExecutor(self.executor, gate)
        kit = Kit(model, judge, executor, self.ledger, progress, stall_after_s(self.plan))
        record = unit.signed(method_named(unit.method).run(unit, kit))
        tasks = [t for n in range(1, unit.tasks + 1) if (t := self.ledger.task(unit.key, n)) is not None]
        # A simulated model that says nothing of use errs; only a server's silence is not the model's answer.
        silent = not self.ledger.simulated and is_unanswered(self.ledger.nodes(unit.key), tasks)
        record = replace(record, unanswered=silent)
        self.ledger.add_episode(record)
        progress.done(record)

    def _give_up(self, unit: Unit, kind: FaultKind, message: str, progress: EpisodeProgress) -> None:
        self.ledger.add_fault(unit.key, unit.name, kind.value, message)
        progress.given_up(f"given up ({kind.value}): {message}")


def unfinished(plan: RunPlan, ledger: Ledger) -> tuple[Unit, ...]:
    """The units without an end mark, in order; with `retry_unanswered`, those too that were not answered."""
    ended = {unit.key: ledger.episode(unit.key) for unit in plan.units}
    again = plan.config.retry_unanswered
    return tuple(u for u in plan.units if (e := ended[u.key]) is None or (again and e.unanswered))


def blame(error: WorkerError) -> FaultKind:
    """Whose fault an error in a worker is: what its class says, else ours; a lost worker is the machine's."""
    if error.blame in tuple(FaultKind):
        return FaultKind(error.blame)
    return FaultKind.MACHINE if error.retryable else FaultKind.PROGRAM


def stall_after_s(plan: RunPlan) -> float:
    """Seconds without progress that are no longer normal: more than a live request may take."""
    if plan.llm == "recorded":
        return STALL_S
    return STALL_S + (plan.config.request_timeout_s or ENDLESS_S)


def episodes_at_once(config: RunConfig) -> int:
    """How many episodes may be under way: the flag, or one where they would only take turns."""
    return config.episodes or (1 if config.executor == "serial" else AT_ONCE)


def workers_need() -> tuple[str, ...]:
    """The modules that evaluations are made of: each node of a cluster must have them, as they are here.

    Imported here, as a run on this machine alone loads but those that its methods use.
    """
    import agents
    import envs
    import ew
    import search
    from experiments.evaluation import evaluate, instructed, solve
    from experiments.methods import tic, worldmodel

    needed = (agents, envs, ew, evaluate, instructed, solve, tic, worldmodel, search)
    return tuple(module.__name__ for module in needed)


def make_executor(config: RunConfig) -> Executor:
    """The executor that the flags ask for; its workers start with the first call."""
    return executor_of(config.executor, config.ray_address, config.workers)


def executor_of(name: ExecutorName, ray_address: str | None, workers: int | None) -> Executor:
    """The executor of that name; see `RayExecutor` for the other two.

    A Ray of the run's own that does not start is replaced by processes, with a warning; a cluster that an
    address names is not.
    """
    match name:
        case "serial":
            return SerialExecutor()
        case "process":
            return ProcessExecutor(workers)
        case "ray":
            ray = RayExecutor(ray_address, workers, workers_need)
            return ray if ray.named else FallbackExecutor(ray, ProcessExecutor(workers), _INSTEAD)
