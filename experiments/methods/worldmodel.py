"""Methods `plan-alone`, `plan-advised`, `plan-shown` and their kin: instructions carried out.

All but the first have a domain written action by action and corrected by the environment, on the tasks for
feedback, or by a person before it or alone. Then an instruction is planned for: by the language model, which
knows the description alone or reads the domain in words, and whose plans may be checked in the domain and
sent back; or by the classical planner in the domain, the language model only translating. Requests that
methods share are the same, so a journal or a recording answers them once.

Source: Guan et al. 2023, sections 4 and 5; that the environment corrects is ours.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from agents.llm.interface import Finish, LanguageModel
from agents.sampling import derived_seed
from agents.texts import WorldTexts
from agents.worldmodel.advice import Advisor
from agents.worldmodel.brief import Brief
from agents.worldmodel.check import STRIPS_ONLY
from agents.worldmodel.construct import Construction, Constructor, Settings
from agents.worldmodel.correct import Correction, Corrector
from agents.worldmodel.goals import Stages, translate
from agents.worldmodel.model import WorldModel
from agents.worldmodel.own_parameters import Places, places_of
from agents.worldmodel.planning import FromDescription, FromModel, InstructedPlanner, Planned
from agents.worldmodel.problems import Translator
from agents.worldmodel.remarks import RemarkSource, Worth
from agents.worldmodel.saying import Sayer
from agents.worldmodel.walker import Found, Walker
from agents.worldmodel.world_source import Walk, Walks, WorldTask
from envs.pddl.alignment.errors_of import Alignment, align
from envs.pddl.alignment.program import TooManyLiterals
from envs.pddl.language.domain import read_domain
from envs.source import has_files, read_texts
from envs.wording.paragraphs import read_paragraphs
from envs.world import open_world
from ew.score.config import EWConfig
from experiments.config import ConfigError, SizeFlag
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.instructed import InstructionSolver, Ready, asked_of
from experiments.evaluation.solve import Attempt
from experiments.methods.base import Kit, Method
from experiments.methods.worldmodel_bound import Needed, most_asked
from experiments.methods.worldmodel_feedback import most_remarks, sources
from experiments.runs.records import Built, EpisodeRecord, Score, TaskOutcome
from experiments.runs.units import EvaluationTask, Modelling, Unit
from experiments.spending.capped import Meter
from experiments.spending.caps import Bound
from search.executors import Executor

#: Steps are written with the environment's own parameters.
_SAME_PLACES: Places = MappingProxyType({})


class Use(StrEnum):
    """Who plans."""

    ALONE = "plan-alone"  #: the language model
    ADVISED = "plan-advised"  #: the language model, told what the domain finds wrong with its plans
    SHOWN = "plan-shown"  #: the language model, which reads the domain in words
    SHOWN_ADVISED = "plan-shown-advised"  #: the same, with what the domain finds wrong with its plans
    BY_MODEL = "plan-by-model"  #: the classical planner, in the domain

    @property
    def makes_model(self) -> bool:
        """Whether there is a domain."""
        return self is not Use.ALONE

    @property
    def shows_model(self) -> bool:
        """Whether the language model reads the domain."""
        return self in (Use.SHOWN, Use.SHOWN_ADVISED)

    @property
    def advises(self) -> bool:
        """Whether plans of the language model are checked in the domain and sent back."""
        return self in (Use.ADVISED, Use.SHOWN_ADVISED)

    @property
    def translates(self) -> bool:
        """Whether instructions are written down with the domain's predicates."""
        return self.advises or self is Use.BY_MODEL


@dataclass(frozen=True, kw_only=True)
class WorldModelMethod(Method):
    """A domain if need be, and a plan for every instruction.

    `turns` are the plans for an instruction, at most, of the language model that is advised.
    """

    use: Use
    feedback_tasks: int = 2

    @classmethod
    def of(cls, use: str, takes: frozenset[SizeFlag] = frozenset()) -> WorldModelMethod:
        """The method with the use of that name. Raises ValueError for another name."""
        return cls(use=Use(use), takes=takes)

    def can_be_simulated(self) -> bool:
        """Never: it asks for actions one by one, and for words."""
        return False

    def check(self, unit: Unit) -> None:
        """Raises ConfigError if the description cannot be divided into its actions."""
        brief_of(unit.env)

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All dialogues, corrections and plans, as long as they may be."""
        use, fixed = self.use, not (unit.modelling or Modelling()).free_parameters
        plans = 0 if use is Use.BY_MODEL else unit.turns if use.advises else 1
        needed = Needed(use.makes_model, use.translates, plans, use.shows_model)
        return most_asked(unit, brief_of(unit.env, fixed=fixed), longest, needed)

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """The domain, then every instruction."""
        started, meter = time.monotonic(), Meter(kit.model)
        model, built, queries = None, None, 0
        if self.use.makes_model:
            model, built, queries = build(unit, meter, WalkElsewhere(kit.executor))

        def prepare(task: EvaluationTask, llm: LanguageModel) -> Prepared:
            return self._prepared(unit, task.number, llm, model)

        tasks = run_tasks(unit, kit, prepare, InstructionSolver(unit.env, kit.judge))
        record = episode_without_model(unit, tasks, started)
        return replace(
            record,
            spent=record.spent + meter.spent,
            world_queries=queries,
            domain=model.text() if model is not None else None,
            built=built,
        )

    def _prepared(self, unit: Unit, number: int, llm: LanguageModel, model: WorldModel | None) -> Prepared:
        asked, seed = asked_of(unit.env, number), derived_seed(unit.seed, "instruction", number)
        if model is None:
            return _planned(number, InstructedPlanner(llm, unit.turns).plan(asked.told, seed))
        stages = translate(llm, asked, model, seed) if self.use.translates else Stages(())
        places = {} if model.brief.is_fixed else places_of(model, asked.texts.actions)
        if self.use is Use.BY_MODEL:
            if stages.fault is not None:
                outcome = TaskOutcome.NO_PROBLEM if stages.answered else TaskOutcome.NO_ANSWER
                return Prepared(failed=Attempt(outcome, detail=stages.fault))
            return Prepared((number, Ready(None, model.text(), stages.problems, places)))
        advisor = Advisor(model, stages.problems) if stages.problems else None
        manner = FromModel(model) if self.use.shows_model else FromDescription()
        planner = InstructedPlanner(llm, unit.turns, manner)
        return _planned(number, planner.plan(asked.told, seed, advisor), places)


def build(unit: Unit, llm: LanguageModel, walk: Walk) -> tuple[WorldModel, Built, int]:
    """The corrected model of an environment, how it came about, and the world queries that took."""
    seed, modelling = unit.seed, unit.modelling or Modelling()
    constructor = Constructor(llm, settings=settings_of(modelling))
    own = brief_of(unit.env, fixed=not modelling.free_parameters)
    construction = constructor.construct(own, derived_seed(seed, "construction"))
    config, tasks = EWConfig(unit.walks, unit.t_max, estimator=unit.estimator), _tasks(unit, llm)
    walks = Walks(tuple(tasks[name] for name in unit.refined_on), seed, config, walk=walk)
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
    """The correction with the worth of its models to the walks, whoever made the remarks."""
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
        task: WorldTask(world, Translator(llm, WorldTexts.of(world), derived_seed(unit.seed, "task", number)))
        for number, (task, world) in enumerate(worlds.items())
    }


def _built(unit: Unit, construction: Construction, correction: Correction) -> Built:
    before, after = (_aligned(unit.env, m) for m in (construction.model, correction.model))
    faults = {kind.value: n for kind, n in construction.counts.items()}
    for kind, n in correction.counts.items():
        faults[kind.value] = faults.get(kind.value, 0) + n
    return Built(
        before=_counts(before),
        after=_counts(after),
        exact=all(found is not None and found.exact for found in (before, after)),
        ew_before=_ew(correction.worth_before),
        ew_after=_ew(correction.worth),
        remarks=len(correction.remarks),
        ending=correction.ending.value,
        note=correction.note,
        faults=faults,
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
    return {kind.value: n for kind, n in found.counts().items()} if found is not None else None


def _ew(worth: Worth) -> float | None:
    """The EW score in the worth that walks give a model; None if it could not be walked."""
    walked, score = worth
    return score if walked > 0 else None


def _planned(number: int, found: Planned, places: Places = _SAME_PLACES) -> Prepared:
    told = {kind.value: n for kind, n in found.told.items()}
    if found.plan is None:
        outcome = TaskOutcome.NO_PLAN if found.finish is Finish.STOP else TaskOutcome.NO_ANSWER
        return Prepared(failed=Attempt(outcome, detail=found.fault or "", told=told))
    return Prepared((number, Ready(found.plan, places=places, told=told)))


@dataclass(frozen=True)
class Walked:
    """What walks found, as an executor brings it."""

    found: Found

    @property
    def score(self) -> Score:
        """Only the queries matter here."""
        return Score(world_queries=self.found.queries)


@dataclass(frozen=True)
class WalkElsewhere:
    """An `agents.worldmodel.world_source.Walk` on an executor: counted and capped like other evaluations."""

    executor: Executor

    def __call__(self, walker: Walker, domain: str, problem: str) -> Found:
        """What the walks find. Raises WorkerError, ExecutorUnavailable, BudgetReached."""
        return self.executor.submit(_walked, walker, domain, problem).result().found


def _walked(walker: Walker, domain: str, problem: str) -> Walked:
    """In a worker."""
    return Walked(walker(domain, problem))
