"""`python -m experiments.run goals --study`: goal recognition without a planner beside its baselines, ten
domains.

    goals --study                         a task of each domain; cost difference where 30 % is seen
    goals --study --published             30 tasks of each, and cost difference in all of them: hours
    goals --study --env DIR --tasks 10    any world of PDDL

Of each task's plan 10, 30, 50, 70 and 100 % are seen, and 50 % with noise beside. All methods are given the
same observations of the same tasks. Where several candidates are likeliest, each counts by its share.
Seconds are of the whole: PDDL read, ground and ranked. Domains learned from walks in other tasks of the
world stand beside the true ones; the agent acts by the true ones always.

Writes `recognition.csv` (a row for each method and observation) and `table.md`. The same command again does
only what is missing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from agents.goals.candidates import Candidate, Ranking, read_candidates
from agents.goals.cost_difference import NEAR_OPTIMAL, rank_by_cost
from agents.goals.recogniser import Recogniser
from agents.operators.exploration import Exploration, Explorer
from agents.operators.learner import Bias
from agents.operators.lifted import domain_of, without_rules
from agents.operators.turns import learn_in_turns
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, limits_of
from envs.world import open_world
from experiments.config import ConfigError, Count, Positive, parse_job, shared
from experiments.runs.seeds import stream
from experiments.runs.units import WorkUnit
from experiments.studies.goals.any_domain import RecognitionTask, recognition_task, taught_by
from experiments.studies.goals.recognition_report import recognition_csv, recognition_tables
from experiments.studies.study import Record, Study, StudyConfig

Method = Literal["relaxed", "landmarks", "cost-difference"]
METHODS: tuple[Method, ...] = get_args(Method)
#: Ten domains, in none of which the weights of `agents.goals.recogniser` were fitted.
DOMAINS = (
    "blocksworld", "depot", "driverlog", "grippers", "logistics", "miconic", "storage",
    "pddlgym:manyferry", "pddlgym:manylogistics", "pddlgym:rearrangement",
)  # fmt: skip
#: Tasks of each domain, and the percentages seen. Source: Pereira, Oren and Meneguzzi 2020, section 6.
PUBLISHED_TASKS, SEEN = 30, (10, 30, 50, 70, 100)


@dataclass(frozen=True)
class _Planned(WorkUnit):
    """A unit that asks a planner."""

    planner: str | None
    planner_wall_s: float

    @property
    def key(self) -> str:
        """Content hash; where the planner lies does not count."""
        return super().key if self.planner is None else replace(self, planner=None).key

    @property
    def near_optimal(self) -> Planner:
        """The planner, searching for short plans."""
        return Planner(self.planner, wall_s=self.planner_wall_s, search=NEAR_OPTIMAL)


@dataclass(frozen=True)
class DrawUnit(_Planned):
    """One task to be drawn and planned for."""

    env: str
    number: int
    seed: int
    goals: int


@dataclass(frozen=True)
class LearnUnit(WorkUnit):
    """The domain that walks in a world teach."""

    env: str
    seed: int
    walks: int


@dataclass(frozen=True)
class SeenUnit(_Planned):
    """One method and observation."""

    method: Method
    task: RecognitionTask
    learned: str  #: the PDDL of a learned domain; empty for the true one
    seen: int  #: per cent of the plan
    noise: float  #: operators that the agent did not execute, for each that is seen


@dataclass(frozen=True)
class RecognitionConfig(StudyConfig):
    """Recognise goals in ten domains (`goals --study`). No language model is asked."""

    env: tuple[str, ...] = DOMAINS
    """Worlds of PDDL: bundled ones, folders or pddlgym:DOMAIN."""
    tasks: Count = 1
    """Tasks of each domain; those that no plan is found for are passed over."""
    goals: Count = 6
    """Candidates of each task."""
    seen: tuple[int, ...] = SEEN
    """Per cent of the plan that are seen."""
    noisy: tuple[int, ...] = (50,)
    """Per cent that are seen with noise beside."""
    noise: Positive = 0.2
    """Operators that the agent did not execute, for each that is seen."""
    cost_tasks: int = 1
    """Of these tasks, so many of each domain are given to cost difference too, which takes seconds each."""
    cost_seen: tuple[int, ...] = (30,)
    """Of --seen and --noisy, those that cost difference is given."""
    learn_walks: int = 40
    """Walks that a domain is learned from; 0: true domains alone."""
    published: bool = False
    """30 tasks of each domain, and cost difference in all of them: some hours on two cores."""
    planner_wall_s: Positive = 10.0
    """Seconds that one call of the planner may take; a plan that takes longer is no answer."""
    out: Path = Path("runs/goals-study")
    """Where everything is written."""

    def cells(self) -> Iterator[tuple[int, float]]:
        """What is seen, and the noise beside."""
        yield from ((seen, 0.0) for seen in self.seen)
        yield from ((seen, self.noise) for seen in self.noisy)

    def units(self, tasks: Sequence[RecognitionTask], learned: Mapping[str, str]) -> Iterator[SeenUnit]:
        """All units; those of cost difference last, since they take long."""
        flags = shared(self, _Planned)
        for method in METHODS:
            costly = method == "cost-difference"
            for task in self._costly(tasks) if costly else tasks:
                rules = {"": None} if costly else dict.fromkeys(("", learned.get(task.env, "")))
                for seen, noise in self.cells():
                    if costly and seen not in self.cost_seen:
                        continue
                    for text in rules:
                        own = flags | {"task": task, "learned": text, "seen": seen, "noise": noise}
                        yield SeenUnit(**own, method=method)

    def _costly(self, tasks: Sequence[RecognitionTask]) -> list[RecognitionTask]:
        """The tasks that cost difference is given, one of each domain after the other."""
        places: Counter[str] = Counter()
        taken = []
        for task in tasks:
            places[task.env] += 1
            taken.append((places[task.env], task))
        return [task for place, task in sorted(taken, key=lambda entry: entry[0]) if place <= self.cost_tasks]

    def science(self) -> dict[str, Any]:
        """What results depend on; the units say how many."""
        sizes = {
            "tasks",
            "cost_tasks",
            "cost_seen",
            "published",
            "seen",
            "noisy",
            "learn_walks",
            "problem",
            "env",
        }
        return {key: value for key, value in super().science().items() if key not in sizes}


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, PlannerMissing."""
    config = parse_job(RecognitionConfig, "goals --study", arguments)
    if config.published:
        config = replace(
            config, tasks=PUBLISHED_TASKS, cost_tasks=PUBLISHED_TASKS, cost_seen=(*config.seen, *config.noisy)
        )
    _check(config)
    with Study.open(config) as study:
        draws = [
            DrawUnit(**shared(config, DrawUnit) | {"env": env}, number=number)
            for env in config.worlds
            for number in range(1, config.tasks + 1)
        ]
        tasks = [task_of(record["task"]) for record in study.do(draws, draw) if record["task"] is not None]
        if not tasks:
            raise ConfigError("no task was found; raise --tasks or --planner-wall-s, or lower --goals")
        teachers = [LearnUnit(env, config.seed, config.learn_walks) for env in config.worlds]
        taught = study.do(teachers, learn) if config.learn_walks else []
        learned = {unit.env: record["domain"] for unit, record in zip(teachers, taught, strict=False)}
        records = study.do(list(config.units(tasks, learned)), recognise)
        passed_over = f"tasks: {len(tasks)} of {len(draws)} draws"
        study.report(
            recognition_tables(records), {"recognition.csv": recognition_csv(records)}, lines=[passed_over]
        )
    return 0


def _check(config: RecognitionConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    if any(not 0 < seen <= 100 for seen in (*config.seen, *config.noisy)):
        raise ConfigError("--seen and --noisy are per cent, above 0 and at most 100")
    if config.goals < 2 or min(config.cost_tasks, config.learn_walks) < 0:
        raise ConfigError("--goals must be 2 or more, --cost-tasks and --learn-walks not negative")


def task_of(data: Record) -> RecognitionTask:
    """A task out of a record."""
    return RecognitionTask(**{**data, "goals": tuple(data["goals"]), "plan": tuple(data["plan"])})


def draw(unit: DrawUnit) -> Record:
    """The record of a task; runs in a worker. Raises PlannerMissing."""
    task = recognition_task(unit.env, unit.number, unit.seed, unit.goals, unit.near_optimal)
    return {"task": None if task is None else asdict(task)}


def learn(unit: LearnUnit) -> Record:
    """The record of a learned domain; runs in a worker."""
    rng = stream(unit.seed, "recognition-learned", unit.env)
    settings = Exploration(unit.walks)
    explorers = [Explorer(open_world(unit.env, name), rng, settings) for name in taught_by(unit.env)]
    operators = learn_in_turns(explorers, Bias.LEAN)
    words = explorers[0].vocabulary
    return {"domain": domain_of(words, [*operators, *without_rules(words, operators)])}


def recognise(unit: SeenUnit) -> Record:
    """The record of one method and observation; runs in a worker. Raises PlannerMissing."""
    truth = compile_task(read_problem(unit.task.problem, read_domain(unit.task.domain)))
    observed = unit.task.seen(unit.seen / 100, unit.noise, truth.operators)
    began = time.perf_counter()
    try:
        problem = read_problem(unit.task.problem, read_domain(unit.learned or unit.task.domain))
        candidates = read_candidates("\n".join(unit.task.goals), problem)
        found = RANKERS[unit.method](problem, candidates, observed, unit.near_optimal)
        fault = None
    except (PDDLError, GroundingExploded) as error:  # of a learned domain
        found, fault = Ranking((None,) * len(unit.task.goals)), str(error)
    seconds = time.perf_counter() - began
    return {
        "method": unit.method,
        "rules": "learned" if unit.learned else "true",
        "env": unit.task.env,
        "number": unit.task.number,
        "seen": unit.seen,
        "noise": unit.noise,
        "observed": len(observed),
        "top": 1 / len(found.best) if unit.task.wanted in found.best else 0.0,
        "spread": len(found.best),
        "probability": found.probabilities[unit.task.wanted],
        "no_answer": sum(p is None for p in found.probabilities),
        "seconds": seconds,
        "fault": fault,
    }


def _relaxed(
    problem: Problem, candidates: tuple[Candidate, ...], observed: Sequence[str], _planner: Planner
) -> Ranking:
    return Recogniser(compile_task(problem, limits_of(problem)), candidates).rank(observed)


def _landmarks(
    problem: Problem, candidates: tuple[Candidate, ...], observed: Sequence[str], _planner: Planner
) -> Ranking:
    return Recogniser(compile_task(problem, limits_of(problem)), candidates).rank_by_landmarks(observed)


#: What ranks the candidates of a problem by observations. Raises GroundingExploded, PlannerMissing.
RANKERS: Mapping[Method, Callable[[Problem, tuple[Candidate, ...], Sequence[str], Planner], Ranking]] = (
    MappingProxyType({"relaxed": _relaxed, "landmarks": _landmarks, "cost-difference": rank_by_cost})
)
