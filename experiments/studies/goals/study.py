"""`python -m experiments.run goals`: what is an agent in Mini-Minecraft after?

Writes `goals.csv` (one row a method and task), `table.md`, `table.tex` (Pass@3 by kind and method) and the
figure `goals` as PNG and SVG. Tasks, guesses and calls are kept as they come, so the same command resumes
where it stopped. Without a language model, methods that ask one are left out and listed:

    goals                                         ten tasks of each kind, recorded or without a model
    goals --published                             as many tasks as the paper has
    goals --model NAME --base-url URL             a live server
    goals --methods ranking-true ranking-learned  no language model

Source of the comparison: Siegel et al. 2024, section 6 and Figure 5; see `experiments.studies.goals.tasks`.

A method is how guesses are made and which operators they rest on. Learned operators are those that the
learner with known arguments finds in demonstrations of other tasks. Guesses of methods that ask no language
model are made in a worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from agents.goals.asking import GUESSES, OURS, Presentation, View, predict
from agents.goals.ranking import infer
from agents.goals.task import Goal, Observed
from agents.llm.interface import LanguageModel
from agents.operators.learner import learn_operators
from agents.operators.lifted import Operator
from agents.operators.reading import operators_of
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import GroundingExploded
from envs.tasks import sample
from experiments.config import EXIT_UNANSWERED, ConfigError, Count, Positive, is_live, parse_job, shared
from experiments.runs.records import content_key
from experiments.runs.seeds import derived_seed, stream
from experiments.runs.units import WorkUnit
from experiments.studies.goals import recognise, recognition
from experiments.studies.goals.report import Guessing, draw_goals, goals_csv, goals_tables
from experiments.studies.goals.tasks import (
    KINDS,
    PUBLISHED,
    WALL_S,
    GoalTask,
    goal_task,
    size_of,
    space_of,
    task_of,
)
from experiments.studies.operators.demonstrations import Kind, drawn, minecraft, traces_of
from experiments.studies.study import (
    AskingConfig,
    Record,
    Study,
    answering_methods,
    left_out,
    scored,
    unanswered_tables,
)

Method = Literal[
    "llm-actions", "llm-operators", "parsing-learned", "parsing-true", "ranking-learned", "ranking-true"
]
METHODS: tuple[Method, ...] = get_args(Method)
#: What a language model is told, by method; the others ask none.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "llm-actions": View.ACTIONS,
        "llm-operators": View.OPERATORS,
        "parsing-learned": View.PARSED,
        "parsing-true": View.PARSED,
    }
)
#: Goals of others that a language model is shown.
_EXAMPLES = 3


@dataclass(frozen=True)
class TaskUnit(WorkUnit):
    """One task to be planned for."""

    kind: Kind
    number: int
    seed: int
    planner: str | None
    planner_wall_s: float
    together: bool = False  #: whether its subgoals are planned for at once

    @property
    def key(self) -> str:
        """Content hash; where the planner lies does not count."""
        return content_key({**self.as_data(), "planner": None})


@dataclass(frozen=True)
class GuessUnit(WorkUnit):
    """One method and task."""

    method: Method
    task: GoalTask
    learned_from: int  #: demonstrations
    seed: int
    presentation: Presentation = OURS

    @property
    def whole(self) -> bool:
        """Whether the plan is seen to its end."""
        return self.task.kind == "four"

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators that the method rests on."""
        if self.method.endswith("true"):
            return tuple(operators_of(minecraft()))
        return learned(self.learned_from, self.seed)

    @property
    def observed(self) -> Observed:
        """What the observer knows."""
        facts, domain = self.task.facts, minecraft()
        objects = {**domain.constants, **facts.objects}
        return Observed(domain.vocabulary, self.operators, objects, frozenset(facts.init), self.task.seen)

    @property
    def examples(self) -> tuple[Goal, ...]:
        """Goals of others, drawn from the same space."""
        rng = stream(self.seed, "goal-examples", self.task.kind)
        items = space_of(self.task.kind).candidates
        return tuple(frozenset(sample(rng, items, size_of(self.task.kind))) for _ in range(_EXAMPLES))


def make(unit: TaskUnit) -> Record:
    """The record of a task; runs in a worker. Raises PlannerMissing."""
    planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
    task = goal_task(unit.kind, unit.number, unit.seed, planner, unit.together)
    return {"task": None if task is None else asdict(task)}


def guess(unit: GuessUnit) -> Record:
    """The record of a guess without a language model; runs in a worker."""
    space = space_of(unit.task.kind)
    try:
        goals = infer(unit.observed, space, whole=unit.whole)[:GUESSES]
    except GroundingExploded as error:
        return judged(unit, (), str(error))
    return judged(unit, goals)


def judged(unit: GuessUnit, goals: Sequence[Goal], fault: str | None = None, tokens: int = 0) -> Record:
    """The record of some guesses, best first."""
    wanted = frozenset(unit.task.wanted)
    return {
        "method": unit.method,
        "kind": unit.task.kind,
        "number": unit.task.number,
        "steps": len(unit.task.seen),
        "wanted": sorted(wanted),
        "guesses": [sorted(goal) for goal in goals],
        "rank": goals.index(wanted) + 1 if wanted in goals else None,
        "fault": fault,
        "tokens": tokens,
    }


@lru_cache(maxsize=2)
def learned(count: int, seed: int) -> tuple[Operator, ...]:
    """What so many demonstrations of other tasks teach."""
    return learn_operators(traces_of(drawn(seed, 0)[:count]))


#: What turns the job to ten domains, and what to files of the user's own.
STUDY, OWN_FILES = "--study", ("--domain", "--goals", "--plan", "--archive")
#: The packaged recording of this study.
RECORDING = "goals"
#: Tasks of each kind that it answers.
RECORDED_TASKS = 10


@dataclass(frozen=True)
class GoalsConfig(AskingConfig):
    """Infer goals from plans, seen whole or in part. --env is minecraft alone.

    With --domain, --problem, --goals and --plan, or with --archive: the goal of a plan of yours, in any
    domain. With --study: ten domains, beside cost difference and landmarks. --help beside shows the flags.
    """

    env: tuple[str, ...] = ("minecraft",)
    """Where the agent acts."""
    methods: tuple[Method, ...] = ()
    """How goals are guessed; default: all that somebody answers."""
    four: int = RECORDED_TASKS
    """Tasks of four subgoals, whose plans are seen whole."""
    single: int = RECORDED_TASKS
    """Tasks of one item, the last three steps of whose plans are not seen."""
    published: bool = False
    """Make as many tasks of each kind as the paper has, 92 and 97: three minutes on two cores."""
    learned_from: Count = 100
    """Demonstrations of other tasks that operators are learned from."""
    planner_wall_s: Positive = WALL_S
    """Seconds that one call of the planner may take when tasks are made; those of seed 0 come made."""

    told: Literal["loose", "hanging"] = "loose"
    """Effects of a parsed plan in a request: unsupported ones (loose, ours), or, as published, those of
    hanging steps."""
    extension: Literal["bounded", "unbounded"] = "bounded"
    """Extensions of a round: the likeliest ones (ours), or, as published, all."""
    together: bool = False
    """Plan for the subgoals of four at once, as published; such tasks are planned for anew."""
    llm_tasks: Count | None = None
    """Tasks of each kind that a language model is asked about; default: all if live, else the first 10."""
    out: Path = Path("runs/goals")
    """Where everything is written."""

    def guesses(self, method: Method, tasks: Iterable[GoalTask]) -> list[GuessUnit]:
        """All units of a method."""
        flags: dict[str, Any] = shared(self, GuessUnit) | {"method": method}
        if method in VIEWS:
            flags["presentation"] = Presentation(self.told == "hanging", self.extension == "unbounded")
            tasks = [task for task in tasks if task.number <= self.asked()]
        return [GuessUnit(**flags, task=task) for task in tasks]

    def asked(self) -> int:
        """Tasks of each kind that a language model is asked about."""
        return self.llm_tasks or (max(self.four, self.single) if is_live(self) else RECORDED_TASKS)

    def science(self) -> dict[str, Any]:
        """What results depend on."""
        return super().science() | {"llm_tasks": self.asked()}


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, LLMError and more."""
    if STUDY in arguments:
        return recognition.main([argument for argument in arguments if argument != STUDY])
    if any(argument.partition("=")[0] in OWN_FILES for argument in arguments):
        return recognise.main(arguments)
    config = parse_job(GoalsConfig, "goals", arguments)
    if config.published:
        config = replace(config, four=PUBLISHED["four"], single=PUBLISHED["single"])
    _check(config)
    who, methods = answering_methods(config, RECORDING, METHODS, config.methods, VIEWS)
    with Study.open(config, who, methods=list(methods)) as study:
        tasks = _tasks(config, study)
        units = {method: config.guesses(method, tasks) for method in methods}
        guesses = study.of_methods(units, VIEWS, guess, ask, config.concurrency)
        found, silent = Guessing(scored(guesses)), unanswered_tables(guesses)
        study.report(
            (*goals_tables(found), *silent),
            {"goals.csv": goals_csv(found)},
            (lambda folder: draw_goals(found, folder / "goals")) if found.records else None,
            lines=left_out(METHODS, config.methods, units, guesses, "tasks"),
        )
    return EXIT_UNANSWERED if silent else 0


def _tasks(config: GoalsConfig, study: Study) -> list[GoalTask]:
    """The tasks, planned for where they do not come with a plan. Raises ConfigError if none is solved."""
    units = [
        TaskUnit(**shared(config, TaskUnit), kind=kind, number=number)
        for kind, count in zip(KINDS, (config.four, config.single), strict=True)
        for number in range(1, count + 1)
    ]
    tasks = [task_of(record["task"]) for record in study.do(units, make) if record["task"] is not None]
    if not tasks:
        raise ConfigError("no task was solved in the planner's time; raise --planner-wall-s")
    return tasks


def ask(unit: GuessUnit, model: LanguageModel) -> Record:
    """The record of one unit. Raises what the model raises.

    The seed does not depend on the method: methods that ask the same are answered the same.
    """
    guesses = predict(
        model,
        unit.observed,
        space_of(unit.task.kind),
        VIEWS[unit.method],
        whole=unit.whole,
        examples=unit.examples,
        seed=derived_seed(unit.seed, "goals", unit.task.kind, unit.task.number),
        presentation=unit.presentation,
    )
    tokens = guesses.usage.prompt_tokens + guesses.usage.completion_tokens
    return judged(unit, guesses.goals, guesses.fault, tokens)


def _check(config: GoalsConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    if config.env != ("minecraft",):
        raise ConfigError("--env: the goals study has tasks of minecraft alone")
    if min(config.four, config.single, config.seed) < 0 or config.four + config.single < 1:
        raise ConfigError("--four, --single and --seed must not be negative, and there must be some task")
    there = len(drawn(config.seed, 0))
    if config.learned_from > there:
        raise ConfigError(f"--learned-from: there are {there} demonstrations, not {config.learned_from}")
