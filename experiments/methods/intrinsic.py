"""Methods `intrinsic` and `intrinsic-cot`: the language model writes the plans itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from agents.intrinsic import IntrinsicPlanner
from agents.llm.interface import Finish, LanguageModel
from agents.texts import WorldTexts
from envs.world import open_world
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.solve import Attempt, PlanRunner
from experiments.methods.base import Kit, Method
from experiments.runs.records import EpisodeRecord, TaskOutcome
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import plans_asked
from experiments.spending.caps import Bound


@dataclass(frozen=True, kw_only=True)
class IntrinsicMethod(Method):
    """One plan a task, executed in the environment. Source: Mahdavi et al. 2024, section 5."""

    reasons: bool  #: whether the model thinks aloud before it answers

    published_feedback: ClassVar[bool] = True

    def bound(self, unit: Unit, longest: int) -> Bound:
        """A plan for every task."""
        return plans_asked(unit, longest, reasons=self.reasons)

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """A plan for every task, and what the environment made of it."""
        started = time.monotonic()

        def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
            texts = WorldTexts.of(open_world(unit.env, task.name))
            answer = IntrinsicPlanner(model, self.reasons).plan(
                texts, derived_seed(unit.seed, "plan", task.number)
            )
            if answer.plan is None:
                outcome = TaskOutcome.NO_PLAN if answer.finish is Finish.STOP else TaskOutcome.NO_ANSWER
                return Prepared(failed=Attempt(outcome, detail=answer.fault or ""))
            return Prepared((answer.plan,))

        tasks = run_tasks(unit, kit, prepare, PlanRunner(unit.env))
        return episode_without_model(unit, tasks, started)
