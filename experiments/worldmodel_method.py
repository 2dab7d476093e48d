"""Methods `plan-alone`, `plan-advised`, `plan-by-model`: instructions carried out, with and without a model.

The latter two first have a domain written action by action and corrected by the environment, on the tasks for
feedback, or by a person before it or alone. Then an instruction is planned for: by the language model alone;
by the language model, whose plans are checked in the domain and sent back; or by the classical planner in the
domain, the language model only translating. Requests that methods share are the same, so a journal or a
recording answers them once.

Source: Guan et al. 2023, sections 4 and 5; that the environment corrects is ours.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.llm.interface import Finish, LanguageModel
from agents.sampling import derived_seed
from agents.texts import WorldTexts
from agents.worldmodel.advice import Advisor
from agents.worldmodel.brief import Brief
from agents.worldmodel.construct import Construction, Constructor
from agents.worldmodel.correct import Correction, Corrector
from agents.worldmodel.goals import Stages, translate
from agents.worldmodel.model import WorldModel
from agents.worldmodel.planning import InstructedPlanner, Planned
from agents.worldmodel.problems import Translator
from agents.worldmodel.remarks import RemarkSource, Worth
from agents.worldmodel.saying import Sayer
from agents.worldmodel.world_source import Walk, Walks, WorldTask
from envs.pddl.alignment import Alignment, align
from envs.pddl.alignment_program import TooManyLiterals
from envs.pddl.language import read_domain
from envs.source import has_files, read_texts
from envs.wording.paragraphs import read_paragraphs
from envs.world import open_world
from ew.config import EstimatorName, EWConfig, FeedbackForm
from experiments.bounds import Bound
from experiments.config import ConfigError, SizeFlag
from experiments.episode import Kit
from experiments.instructed import InstructionSolver, Ready, asked_of
from experiments.meter import Meter
from experiments.records import Built, EpisodeRecord, TaskOutcome
from experiments.solve import Attempt
from experiments.tasks import Prepared, episode_without_model, run_tasks
from experiments.units import EvaluationTask, Unit
from experiments.worldmodel_bound import most_asked
from experiments.worldmodel_person import most_remarks, sources, tasks_heard
from experiments.worldmodel_walks import WalkElsewhere


class Use(StrEnum):
    """Who plans."""

    ALONE = "plan-alone"  #: the language model
    ADVISED = "plan-advised"  #: the language model, told what the domain finds wrong with its plans
    BY_MODEL = "plan-by-model"  #: the classical planner, in the domain


@dataclass(frozen=True)
class WorldModelMethod:
    """A domain if need be, and a plan for every instruction."""

    use: Use
    np: int = 1
    nd: int = 1
    turns: int = 4  #: plans for an instruction at most, of the language model that is advised
    takes: frozenset[SizeFlag] = frozenset()
    estimator: EstimatorName = "paper"
    feedback: FeedbackForm = "shortest"
    feedback_tasks: int = 2

    def candidates(self, unit: Unit) -> int:
        """None: models are not evaluated one against another."""
        return 0

    def repair_queries(self, unit: Unit) -> int:
        """None."""
        return 0

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All dialogues, corrections and plans, as long as they may be."""
        makes_model, plans = self.use is not Use.ALONE, self.use is not Use.BY_MODEL
        turns = unit.turns if self.use is Use.ADVISED else 1
        return most_asked(unit, brief_of(unit.env), longest, makes_model, turns if plans else 0)

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """The domain, then every instruction."""
        started, meter = time.monotonic(), Meter(kit.model)
        model, built, queries = None, None, 0
        if self.use is not Use.ALONE:
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
        stages = translate(llm, asked, model, seed) if model is not None else Stages(())
        if self.use is Use.BY_MODEL and model is not None:
            if stages.fault is not None:
                outcome = TaskOutcome.NO_PROBLEM if stages.answered else TaskOutcome.NO_ANSWER
                return Prepared(failed=Attempt(outcome, detail=stages.fault))
            return Prepared((number, Ready(domain=model.text(), stages=stages.problems)))
        advisor = Advisor(model, stages.problems) if model is not None and stages.problems else None
        return _planned(number, InstructedPlanner(llm, unit.turns).plan(asked.told, seed, advisor))


def build(unit: Unit, llm: LanguageModel, walk: Walk) -> tuple[WorldModel, Built, int]:
    """The corrected model of an environment, how it came about, and the world queries that took."""
    seed = unit.seed
    construction = Constructor(llm).construct(brief_of(unit.env), derived_seed(seed, "construction"))
    config, tasks = EWConfig(unit.walks, unit.t_max, estimator=unit.estimator), _tasks(unit, llm)
    walks = Walks(tuple(tasks[name] for name in unit.refined_on), seed, config, walk=walk)
    brief, person = construction.model.brief, unit.person
    source: RemarkSource = walks
    if person is not None:
        source = sources(person, brief, tasks, walks)
    corrector = Corrector(llm, most_remarks(person, brief))
    correction = corrector.correct(construction, source, derived_seed(seed, "correction"))
    if person is not None:
        correction = _measured(construction, correction, walks)
    return correction.model, _built(unit, construction, correction), correction.world_queries


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


def brief_of(env: str) -> Brief:
    """What is told of an environment, action by action. Raises ConfigError if its text cannot be divided."""
    world = open_world(env)
    try:
        parts = read_paragraphs(world.description, [action.name for action in world.actions])
        return Brief.of(WorldTexts.of(world), parts.general, parts.actions)
    except ValueError as fault:
        raise ConfigError(f"{env!r} cannot be modelled action by action: {fault}") from fault


def _tasks(unit: Unit, llm: LanguageModel) -> dict[int | str, WorldTask]:
    """The tasks that the model is corrected or measured on, by name."""
    worlds = {task: open_world(unit.env, task) for task in tasks_heard(unit)}
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
    )


def _aligned(env: str, model: WorldModel) -> Alignment | None:
    """The best alignment with the true domain; None if there is no PDDL of it, or too large a model."""
    if not has_files(env):
        return None
    true = read_domain(read_texts(env, 1).domain)
    try:
        return align(true, read_domain(model.text()), in_order=True)
    except TooManyLiterals:
        return None


def _counts(found: Alignment | None) -> dict[str, int] | None:
    return {kind.value: n for kind, n in found.counts().items()} if found is not None else None


def _ew(worth: Worth) -> float | None:
    """The EW score in the worth that walks give a model; None if it could not be walked."""
    walked, score = worth
    return score if walked > 0 else None


def _planned(number: int, found: Planned) -> Prepared:
    told = {kind.value: n for kind, n in found.told.items()}
    if found.plan is None:
        outcome = TaskOutcome.NO_PLAN if found.finish is Finish.STOP else TaskOutcome.NO_ANSWER
        return Prepared(failed=Attempt(outcome, detail=found.fault or "", told=told))
    return Prepared((number, Ready(found.plan, told=told)))
