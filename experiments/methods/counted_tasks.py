"""The counted tasks of an episode that searched for a model: each is translated for the best one, and solved.

A task that was refined on keeps its problem. The others are translated one-shot from that, by the language
model or by TIC. Where the search makes them ready for it, a task that fails is told why and its problem asked
for again.

TIC's example is the task that the model was refined on: its text, and its problem stated as an IR. What the
objects of a task are is known from the environment; there are no rules beside that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from agents.llm.interface import LanguageModel
from agents.problems import ProblemReading, read_problem_reply
from agents.proposal import Proposal
from agents.refine import Improver, Translation
from agents.requests import DomainStanding
from agents.texts import WorldTexts
from agents.tic.infer import Ending
from agents.tic.knowledge import Knowledge
from agents.tic.translate import Style, Translator
from envs.intermediate.gold_ir import plain_ir
from envs.pddl.language.domain import read_vocabulary
from envs.reading import read_facts
from envs.world import open_world
from ew.counterexample.doubts import Doubt
from ew.score.rating import Outcome, Rating
from experiments.driver.tasks import Prepared, run_tasks
from experiments.evaluation.solve import Attempt, ModelSolver, unread
from experiments.methods.base import Kit
from experiments.methods.translation import Inferring
from experiments.runs.records import TaskOutcome, TaskRecord
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from search.executors import Executor
from search.nodes import Node


@dataclass(frozen=True)
class CountedTasks:
    """Solves the tasks of `unit` with the domain of `best`; without one that can be walked, asks for none."""

    unit: Unit
    kit: Kit
    best: Node | None
    corrects_problems: bool = False  #: whether a failure is told, and the problem asked for again
    attempts: int = 1  #: at each task
    #: about the texts of the tasks that were refined on
    doubts: Mapping[int | str, tuple[Doubt, ...]] = field(default_factory=dict)

    def solved(self) -> tuple[TaskRecord, ...]:
        """The records of all tasks, in order."""
        solver = ModelSolver(
            self.unit.env, self.unit.seed, self.kit.judge, self.corrects_problems, self._domain_stands
        )
        return run_tasks(self.unit, self.kit, self._prepare, solver, self._again, self.attempts)

    @property
    def _domain_stands(self) -> bool:
        """Whether the domain solved a feedback task: its plan worked there, and EW was 1."""
        return self._is_rated(Outcome.SOLVED)

    @property
    def _solution(self) -> Proposal | None:
        """The best model, if it could be compiled, so that tasks may be tried with its domain."""
        return self.best.payload if self.best and self._is_rated(Outcome.NO_INITIAL_ACTION) else None

    def _is_rated(self, least: Outcome) -> bool:
        """Whether the best model solved a task, or came as far as `least`."""
        if self.best is None:
            return False
        rating: Rating = self.best.evaluation.rating
        return rating.tasks > 0 or rating.outcome >= least

    def _prepare(self, task: EvaluationTask, model: LanguageModel) -> Prepared:
        unit, solution = self.unit, self._solution
        if solution is None:
            return Prepared(failed=Attempt(TaskOutcome.NO_DOMAIN))
        improver, seed = Improver(self._refined_on, model), derived_seed(unit.seed, "task", task.number)
        if task.name in unit.refined_on:
            known = improver.settled(solution, unit.refined_on.index(task.name))
            prepared = replace(_prepared(known, solution, None), doubts=self.doubts.get(task.name, ()))
        elif unit.translator == "llm":
            prepared = self._read(improver.translate(solution, _texts(unit, task.name), seed), task)
        else:
            first, words = improver.tasks[0], _texts(unit, task.name)
            prepared = self._read(
                translated_by_tic(model, self.kit.executor, first, solution, words, seed), task
            )
        # with TIC, a further answer would hear a conversation about PDDL
        return prepared if unit.translator == "llm" else replace(prepared, origin=None)

    def _again(
        self, task: EvaluationTask, failed: Prepared, attempt: Attempt, model: LanguageModel
    ) -> Prepared:
        if (solution := self._solution) is None:
            raise ValueError("no task is tried again without a domain")
        seed, words = derived_seed(self.unit.seed, "task", task.number), attempt.feedback or attempt.detail
        standing = DomainStanding.KEPT if failed.failed else DomainStanding.UNPROVED
        standing = DomainStanding.SOLVED if self._domain_stands else standing
        task_texts = _texts(self.unit, task.name)
        further = Improver(self._refined_on, model).another_problem(
            failed.origin, words, solution, task_texts, seed, standing
        )
        again = self._read(further, task)
        if again.arguments and again.arguments == failed.arguments:  # asking once more would be the same
            counted = replace(attempt.score, world_queries=0, simulator=None)  # by the first attempt
            return replace(again, failed=replace(attempt, score=counted), origin=None)
        return again

    @cached_property
    def _refined_on(self) -> tuple[WorldTexts, ...]:
        return texts_refined_on(self.unit)

    def _read(self, found: Translation | ProblemReading, task: EvaluationTask) -> Prepared:
        """What is tried; the task's text may be doubted if the domain solved another task."""
        assert self._solution is not None, "without a domain nothing is translated"
        return _prepared(found, self._solution, str(task.name) if self._domain_stands else None)


def texts_refined_on(unit: Unit) -> tuple[WorldTexts, ...]:
    """The texts of the tasks that a model is refined on."""
    return tuple(_texts(unit, task) for task in unit.refined_on)


def _prepared(found: Translation | ProblemReading, solution: Proposal, doubting: str | None) -> Prepared:
    """What is tried, or why nothing is; `doubting` is the task whose text may be doubted, if it may be."""
    if found.problem is None:
        return Prepared(failed=unread(found, doubting), origin=found)
    return Prepared((solution.domain, found.problem), origin=found)


def _texts(unit: Unit, task: int | str) -> WorldTexts:
    return WorldTexts.of(open_world(unit.env, task))


def translated_by_tic(
    model: LanguageModel,
    executor: Executor,
    first: WorldTexts,
    solution: Proposal,
    task: WorldTexts,
    seed: int,
) -> ProblemReading:
    """The problem of `task` for the domain of `solution`, whose first problem is that of `first`.

    Raises LLMError, WorkerError.
    """
    try:
        knowledge = knowledge_from(first, solution, task)
    except ValueError as fault:
        return ProblemReading(None, f"the first task's problem cannot be an example: {fault}")
    found = Translator(Style.IN_CONTEXT, knowledge, model, run=Inferring(executor)).translate(task.task, seed)
    if found.problem is None:
        return ProblemReading(None, found.fault, answered=found.ending is not Ending.NO_ANSWER)
    return read_problem_reply(found.problem, task, solution.draft)


def knowledge_from(first: WorldTexts, solution: Proposal, task: WorldTexts) -> Knowledge:
    """What a translator of `task` may know. Raises ValueError if the first problem cannot be stated."""
    if solution.problem is None:
        raise ValueError(f"there is none: {solution.fault}")
    domain = read_vocabulary(solution.domain)
    facts = read_facts(solution.problem, domain)
    known = (Knowledge(solution.domain, objects=tuple(texts.objects)) for texts in (task, first))
    asp, asp_of_first = (knowledge.names.asp for knowledge in known)
    return Knowledge(
        solution.domain,
        rules="\n".join(f"object({asp(name)}, {asp(kind)})." for name, kind in task.objects.items()),
        example_task=first.task,
        example_ir=plain_ir(facts, domain, asp_of_first),
        example_problem=solution.problem,
        objects=tuple(task.objects),
    )
