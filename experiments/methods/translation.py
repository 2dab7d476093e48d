"""Methods `tic-ic`, `tic-g3`, `tic-g1`, `llm+p`, `zero-shot`: the domain is known, each task is translated.

Nothing is searched for. A problem is judged beside the ground truth (`experiments.evaluation.judging`),
planned for with the true domain, and the plan is carried out in the environment, under the names that the
translation gave its objects. The turns of a unit are the answers to a task at most: the first, and those that
correct one that could not be used. `zero-shot` and `llm+p` ask for the problem directly, without and with an
example.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from agents.llm.interface import LanguageModel
from agents.sampling import sample, why_unanswered
from agents.tic.allow import IRError, read_rules
from agents.tic.infer import Ending, InferenceLimits, Materialised, materialise
from agents.tic.knowledge import Knowledge
from agents.tic.translate import Style, Translator, direct_request, requests_of
from envs.source import has_files, read_texts
from experiments.config import ConfigError, SizeFlag
from experiments.driver.tasks import Prepared
from experiments.evaluation import judging
from experiments.evaluation.judge import Judge
from experiments.evaluation.judging import pair_at
from experiments.evaluation.solve import Attempt
from experiments.methods.base import Kit
from experiments.methods.one_by_one import TaskMethod
from experiments.methods.tic_knowledge import knowledge_of, knowledge_told
from experiments.runs.details import Answer, JudgedTranslation
from experiments.runs.records import TaskOutcome, content_key
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import FAILURE_TOKENS, asked
from experiments.spending.caps import Bound
from search.executors import Executor


@dataclass(frozen=True, kw_only=True)
class TranslationMethod(TaskMethod):
    """One translation a task.

    Source: Agarwal and Sreepathy 2024; without an example Zuo et al. 2024, section 5.
    """

    style: Style
    has_example: bool = True  #: whether the domain's rules and example are known, and not the domain alone
    turns: int = 1  #: answers to a task at most; the published protocol has no second
    takes: frozenset[SizeFlag] = frozenset({"turns"})

    @classmethod
    def of(cls, style: str, **settings: Any) -> TranslationMethod:
        """The method with the style of that name. Raises ValueError for another name."""
        return cls(style=Style(style), **settings)

    def can_be_simulated(self) -> bool:
        """Where it asks for the problem itself, not for a program."""
        return self.style is Style.DIRECT

    def check(self, unit: Unit) -> None:
        """Raises ConfigError if a task cannot be judged beside its true problem."""
        if self.has_example:
            return
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

    def knowledge_key(self, env: str) -> str:
        """Of the domain, its rules, words and example. Raises ConfigError."""
        if not self.has_example:
            return ""
        knowledge = knowledge_of(env)
        if lacking := self.lacks(knowledge):
            raise ConfigError(f"{env}: {lacking}")
        try:
            read_rules(knowledge)
        except IRError as error:
            raise ConfigError(f"the rules of {env!r} cannot be read: {error}") from error
        return content_key(asdict(knowledge))[:16]

    def knowledge_notes(self, env: str) -> Iterable[str]:
        """Of a folder: where its rules and its example come from."""
        return knowledge_told(env) if self.has_example else ()

    def lacks(self, knowledge: Knowledge) -> str:
        """What the method would have to show of a domain and cannot; empty if nothing is missing."""
        if not self.has_example:
            return ""
        shown = {Style.DIRECT: knowledge.example_problem, Style.IN_CONTEXT: knowledge.example_ir}
        if shown.get(self.style, "all"):
            return ""
        return (
            f"{self.style.value} shows an example of the domain, and there is none; add example.pddl and "
            f"example.nl, or use {Style.THREE_PROMPTS.value} or {Style.ONE_PROMPT.value}"
        )

    def bound(self, unit: Unit, longest: int) -> Bound:
        """Every request of every task, and every answer corrected as often as may be."""
        total = Bound()
        for task in unit.evaluation_tasks:
            knowledge, text = self._known(unit.env, task)
            *pieces, last = requests_of(self.style, knowledge, text)
            total = sum((asked(messages, longest) for messages in pieces), total)
            known = len(pieces) * longest
            for turn in range(unit.turns):
                heard = turn * (2 * longest + known + FAILURE_TOKENS)
                total += asked(last, longest, more=known + heard)
        return total

    def prepare(self, unit: Unit, kit: Kit, task: EvaluationTask, model: LanguageModel) -> Prepared:
        """A translation, or why there is none."""
        knowledge, text = self._known(unit.env, task)
        seed = derived_seed(unit.seed, "translation", task.number)
        if not self.has_example:
            (completion,) = sample(model, direct_request(knowledge, text), 1, seed)
            if (fault := why_unanswered(completion)) is None:
                return Prepared((completion.text,))
            record = judging.unjudged(pair_at(unit.env, task.name), Answer.NO_ANSWER, fault)
            return Prepared(failed=Attempt(TaskOutcome.NO_ANSWER, detail=fault, details=(record,)))
        translator = Translator(self.style, knowledge, model, unit.turns - 1, Inferring(kit.executor))
        found = translator.translate(text, seed)
        notes = "\n".join((*found.mistakes, *found.notes))
        translated = JudgedTranslation(found.ending.value, found.ir, found.problem, notes=notes)
        if found.problem is not None:
            return Prepared((translated,))
        outcome = TaskOutcome.NO_ANSWER if found.ending is Ending.NO_ANSWER else TaskOutcome.NO_PROBLEM
        return Prepared(failed=Attempt(outcome, detail=found.fault, details=(translated,)))

    def solver(self, unit: Unit, kit: Kit) -> TranslationSolver:
        """Judges a translation, and solves the task with it."""
        return TranslationSolver(unit.env, kit.judge)

    def _known(self, env: str, task: EvaluationTask) -> tuple[Knowledge, str]:
        """What is known of a task's domain, and the task's text."""
        texts = read_texts(env, task.name)
        return knowledge_of(env) if self.has_example else Knowledge(texts.domain), texts.task


@dataclass(frozen=True)
class Inferring:
    """Has an IR read, inferred and compiled by a worker, and waits for it. Raises WorkerError."""

    executor: Executor
    limits: InferenceLimits = InferenceLimits()  # noqa: RUF009 (frozen)

    def __call__(self, text: str, knowledge: Knowledge) -> Materialised:
        """What the text comes to."""
        return self.executor.submit(materialise, text, knowledge, self.limits).result()


@dataclass(frozen=True)
class TranslationSolver:
    """Judges the translations of an environment's tasks, and solves the tasks with them. Picklable."""

    env: str
    judge: Judge

    def __call__(self, task: int | str, translated: JudgedTranslation | str) -> Attempt:
        """Compare, plan and act. Raises MachineFault, PlannerMissing, LabellingFailed, BadRules."""
        started = time.perf_counter()
        if isinstance(translated, str):
            attempt = judging.tried_answer(self.env, task, translated, self.judge)
        else:
            attempt = judging.tried_problem(self.env, task, translated, self.judge)
        return replace(attempt, wall_s=round(time.perf_counter() - started, 6))
