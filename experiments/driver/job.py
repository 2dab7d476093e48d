"""The episodes of a plan, several at a time, each written down as it goes.

An episode that began and did not end is taken up where it stopped (`experiments.driver.engine`). Each has a
thread of the driver, in which it mostly waits: for the language model, and for the executor that all of
them share. Episodes know nothing of each other, so results do not depend on how many there are at a time.

If the machine fails under an episode, that episode is given up with the reason and the others continue. If
the language model cannot be asked, there are no workers or a cap is reached, the run ends: what is under way
in other episodes ends and is kept. Internal errors are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from agents.llm.errors import LLMError
from agents.llm.interface import LanguageModel
from experiments.config import RunConfig
from experiments.driver.engine import (
    STOPPED,
    Shutdown,
    StoppableExecutor,
    StoppableModel,
    blame,
    carry_out,
    unfinished,
)
from experiments.driver.run_plan import RunPlan
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
from search.executors import Executor, ExecutorUnavailable

#: Episodes at a time where no flag says otherwise and there are workers to share.
AT_ONCE = 4
#: What evaluations may take between two of them, as a rule.
STALL_S = 60.0
#: What a live request may take where no flag limits it, as a rule.
ENDLESS_S = 900.0


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
        shutdown = Shutdown()

        def end() -> None:
            shutdown.begin()
            self.on_end()

        units = unfinished(self.plan.units, self.ledger, again=self.plan.config.retry_unanswered)
        with ThreadPoolExecutor(episodes_at_once(self.plan.config), thread_name_prefix="episode") as pool:
            carry_out(
                units,
                lambda unit: pool.submit(self._attend, unit, shutdown),
                lambda unit, ended: ended.result(),
                end,
            )

    def _attend(self, unit: Unit, shutdown: Shutdown) -> None:
        """One episode, with all that may become of it."""
        if shutdown.begun:
            return
        progress = self.progress.episode(unit.name, method_named(unit.method).candidates(unit))
        self.ledger.begin(unit.key, unit.name)
        try:
            self._episode(unit, shutdown, progress)
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

    def _episode(self, unit: Unit, shutdown: Shutdown, progress: EpisodeProgress) -> None:
        model = StoppableModel(self.models[unit.answers], shutdown)
        judge = Judge.of(unit, self.plan.config.planner)
        executor = StoppableExecutor(self.executor, shutdown)
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


def stall_after_s(plan: RunPlan) -> float:
    """Seconds without progress that are no longer normal: more than a live request may take."""
    if plan.llm == "recorded":
        return STALL_S
    return STALL_S + (plan.config.request_timeout_s or ENDLESS_S)


def episodes_at_once(config: RunConfig) -> int:
    """How many episodes may be under way: the flag, or one where they would only take turns."""
    return config.episodes or (1 if config.executor == "serial" else AT_ONCE)
