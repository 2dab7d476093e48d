"""Methods `plan-alone`, `plan-advised`, `plan-shown` and their kin: instructions carried out.

All but the first have a domain written action by action and corrected by the environment, on the tasks for
feedback, or by a person before it or alone. Then an instruction is planned for: by the language model, which
knows the description alone or reads the domain in words, and whose plans may be checked in the domain and
sent back; or by the classical planner in the domain, the language model only translating. Requests that
methods share are the same, so a journal or a recording answers them once.

In the bound of an episode (`ModellingBound`) every dialogue is taken to go on to its last turn, every remark
to be made, all about the same action, and every problem to be corrected. What a turn shows of the model is at
most what all answers so far have written.

Source: Guan et al. 2023, sections 4 and 5; that the environment corrects is ours.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agents.llm.interface import Finish, LanguageModel, Message, most_prompt_tokens
from agents.prompts import turn
from agents.requests import plan_request, problem_correction_turn
from agents.sampling import derived_seed
from agents.texts import WorldTexts
from agents.worldmodel import requests
from agents.worldmodel.check import STRIPS_ONLY
from agents.worldmodel.construct import (
    FEWEST_PASSES,
    Construction,
    Constructor,
    Correction,
    Corrector,
    Settings,
)
from agents.worldmodel.model import Brief, Places, WorldModel, places_of
from agents.worldmodel.planning import InstructedPlanner, Planned
from agents.worldmodel.problems import ATTEMPTS, Asked, Stages, TaskTranslator, translate
from agents.worldmodel.remarks import RemarkSource, Worth
from agents.worldmodel.saying import Advisor, Sayer
from agents.worldmodel.sources import EXAMINED, Walk, Walks, WorldTask, walk_here
from envs.pddl.alignment.errors_of import Alignment, align
from envs.pddl.alignment.program import TooManyLiterals
from envs.pddl.language.domain import read_domain
from envs.source import has_files, read_texts
from envs.verbalisation.paragraphs import read_paragraphs
from envs.world import open_world
from ew.score.config import EWConfig
from experiments.config import ConfigError
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.instructed import InstructionSolver, Ready, asked_of
from experiments.evaluation.solve import Attempt
from experiments.methods.base import Kit, Method
from experiments.methods.worldmodel_feedback import most_remarks, sources
from experiments.runs.details import Built, Detail
from experiments.runs.records import EpisodeRecord, TaskOutcome
from experiments.runs.units import EvaluationTask, Modelling, Unit
from experiments.spending.bounds import FAILURE_TOKENS, asked, candidate_queries
from experiments.spending.capped import Meter
from experiments.spending.caps import Bound
from search.executors import Executor

#: Replies of one dialogue.
_REPLIES = Settings().turns + 1
#: Feedback tasks that every model is walked in; in the others, one that nothing speaks against, as long as
#: some action was not exercised.
_ALWAYS = 2
#: A model in words is taken to be so many times as long as what was written of it.
_SAID = 2


@dataclass(frozen=True, kw_only=True)
class WorldModelMethod(Method):
    """A domain if need be, and a plan for every instruction.

    `turns` are the plans for an instruction, at most, of the language model that is advised.
    """

    makes_model: bool = True  #: whether there is a domain
    shows_model: bool = False  #: whether the language model plans, and reads the domain
    advises: bool = False  #: whether plans of the language model are checked in the domain and sent back
    uses_planner: bool = False  #: whether the classical planner plans in the domain
    feedback_tasks: int = 10  # at most, see `_ALWAYS`

    def can_be_simulated(self) -> bool:
        """Never: it asks for actions one by one, and for words."""
        return False

    def check(self, unit: Unit) -> None:
        """Raises ConfigError if the description cannot be divided into its actions."""
        brief_of(unit.env)

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All dialogues, corrections and plans, as long as they may be."""
        brief = brief_of(unit.env, fixed=not (unit.modelling or Modelling()).free_parameters)
        plans = 0 if self.uses_planner else unit.turns if self.advises else 1
        most = ModellingBound(unit, brief, longest)
        total = most.model() if self.makes_model else Bound()
        for number in range(1, unit.tasks + 1):
            instruction = asked_of(unit.env, number)
            if self.advises or self.uses_planner:
                total += most.translated(instruction)
            total += most.plans(instruction, plans, shown=self.shows_model)
        return total

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """The domain, then every instruction."""
        started, meter = time.monotonic(), Meter(kit.model)
        model, details, queries = None, tuple[Detail, ...](), 0
        if self.makes_model:
            model, built, queries = build(unit, meter, walking_on(kit.executor))
            details = (built,)

        def prepare(task: EvaluationTask, llm: LanguageModel) -> Prepared:
            return self._prepared(unit, task.number, llm, model)

        tasks = run_tasks(unit, kit, prepare, InstructionSolver(unit.env, kit.judge))
        record = episode_without_model(unit, tasks, started)
        domain = model.text() if model is not None else None
        spent = record.spent + meter.spent
        return replace(record, spent=spent, world_queries=queries, domain=domain, details=details)

    def _prepared(self, unit: Unit, number: int, llm: LanguageModel, model: WorldModel | None) -> Prepared:
        asked, seed = asked_of(unit.env, number), derived_seed(unit.seed, "instruction", number)
        if model is None:
            return _planned(number, InstructedPlanner(llm, unit.turns).plan(asked.told, seed))
        translates = self.advises or self.uses_planner
        stages = translate(llm, asked, model, seed) if translates else Stages(())
        places = {} if model.brief.is_fixed else places_of(model, asked.texts.actions)
        if self.uses_planner:
            if stages.fault is not None:
                outcome = TaskOutcome.NO_PROBLEM if stages.answered else TaskOutcome.NO_ANSWER
                return Prepared(failed=Attempt(outcome, detail=stages.fault))
            return Prepared((number, Ready(None, model.text(), stages.problems, places)))
        advisor = Advisor(model, stages.problems) if stages.problems else None
        planner = InstructedPlanner(llm, unit.turns, model if self.shows_model else None)
        return _planned(number, planner.plan(asked.told, seed, advisor), places)


def build(unit: Unit, llm: LanguageModel, walk: Walk) -> tuple[WorldModel, Built, int]:
    """The corrected model of an environment, how it came about, and the world queries that took."""
    seed, modelling = unit.seed, unit.modelling or Modelling()
    constructor = Constructor(llm, settings=settings_of(modelling))
    own = brief_of(unit.env, fixed=not modelling.free_parameters)
    construction = constructor.construct(own, derived_seed(seed, "construction"))
    config, tasks = EWConfig(unit.walks, unit.t_max, estimator=unit.estimator), _tasks(unit, llm)
    refined_on = tuple(tasks[name] for name in unit.refined_on)
    walks = Walks(refined_on[:_ALWAYS], seed, config, walk=walk, further=refined_on[_ALWAYS:])
    brief, person = construction.model.brief, unit.person
    source: RemarkSource = walks
    if person is not None:
        source = sources(person, brief, tasks, walks)
    corrector = Corrector(llm, most_remarks(person, brief), settings=settings_of(modelling))
    correction = corrector.correct(construction, source, derived_seed(seed, "correction"))
    if person is not None:
        correction = _measured(construction, correction, walks)
    return correction.model, _built(unit, construction, correction), correction.world_queries


def settings_of(modelling: Modelling) -> Settings:
    """Of the dialogues about actions."""
    return Settings(forbidden=STRIPS_ONLY) if modelling.strips_only else Settings()


def _measured(construction: Construction, correction: Correction, walks: Walks) -> Correction:
    """The correction with the worth of its models to the walks, where a person made the remarks."""
    before, after = (walks.review(made.model, ()) for made in (construction, correction))
    return replace(
        correction,
        worth_before=before.worth,
        worth=after.worth,
        met=after.met,
        world_queries=correction.world_queries + before.world_queries + after.world_queries,
    )


def brief_of(env: str, *, fixed: bool = True) -> Brief:
    """What is known of an environment, action by action, with its parameters if they are `fixed`.

    Raises ConfigError if its text cannot be divided.
    """
    world = open_world(env)
    try:
        parts = read_paragraphs(world.description, [action.name for action in world.actions])
        return Brief.of(WorldTexts.of(world), parts.general, parts.actions, fixed=fixed)
    except ValueError as fault:
        raise ConfigError(f"{env!r} cannot be modelled action by action: {fault}") from fault


def _tasks(unit: Unit, llm: LanguageModel) -> dict[int | str, WorldTask]:
    """The tasks that the model is corrected or measured on, by name."""
    worlds = {task: open_world(unit.env, task) for task in unit.tasks_heard}
    return {
        task: WorldTask(
            world, TaskTranslator(llm, WorldTexts.of(world), derived_seed(unit.seed, "task", number))
        )
        for number, (task, world) in enumerate(worlds.items())
    }


def _built(unit: Unit, construction: Construction, correction: Correction) -> Built:
    before, after = (_aligned(unit.env, m) for m in (construction.model, correction.model))
    faults = Counter(_by_value(construction.counts))
    faults.update(_by_value(correction.counts))
    return Built(
        before=_counts(before),
        after=_counts(after),
        exact=all(found is not None and found.exact for found in (before, after)),
        ew_before=_ew(correction.worth_before),
        ew_after=_ew(correction.worth),
        remarks=len(correction.remarks),
        ending=correction.ending.value,
        note=correction.note,
        faults=dict(faults),
        unwritten=correction.model.unwritten,
        written=construction.model.text(),
        said=Sayer.of(correction.model).say() + "\n",
        unmet=tuple(a.name for a in correction.model.brief.actions if a.name not in correction.met),
        walked=correction.model.brief.is_fixed,
    )


def _aligned(env: str, model: WorldModel) -> Alignment | None:
    """The best alignment with the true domain; None if there is no PDDL of it, or too large a model."""
    if not has_files(env):
        return None
    true = read_domain(read_texts(env, 1).domain)
    try:
        return align(true, read_domain(model.text()), in_order=model.brief.is_fixed)
    except TooManyLiterals:
        return None


def _counts(found: Alignment | None) -> dict[str, int] | None:
    return _by_value(found.counts()) if found is not None else None


def _by_value(counts: Mapping[Any, int]) -> dict[str, int]:
    """Counts by the values of an enumeration's members."""
    return {kind.value: n for kind, n in counts.items()}


def _ew(worth: Worth) -> float | None:
    """The EW score in the worth that walks give a model; None if it could not be walked."""
    walked, score, *_ = worth
    return score if walked > 0 else None


def _planned(number: int, found: Planned, places: Places | None = None) -> Prepared:
    told = _by_value(found.told)
    if found.plan is None:
        outcome = TaskOutcome.NO_PLAN if found.finish is Finish.STOP else TaskOutcome.NO_ANSWER
        return Prepared(failed=Attempt(outcome, detail=found.fault or "", told=told))
    return Prepared((number, Ready(found.plan, places=places or {}, told=told)))


def walking_on(executor: Executor) -> Walk:
    """Walks on an executor, waited for. They raise WorkerError, ExecutorUnavailable, BudgetReached."""
    return lambda walker, domain, problem: executor.submit(walk_here, walker, domain, problem).result()


@dataclass(frozen=True)
class ModellingBound:
    """The most that the parts of an episode ask for, with answers of `longest` tokens at most."""

    unit: Unit
    brief: Brief
    longest: int

    @cached_property
    def _empty(self) -> WorldModel:
        return WorldModel(self.brief)

    @property
    def _written(self) -> int:
        """Tokens of a whole model."""
        return len(self.brief.actions) * self.longest

    def model(self) -> Bound:
        """Construction, correction, and the problems and walks that correction takes."""
        person, remarks = self.unit.person, most_remarks(self.unit.person, self.brief)
        actions = [requests.action_request(self.brief, a, self._empty, ()) for a in self.brief.actions]
        heard, total = self._heard(requests.faults_turn((), self._empty), self._written), Bound()
        for first in actions:
            for reply in range(_REPLIES):
                total += asked(first, self.longest, FEWEST_PASSES, more=self._written + reply * heard)
        dearest = max(actions, key=most_prompt_tokens, default=())
        said = f"{person.remarks}\n{person.plan}" if person is not None else ""  # a remark is a part of it
        heard = self._heard(requests.remark_turn(said, self._empty), self._written)
        for reply in range(remarks * _REPLIES):
            total += asked(dearest, self.longest, more=self._written + (_REPLIES + reply) * heard)
        for task in self.unit.tasks_heard:
            texts = WorldTexts.of(open_world(self.unit.env, task))
            tries, more = ATTEMPTS * (remarks + 1) + remarks, self._written + ATTEMPTS * heard
            total += asked(requests.problem_request(texts, self._empty), self.longest, tries, more=more)
        # the first review and one after each remark, all of them again with a further problem; with a person,
        # one more of the first and of the last model
        reviews = 2 * (remarks + 1) + (2 if person is not None else 0)
        looks = candidate_queries(self.unit) + len(self.unit.refined_on) * EXAMINED.most
        return total + Bound(world_queries=reviews * looks)

    def translated(self, given: Asked) -> Bound:
        """An instruction's start and goals."""
        request = requests.instruction_request(given.texts, given.start, given.instruction, self._empty)
        heard = self._heard(problem_correction_turn("", self._empty.draft), self._written)
        tries = (asked(request, self.longest, more=self._written + n * heard) for n in range(ATTEMPTS))
        return sum(tries, Bound())

    def plans(self, given: Asked, plans: int, *, shown: bool) -> Bound:
        """Plans, and all their steps put into the form of actions; `shown`: with the model in words."""
        request, more, total = plan_request(given.told, True), 0, Bound()
        if shown:
            request = requests.shown_plan_request(given.told, self._empty)
            more = _SAID * self._written
        heard = self._heard(turn("worldmodel/unsound_plan.md", fault=""), 0)
        for number in range(plans):
            total += asked(request, self.longest, more=more + number * heard)
            total += asked(requests.admissible_request(given.texts, ()), self.longest, more=self.longest)
        return total

    def _heard(self, message: Message, written: int) -> int:
        """Tokens that a turn of feedback and the answer before it add to a conversation."""
        return self.longest + most_prompt_tokens([message]) + FAILURE_TOKENS + written
