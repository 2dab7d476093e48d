"""Methods `tic-ic`, `tic-g3`, `tic-g1`, `llm+p`, `zero-shot`: the domain is known, each task is translated.

Nothing is searched for. A problem is judged beside the ground truth (`experiments.evaluation.judging`),
planned for with the true domain, and the plan is carried out in the environment, under the names that the
translation gave its objects. The turns of a unit are the answers to a task at most: the first, and those that
correct one that could not be used. `zero-shot` and `llm+p` ask for the problem directly, without and with an
example. What methods know of a world is its domain, rules and words, and one example (`knowledge_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from agents.llm.interface import LanguageModel
from agents.sampling import sample, why_unanswered
from agents.tic.allow import IRError, read_rules
from agents.tic.infer import Ending, Materialised, materialise, with_names_of
from agents.tic.knowledge import Knowledge
from agents.tic.translate import Style, Translator, direct_request, requests_of
from envs.intermediate.gold_ir import gold_ir, plain_ir
from envs.intermediate.knowledge import EXAMPLES, helpers_of, read_knowledge, sources_of, worlds_with_rules
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.reading import read_facts
from envs.registry import WORLDS
from envs.source import WorldNotFound, canonical_name, has_files, read_texts
from envs.variants import ANONYMISED, Level, split_variant
from experiments.config import ConfigError, SizeFlag
from experiments.driver.tasks import Prepared
from experiments.evaluation import judging
from experiments.evaluation.judge import Judge
from experiments.evaluation.judging import pair_at
from experiments.evaluation.solve import Attempt, timed
from experiments.methods.base import Kit
from experiments.methods.one_by_one import TaskMethod
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

    def __call__(self, text: str, knowledge: Knowledge) -> Materialised:
        """What the text comes to."""
        return self.executor.submit(materialise, text, knowledge).result()


@dataclass(frozen=True)
class TranslationSolver:
    """Judges the translations of an environment's tasks, and solves the tasks with them. Picklable."""

    env: str
    judge: Judge

    @timed
    def __call__(self, task: int | str, translated: JudgedTranslation | str) -> Attempt:
        """Compare, plan and act. Raises MachineFault, PlannerMissing, LabellingFailed, BadRules."""
        if isinstance(translated, str):
            return judging.tried_answer(self.env, task, translated, self.judge)
        return judging.tried_problem(self.env, task, translated, self.judge)


def knowledge_of(env: str) -> Knowledge:
    """The knowledge about a built-in world or a folder.

    In a built-in world it is the same at every level of its texts that says everything: the example's text is
    a compact one. At the terse level it is a terse one, and its IR states no more. In a folder the example's
    text is the given one, unless a level is asked for that is written from the PDDL. A
    folder without an example has none here. Raises ConfigError if there is no such world, if its domain
    cannot be read, or if a built-in world has no rules; InferenceFailed.
    """
    base, variant = split_variant(canonical_name(env))
    if variant.anonymised:
        raise ConfigError(f"{env}: the rules of a world are in its own names; leave out +{ANONYMISED}")
    level = variant.level or Level.GIVEN
    if base in WORLDS and level is not Level.TERSE:
        level = Level.COMPACT
    try:
        known = Knowledge(**asdict(read_knowledge(f"{base}+{level}")))
        if known.example_ir or not known.example_problem:
            return known
        twin = sources_of(base).twin
        made = _example_ir(twin, known.domain, known.rules, known.example_problem)
        return replace(known, example_ir=made)
    except (WorldNotFound, OSError, ValueError, PDDLError) as error:
        fault = f"{Path(base).name} cannot be translated by TIC: {error}"
        if base not in WORLDS and Path(base).is_dir():
            raise ConfigError(fault) from error
        there = ", ".join(worlds_with_rules())
        raise ConfigError(f"{fault}; name a folder, or a world with rules: {there}") from error


def knowledge_told(env: str) -> Iterator[str]:
    """Where the rules and the example for a folder come from, a line each; nothing for a built-in world.

    Raises WorldNotFound, PDDLError.
    """
    base, variant = split_variant(canonical_name(env))
    if base in WORLDS:
        return
    found = sources_of(f"{base}+{variant.level or Level.GIVEN}")
    yield f"rules: {found.rules_origin}"
    files = " or ".join(f"{stem}.pddl" for stem in EXAMPLES)
    none = f"none; a file {files} with its text beside it would be one"
    yield f"example: {found.example.origin if found.example else none}"
    yield from (f"not shown as an example: {doubt}" for doubt in found.doubts)


@lru_cache(maxsize=64)
def _example_ir(twin: str | None, domain: str, rules: str, problem: str) -> str:
    """The IR of an example that comes without one; empty if its goal is more than literals.

    With the rules of a built-in world, what they derive is left out if the problem follows without it;
    otherwise all that is true at first is stated. Raises PDDLError, InferenceFailed.
    """
    wanted = read_problem(problem, read_domain(domain))
    try:
        facts = read_facts(problem, wanted.domain.vocabulary)
    except PDDLError:
        raise
    except ValueError:
        return ""
    known = with_names_of(Knowledge(domain, rules, helpers=helpers_of(rules)), " ".join(facts.objects))
    if twin is not None:
        short = gold_ir(twin, facts, known.names.asp)
        found = materialise(short, known).problem
        if found is not None:
            same = same_as_written(read_problem(found, wanted.domain), wanted)
            if same.verdict is Verdict.EQUIVALENT:
                return short
    return plain_ir(facts, wanted.domain.vocabulary, known.names.asp)
