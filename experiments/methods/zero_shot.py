"""Method `zero-shot`: the domain is given, each task's problem is asked for once, and judged.

Nothing is searched for. A problem is held against the ground truth (`pair_judging`), and if there is a plan
for it, that is carried out in the environment too, under the names that the translation gave its objects.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from agents.llm.interface import LanguageModel
from agents.requests import translation_request
from agents.sampling import sample, why_unanswered
from envs.pddl.language.domain import read_domain
from envs.source import has_files, read_texts
from experiments.config import ConfigError
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.judge import Judge
from experiments.evaluation.pair_judging import judged, unjudged
from experiments.evaluation.pair_records import Answer
from experiments.evaluation.pair_source import invariants_at, pair_at
from experiments.evaluation.solve import Attempt, act, unplanned
from experiments.methods.base import Kit, Method
from experiments.runs.records import EpisodeRecord, TaskOutcome
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import asked
from experiments.spending.caps import Bound

_OUTCOMES = {
    Answer.NO_ANSWER: TaskOutcome.NO_ANSWER,
    Answer.NO_PROBLEM: TaskOutcome.NO_PROBLEM,
    Answer.UNREADABLE: TaskOutcome.INVALID_PROBLEM,
}


@dataclass(frozen=True, kw_only=True)
class ZeroShotMethod(Method):
    """One translation a task. Source: Zuo et al. 2024, section 5."""

    turns: int = 1
    feedback_tasks: int = 0

    def check(self, unit: Unit) -> None:
        """Raises ConfigError if a task cannot be held against its true problem."""
        if not has_files(unit.env):
            raise ConfigError(
                f"{unit.method} translates tasks into a given PDDL domain, and {unit.env!r} has none; "
                "take another method"
            )
        for task in unit.evaluation_tasks:
            try:
                pair_at(unit.env, task.name)
            except ValueError as error:
                message = f"task {task.name} of {unit.env!r} cannot be judged by {unit.method}: {error}"
                raise ConfigError(message) from error

    def bound(self, unit: Unit, longest: int) -> Bound:
        """One answer a task."""
        texts = (read_texts(unit.env, task.name) for task in unit.evaluation_tasks)
        return sum((asked(translation_request(t.domain, t.task), longest) for t in texts), Bound())

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """A translation for every task, and what comes of it."""
        started = time.monotonic()

        def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
            texts = read_texts(unit.env, task.name)
            request = translation_request(texts.domain, texts.task)
            (completion,) = sample(model, request, 1, derived_seed(unit.seed, "translation", task.number))
            fault = why_unanswered(completion)
            if fault is None:
                return Prepared((completion.text,))
            record = unjudged(pair_at(unit.env, task.name), Answer.NO_ANSWER, fault)
            return Prepared(failed=Attempt(TaskOutcome.NO_ANSWER, detail=fault, pair=record))

        tasks = run_tasks(unit, kit, prepare, PairSolver(unit.env, kit.judge))
        return episode_without_model(unit, tasks, started)


@dataclass(frozen=True)
class PairSolver:
    """Judges the answers to an environment's tasks, and carries plans for them out. Picklable."""

    env: str
    judge: Judge

    def __call__(self, task: int | str, text: str) -> Attempt:
        """Judge and act. Raises MachineFault, PlannerMissing, LabellingFailed, BadRules."""
        started = time.perf_counter()
        attempt = self._judged(task, text)
        return replace(attempt, wall_s=round(time.perf_counter() - started, 6))

    def _judged(self, task: int | str, text: str) -> Attempt:
        pair, domain = pair_at(self.env, task), read_domain(read_texts(self.env, task).domain)
        given = invariants_at(self.env, pair)
        record, result = judged(text, pair, domain, self.judge.planner, given)
        if result is None:
            return Attempt(_OUTCOMES[Answer(record.answer)], detail=record.fault, pair=record)
        attempt = unplanned(result) if result.plan is None else act(self.env, task, result.plan)
        return replace(attempt, pair=record)
