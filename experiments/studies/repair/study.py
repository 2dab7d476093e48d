"""`python -m experiments.run study-repair`: which broken domains repair restores, and what that takes.

A unit is one broken domain, repaired in some tasks of its world (`seen`) and judged on others with other
objects (`unseen`). It is `harmless` if the broken model is of EW 1 in all of them before anything is done,
and its plans work there: nothing distinguishes it from the truth, so there was nothing to repair. All other
cases are `restored` if the repaired model is of EW 1 on walks that the repair has not made, in each unseen
task; its plans work there wherever those of the true rules do; and the repair ended in time. Of some that
are not, it is proved that no repair could have known better (`knowable`); shares are given with them and
without. With no fault at all, a unit shows what the method does to a right domain.

A repair whose verdict agrees must not leave a model in which the goal cannot be reached though it can in the
world. Every such task is counted.

Writes `repair.csv` (one row a case: faults, edits, EW before and after), `table.md`, `table.tex` (shares with
the targets, costs, worlds, and every case that was not restored) and the figure `repair` as PNG and SVG. The
records are in `events.jsonl`; all else is made from them. A case is made again, and looked at, by
`python -m experiments.run repair --env WORLD --break K --kind KIND --seed SEED`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from agents.repair.repair import repair
from agents.repair.repaired import Repaired
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import same_rules
from envs.pddl.mutation.faults import BreakKind, is_plain, is_unread
from envs.pddl.planning.planner import Planner
from envs.pddlgym_suite import missing
from envs.registry import worlds
from envs.world import open_world
from experiments.config import ConfigError, Count, Positive, parse_job, shared
from experiments.runs.records import world_label
from experiments.runs.seeds import stream
from experiments.runs.units import WorkUnit
from experiments.studies.candidates import model_of
from experiments.studies.repair.cases import (
    Case,
    Kind,
    PlanFate,
    break_world,
    fresh_ew,
    plan_fate,
    true_fate,
)
from experiments.studies.repair.knowable import differ_where_nothing_runs, nothing_left_to_see, twin
from experiments.studies.repair.report import Restoring, draw_repair, is_right, repair_csv, repair_tables
from experiments.studies.repair.tasks import PDDLGYM, TaskSplit, split_tasks, true_problem
from experiments.studies.study import Record, Study, StudyConfig

#: How many faults of each kind are made: the cells of the study. Nothing broken comes first.
COUNTS: Mapping[BreakKind, tuple[int, ...]] = MappingProxyType(
    {
        BreakKind.REMOVED: (0, 1, 3, 5, 10),
        BreakKind.ADDED: (1, 3, 5, 10),
        BreakKind.ARGUMENTS: (1, 3, 5, 10),
        BreakKind.PARAMETER: (1, 3),
        BreakKind.MIXED: (3, 5, 10),
        BreakKind.NESTED: (1, 3, 5),
        BreakKind.ACTION: (1, 3),
        BreakKind.PREDICATE: (1, 3),
        BreakKind.TYPE: (1, 3),
    }
)
#: The worlds of the small study: the ten of the paper, two old ones, and those with rules at any depth.
SMALL: tuple[str, ...] = (
    "barman", "blocksworld", "childsnack", "depot", "driverlog", "floortile", "grippers", "grippers_ood",
    "hiking", "miconic", "movie", "termes", "dimhollow", "household", "urnsong",
)  # fmt: skip


@dataclass(frozen=True)
class StudyRepairConfig(StudyConfig):
    """Break every domain in many ways: how much of it does repair restore?"""

    samples: Count = 1
    """Cases for each world, kind and number of faults; their seeds count up from --seed."""
    full: bool = False
    """20 cases each, and all bundled worlds instead of 15."""
    suite: tuple[Literal["bundled", "pddlgym"], ...] = ("bundled",)
    """Where worlds come from if --env names none: 15 bundled ones, or 30 domains of pddlgym."""
    kinds: tuple[Kind, ...] = ()
    """Kinds of faults; default: all."""
    counts: tuple[Count, ...] = ()
    """Numbers of faults, and nothing broken; default: all."""
    seen: Count | None = None
    """Tasks that a domain is repaired in, from --problem on; default: the feedback pool, three at most."""
    unseen: int = 3
    """Other tasks, with other objects, that the repaired domain is judged on."""
    walks: int = 1000
    """Fresh walks in each task that a domain is judged by, before and after."""
    queries: Count = 5000
    """World queries that one repair may make."""
    wall_s: Positive = 30.0
    """Seconds that one repair may take."""
    out: Path = Path("runs/study-repair")
    """Where everything is written."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds asked for. Raises ConfigError for an unknown name, or without pddlgym."""
        if self.env:
            return super().worlds
        if "pddlgym" in self.suite and (reason := missing()):
            raise ConfigError(reason)
        listed = {"bundled": worlds() if self.full else SMALL, "pddlgym": PDDLGYM}
        return tuple(env for suite in dict.fromkeys(self.suite) for env in listed[suite])

    def units(self) -> list[RepairUnit]:
        """All units, world by world; cells that a world's domain cannot have are left out."""
        samples, flags = 20 if self.full else self.samples, shared(self, RepairUnit)
        return [
            RepairUnit(**flags | {"env": env, "kind": kind, "count": count, "seed": self.seed + sample})
            for env in self.worlds
            for kind, count in self._cells()
            if not count or can_be_broken(env, self.problem, kind, count)
            for sample in range(samples if count else 1)
        ]

    def _cells(self) -> list[tuple[BreakKind, int]]:
        """Kinds and numbers of faults, of those asked for."""
        return [
            (kind, count)
            for kind, counts in COUNTS.items()
            for count in counts
            if not count or (kind in (self.kinds or COUNTS) and count in (self.counts or counts))
        ]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = parse_job(StudyRepairConfig, "study-repair", arguments)
    if config.walks < 2 or config.unseen < 0:
        raise ConfigError("--walks must be 2 or more and --unseen must not be negative")
    with Study.open(config) as study:
        found = Restoring(study.do(config.units(), work))
        files = {"repair.csv": repair_csv(found)}
        study.report(repair_tables(found), files, lambda folder: draw_repair(found, folder / "repair"))
    return 0


@dataclass(frozen=True)
class RepairUnit(WorkUnit):
    """One world broken by one seed."""

    env: str
    problem: int
    kind: BreakKind
    count: int  #: faults; 0 for none
    seen: int | None  #: tasks that it is repaired in; see `split_tasks`
    unseen: int  #: tasks that it is judged on
    walks: int
    queries: int
    wall_s: float
    seed: int
    planner: str | None
    planner_wall_s: float


#: What says of a plan that the model is wrong; a limit says nothing.
_SHOWN_WRONG = (PlanFate.FAILS, PlanFate.UNREACHABLE)


def can_be_broken(env: str, problem: int, kind: BreakKind, count: int = 1) -> bool:
    """Whether the world's domain can have so many faults of that kind."""
    try:
        return len(break_world(env, problem, kind, count, 0).broken.faults) == count
    except ValueError:
        return False


def work(unit: RepairUnit) -> Record:
    """The record of one unit; runs in a worker. Only seconds, and what a time limit cuts, are the machine's.

    Raises MachineFault if the planner was killed or crashed.
    """
    split = split_tasks(unit.env, unit.problem, unit.seen, unit.unseen)
    case = break_world(unit.env, split.seen[0], unit.kind, unit.count, unit.seed)
    judges = [TaskJudge(case, task, unit) for task in (*split.seen, *split.unseen)]
    before = judged_before(case, judges)
    limits = RepairConfig(queries=unit.queries, wall_s=unit.wall_s, planner=Planner(unit.planner))
    started = cpu_seconds()
    found = repaired(case, split.seen, unit.seed, limits)
    cpu_s = cpu_seconds() - started
    domain = read_domain(found.domain)
    texts = stated(case, found, domain, (*split.seen, *split.unseen))
    judged = [
        {"task": judge.task, **as_given, **judge.judged(domain, text)}
        for judge, as_given, text in zip(judges, before, texts, strict=True)
    ]
    models = [read_problem(text, domain) for text in found.problems]
    return {
        "env": unit.env,
        "kind": unit.kind.value,
        "count": unit.count,
        "seed": unit.seed,
        "faults": [str(fault) for fault in case.broken.faults],
        "out_of_reach": sum(not is_plain(case.original.domain, fault) for fault in case.broken.faults),
        "unread": sum(is_unread(case.original.domain, fault) for fault in case.broken.faults),
        "verdict": found.verdict.value,
        "agrees": found.verdict.agrees,
        "goal": found.goal.value,
        "edits": list(found.described),
        "unexplained": found.unexplained,
        "ew_before": judged[0]["ew_before"],
        "ew": judged[0]["ew"],
        "seen": judged[: len(split.seen)],
        "unseen": judged[len(split.seen) :],
        "exact": case.is_original(domain, models[0]),
        "unknowable": why_unknowable(
            case, split, judged[len(split.seen) :], models if found.verdict.agrees else (), limits.planner
        ),
        "world_queries": found.world_queries,
        "rounds": found.rounds,
        "wall_s": round(found.wall_s, 3),
        "cpu_s": round(cpu_s, 3),
    }


def judged_before(case: Case, judges: Sequence[TaskJudge]) -> list[Record]:
    """EW of the broken model in each task and, if all are 1, what becomes of its plans; else None."""
    given = [case.given_in(judge.task) for judge in judges]
    ews = [judge.ew(problem) for judge, problem in zip(judges, given, strict=True)]
    walks_differ = not case.broken.faults or any(ew != 1.0 for ew in ews)
    plans = [
        None if walks_differ else judge.fate(problem.domain, render_problem(problem)).value
        for judge, problem in zip(judges, given, strict=True)
    ]
    return [{"ew_before": ew, "plan_before": plan} for ew, plan in zip(ews, plans, strict=True)]


def repaired(case: Case, seen: Sequence[int | str], seed: int, config: RepairConfig) -> Repaired:
    """The repair of a case in the tasks that it sees, by the stream that study and command share."""
    rng = stream(seed, "repair", world_label(case.env), case.number)
    tasks = [RepairTask(open_world(case.env, task), case.given_in(task)) for task in seen]
    return repair(tasks, rng, config)


def stated(case: Case, found: Repaired, domain: Domain, tasks: Sequence[int | str]) -> list[str]:
    """The problems of tasks in the words of the repaired domain, those that were seen as repaired."""
    seen = found.problems
    others = tasks[len(seen) :]
    return [*seen, *(case.task_text(task, domain, found.structural) for task in others)]


def why_unknowable(
    case: Case,
    split: TaskSplit,
    judged: Sequence[Record],
    agreeing: Sequence[Problem],
    planner: Planner,
) -> str:
    """Why no repair could have known better; empty if it is right in the unseen tasks, or without a proof.

    `judged` are the records of the unseen tasks, `agreeing` the repaired models of those seen, if they agree.
    Raises PlannerMissing, MachineFault.
    """
    if not any(task["ew"] != 1.0 or task["plan"] in _SHOWN_WRONG for task in judged if not is_right(task)):
        return ""
    for task in split.unseen if any(task["ew"] != 1.0 for task in judged) else ():
        if twin(true_problem(case.env, task), case.given_of) is not None:
            return f"another task than {task} reads the same and allows other walks"
    shows_no_more = partial(_shows_no_more, case, planner)
    if agreeing and all(starmap(shows_no_more, zip(split.seen, agreeing, strict=True))):
        return "the model and the world are the same in all states of the tasks seen"
    return ""


def _shows_no_more(case: Case, planner: Planner, task: int | str, model: Problem) -> bool:
    """Whether a model begins as it was given, and is the same as the world in all states of a task."""
    if model.init != case.given_in(task).init:
        return False
    world, true = open_world(case.env, task), true_problem(case.env, task)
    there, here = (model_of(problem, world) for problem in (true, model))
    return nothing_left_to_see(there, here) or differ_where_nothing_runs(true, model, planner)


def cpu_seconds() -> float:
    """Seconds of CPU that this process and the children that it waited for have taken."""
    return sum(os.times()[:4])


class TaskJudge:
    """Judges models of one task of a case, each by further walks of the same stream."""

    def __init__(self, case: Case, task: int | str, unit: RepairUnit):
        self.task, self._case, self._walks = task, case, unit.walks
        self._planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
        self._world = open_world(case.env, task)
        self._rng = stream(unit.seed, "fresh", world_label(case.env), task)

    def ew(self, problem: Problem) -> float | None:
        """EW on fresh walks; None for a model that is too large, or in which nothing can be done at first."""
        return fresh_ew(self._world, model_of(problem, self._world), self._walks, self._rng)

    def judged(self, domain: Domain, text: str) -> Record:
        """EW of a repaired domain, and what becomes of its plan and of the one by the world's own rules."""
        env, task = self._case.env, self.task
        truth = true_fate(env, task, self._planner)
        try:
            problem = read_problem(text, domain)
        except PDDLError:
            return {"ew": None, "plan": PlanFate.UNREADABLE.value, "true_plan": truth.value}
        same = same_rules(domain, self._case.original.domain) and problem.init == true_problem(env, task).init
        # by the same rules, planning again would show nothing new
        plan = truth if same else self.fate(domain, text)
        return {"ew": self.ew(problem), "plan": plan.value, "true_plan": truth.value}

    def fate(self, domain: Domain, text: str) -> PlanFate:
        """What becomes of the plan of a model, whose problem is given as text. Raises MachineFault."""
        return plan_fate(self._case.env, self.task, domain, text, self._planner)
