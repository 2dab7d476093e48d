"""Methods that make no model: each task is prepared by the language model and tried, one by one.

`intrinsic` and `intrinsic-cot` are here: the language model writes the plans itself.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from agents.intrinsic import ask_for_plan
from agents.llm.interface import Finish, LanguageModel
from agents.texts import WorldTexts
from envs.world import open_world
from experiments.driver.tasks import Prepared, Solve, episode_without_model, run_tasks
from experiments.evaluation.solve import Attempt, PlanRunner
from experiments.methods.base import Kit, Method
from experiments.runs.records import EpisodeRecord, TaskOutcome
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import plans_asked
from experiments.spending.caps import Bound


@dataclass(frozen=True, kw_only=True)
class TaskMethod(Method):
    """A method that has no search: `prepare` for each task, and the `solver` that tries what was prepared."""

    @abstractmethod
    def prepare(self, unit: Unit, kit: Kit, task: EvaluationTask, model: LanguageModel) -> Prepared:
        """What the language model makes of a task. Raises LLMError, WorkerError."""

    @abstractmethod
    def solver(self, unit: Unit, kit: Kit) -> Solve:
        """What tries it in a worker; picklable."""

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Every task, prepared and tried."""
        started = time.monotonic()
        tasks = run_tasks(unit, kit, partial(self.prepare, unit, kit), self.solver(unit, kit))
        return episode_without_model(unit, tasks, started)


@dataclass(frozen=True, kw_only=True)
class IntrinsicMethod(TaskMethod):
    """One plan a task, executed in the environment. Source: Mahdavi et al. 2024, section 5."""

    reasons: bool  #: whether the model thinks aloud before it answers

    published_feedback: ClassVar[bool] = True

    def bound(self, unit: Unit, longest: int) -> Bound:
        """A plan for every task."""
        return plans_asked(unit, longest, reasons=self.reasons)

    def prepare(self, unit: Unit, kit: Kit, task: EvaluationTask, model: LanguageModel) -> Prepared:
        """A plan, or why the reply holds none."""
        texts = WorldTexts.of(open_world(unit.env, task.name))
        seed = derived_seed(unit.seed, "plan", task.number)
        answer = ask_for_plan(model, texts, seed, chain_of_thought=self.reasons)
        if answer.plan is not None:
            return Prepared((answer.plan,))
        outcome = TaskOutcome.NO_PLAN if answer.finish is Finish.STOP else TaskOutcome.NO_ANSWER
        return Prepared(failed=Attempt(outcome, detail=answer.fault or ""))

    def solver(self, unit: Unit, kit: Kit) -> PlanRunner:
        """Carries a plan out in the environment."""
        return PlanRunner(unit.env)
