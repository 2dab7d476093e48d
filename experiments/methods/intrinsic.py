"""Methods `intrinsic` and `intrinsic-cot`: the language model writes the plans itself."""

from __future__ import annotations

import time
from dataclasses import dataclass

from agents.intrinsic import IntrinsicPlanner
from agents.llm.interface import Finish, LanguageModel
from agents.texts import WorldTexts
from envs.world import open_world
from ew.score.config import EstimatorName, FeedbackForm
from experiments.config import SizeFlag
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.solve import Attempt, PlanRunner
from experiments.methods.base import Kit
from experiments.runs.records import EpisodeRecord, TaskOutcome
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import Bound, plans_asked


@dataclass(frozen=True)
class IntrinsicMethod:
    """One plan a task, executed in the environment. Source: Mahdavi et al. 2024, section 5."""

    reasons: bool  #: whether the model thinks aloud before it answers
    np: int = 1
    nd: int = 1
    turns: int = 4  #: of no effect; there as recordings name it for every method
    takes: frozenset[SizeFlag] = frozenset()
    estimator: EstimatorName = "paper"
    feedback: FeedbackForm = "shortest"
    feedback_tasks: int = 1

    def candidates(self, unit: Unit) -> int:
        """None: there is no model to evaluate."""
        return 0

    def repair_queries(self, unit: Unit) -> int:
        """None."""
        return 0

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
