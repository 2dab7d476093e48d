"""The main job: every episode of a plan, one after another, each written down as it goes.

An episode that is finished is left alone; one that began and did not end is taken up where it stopped. If the
machine fails under an episode, it is given up with the reason and the others go on; if the language model
cannot be asked, nothing can go on. An error of ours is listed as unexplained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agents.llm.errors import LLMError
from agents.llm.interface import LanguageModel
from experiments.config import RunConfig
from experiments.episode import Kit
from experiments.judge import Judge
from experiments.ledger import Ledger
from experiments.methods import METHODS
from experiments.plan import RunPlan
from experiments.progress import Progress
from experiments.records import FaultKind
from experiments.units import Unit
from search.boundary import WorkerError
from search.executors import (
    Executor,
    ExecutorUnavailable,
    ProcessExecutor,
    RayExecutor,
    SerialExecutor,
)

#: Errors of workers for which no program of ours is to blame, by class name.
_BLAME = {
    "experiments.judge.MachineFault": FaultKind.MACHINE,
    "envs.pddl.planner.PlannerMissing": FaultKind.MACHINE,
    "envs.pddl.grounding.GroundingFailed": FaultKind.MACHINE,
    "experiments.judge.WorldFault": FaultKind.WORLD,
}


@dataclass(frozen=True)
class Job:
    """A plan with all that it takes to carry it out."""

    plan: RunPlan
    models: Mapping[str, LanguageModel]  #: by `Unit.answers`
    executor: Executor
    ledger: Ledger
    progress: Progress

    def run(self) -> None:
        """Finish every episode that is not finished. Raises LLMError, ExecutorUnavailable."""
        for unit in unfinished(self.plan, self.ledger):
            method = METHODS[unit.method]
            self.progress.episode(unit.name, method.candidates(unit))
            self.ledger.begin(unit.key, unit.name)
            try:
                self._episode(unit)
            except WorkerError as error:
                self._give_up(unit, blame(error), str(error))
            except (LLMError, ExecutorUnavailable) as error:
                self._give_up(unit, FaultKind.MACHINE, str(error))
                raise

    def _episode(self, unit: Unit) -> None:
        judge = Judge.of(unit, self.plan.config.planner)
        kit = Kit(self.models[unit.answers], judge, self.executor, self.ledger, self.progress)
        record = METHODS[unit.method].run(unit, kit)
        self.ledger.add_episode(record)
        self.progress.done(record)

    def _give_up(self, unit: Unit, kind: FaultKind, message: str) -> None:
        self.ledger.add_fault(unit.key, unit.name, kind.value, message)
        self.progress.say(f"  given up ({kind.value}): {message}")


def unfinished(plan: RunPlan, ledger: Ledger) -> tuple[Unit, ...]:
    """The units without an end mark, in order."""
    return tuple(unit for unit in plan.units if ledger.episode(unit.key) is None)


def blame(error: WorkerError) -> FaultKind:
    """Whose fault an error in a worker is; a lost worker is the machine's."""
    return _BLAME.get(error.type_name, FaultKind.MACHINE if error.retryable else FaultKind.PROGRAM)


def make_executor(config: RunConfig) -> Executor:
    """The executor that the flags ask for; its workers start with the first call."""
    return executor_of(config.executor, config.ray_address, config.workers)


def executor_of(
    name: Literal["serial", "process", "ray"], ray_address: str | None, workers: int | None
) -> Executor:
    """The executor of that name; see `RayExecutor` for the other two."""
    match name:
        case "serial":
            return SerialExecutor()
        case "process":
            return ProcessExecutor(workers)
        case "ray":
            return RayExecutor(ray_address, workers)
