"""Methods `tic-ic`, `tic-g3`, `tic-g1` and `llm+p`: the domain is known, each task's problem is translated.

Nothing is searched for. A problem is compared with the ground truth, planned for with the true domain, and
the plan is carried out in the environment. The turns of a unit are the answers to a task at most: the first,
and those that mend one that could not be used.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from agents.llm.interface import LanguageModel
from agents.tic.allow import IRError, read_rules
from agents.tic.infer import Limits
from agents.tic.knowledge import Knowledge
from agents.tic.materialise import Ending, Materialised, materialise
from agents.tic.translate import Style, Translation, Translator, requests_of
from envs.invariants import world_invariants
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.source import read_texts
from experiments.config import ConfigError, SizeFlag
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import Attempt, act, unplanned
from experiments.evaluation.tic_judging import judged, why_unsolvable
from experiments.methods.base import Kit, Method
from experiments.methods.tic_knowledge import knowledge_of, knowledge_told
from experiments.runs.records import EpisodeRecord, TaskOutcome, Translated, content_key
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import FAILURE_TOKENS, asked
from experiments.spending.caps import Bound
from search.executors import Executor


@dataclass(frozen=True, kw_only=True)
class TranslationMethod(Method):
    """One translation a task. Source: Agarwal and Sreepathy 2024."""

    style: Style
    turns: int = 1  #: answers to a task at most; the published protocol has no second
    takes: frozenset[SizeFlag] = frozenset({"turns"})

    @classmethod
    def of(cls, style: str) -> TranslationMethod:
        """The method with the style of that name. Raises ValueError for another name."""
        return cls(style=Style(style))

    def can_be_simulated(self) -> bool:
        """Where it asks for the problem itself, not for a program."""
        return self.style is Style.DIRECT

    def knowledge_key(self, env: str) -> str:
        """Of the domain, its rules, words and example. Raises ConfigError."""
        knowledge = knowledge_of(env)
        if lacking := self.lacks(knowledge):
            raise ConfigError(f"{env}: {lacking}")
        try:
            read_rules(knowledge)
        except IRError as error:
            raise ConfigError(f"the rules of {env!r} cannot be read: {error}") from error
        return content_key(asdict(knowledge))[:16]

    def knowledge_notes(self, env: str) -> Iterator[str]:
        """Of a folder: where its rules and its example come from."""
        return knowledge_told(env)

    def bound(self, unit: Unit, longest: int) -> Bound:
        """Every request of every task, and every answer mended as often as may be."""
        knowledge, total = knowledge_of(unit.env), Bound()
        for task in unit.evaluation_tasks:
            *pieces, last = requests_of(self.style, knowledge, read_texts(unit.env, task.name).task)
            total = sum((asked(messages, longest) for messages in pieces), total)
            known = len(pieces) * longest
            for turn in range(unit.turns):
                heard = turn * (2 * longest + known + FAILURE_TOKENS)
                total += asked(last, longest, more=known + heard)
        return total

    def lacks(self, knowledge: Knowledge) -> str:
        """What the method would have to show of a domain and cannot; empty if nothing is missing."""
        shown = {Style.DIRECT: knowledge.example_problem, Style.IN_CONTEXT: knowledge.example_ir}
        if shown.get(self.style, "all"):
            return ""
        return (
            f"{self.style.value} shows an example of the domain, and there is none; add example.pddl and "
            f"example.nl, or use {Style.THREE_PROMPTS.value} or {Style.ONE_PROMPT.value}"
        )

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """A translation for every task, and what comes of it."""
        started = time.monotonic()
        knowledge, inferring = knowledge_of(unit.env), Inferring(kit.executor)

        def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
            translator = Translator(self.style, knowledge, model, unit.turns - 1, inferring)
            text = read_texts(unit.env, task.name).task
            found = translator.translate(text, derived_seed(unit.seed, "translation", task.number))
            return _prepared(found)

        tasks = run_tasks(unit, kit, prepare, TranslationSolver(unit.env, kit.judge))
        return episode_without_model(unit, tasks, started)


@dataclass(frozen=True)
class Inferring:
    """Has an IR read, inferred and compiled by a worker, and waits for it. Raises WorkerError."""

    executor: Executor
    limits: Limits = Limits()  # noqa: RUF009 (frozen)

    def __call__(self, text: str, knowledge: Knowledge) -> Materialised:
        """What the text comes to."""
        return self.executor.submit(materialise, text, knowledge, self.limits).result()


@dataclass(frozen=True)
class TranslationSolver:
    """Judges the translations of an environment's tasks, and solves the tasks with them. Picklable."""

    env: str
    judge: Judge

    def __call__(self, task: int | str, translated: Translated) -> Attempt:
        """Compare, plan and act. Raises MachineFault, PlannerMissing, LabellingFailed, BadRules."""
        started = time.perf_counter()
        attempt = self._judged(task, translated)
        return replace(attempt, wall_s=round(time.perf_counter() - started, 6))

    def _judged(self, task: int | str, translated: Translated) -> Attempt:
        truth = read_texts(self.env, task)
        domain = read_domain(truth.domain)
        try:
            problem = read_problem(translated.problem or "", domain)
        except PDDLError as error:
            return Attempt(TaskOutcome.INVALID_PROBLEM, detail=str(error), translated=translated)
        given = world_invariants(self.env)
        translated = judged(translated, problem, read_problem(truth.problem, domain), given)
        result = self.judge.draw_plan(problem)
        attempt = unplanned(result) if result.plan is None else act(self.env, task, result.plan)
        if attempt.outcome is TaskOutcome.UNSOLVABLE:
            why = why_unsolvable(problem, by_program=translated.ir is not None)
            return replace(attempt, detail=why, translated=replace(translated, unsolvable=why))
        return replace(attempt, translated=translated)


def _prepared(found: Translation) -> Prepared:
    notes = "\n".join((*found.mistakes, *found.notes))
    translated = Translated(found.ending.value, found.ir, found.problem, notes=notes)
    if found.problem is not None:
        return Prepared((translated,))
    outcome = TaskOutcome.NO_ANSWER if found.ending is Ending.NO_ANSWER else TaskOutcome.NO_PROBLEM
    return Prepared(failed=Attempt(outcome, detail=found.fault, translated=translated))
