"""`python -m experiments.run study-repair`: which broken domains repair restores, and what that takes.

A unit is one broken domain, repaired, judged on fresh walks and tried on tasks. It is `harmless` if the
broken model is of EW 1 before anything is done: walks cannot tell it from the truth, so there was nothing to
repair. All other cases are `restored` if the repaired model is of EW 1 on walks that the repair has not seen.
With no fault at all, a unit shows what the method does to a right domain, and its tasks what the planner
solves in its time by the world's own rules.

Writes `repair.csv` (one row a case: faults, edits, EW before and after), `table.md`, `table.tex` (shares with
the targets, costs, worlds, and every case that stayed below EW 1) and the figure `repair` as PNG and SVG. The
records are in `events.jsonl`; all else is made from them. A case is made again, and looked at, by
`python -m experiments.run repair --env WORLD --break K --kind KIND --seed SEED`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.repair.repair import Repaired, repair
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind, is_plain, is_unread
from envs.pddl.planning.planner import Planner
from envs.source import WorldNotFound
from envs.world import open_world
from experiments.config import ConfigError, Count, Positive, parse_job, shared
from experiments.runs.seeds import stream
from experiments.runs.units import WorkUnit
from experiments.studies.candidates import model_of
from experiments.studies.repair.cases import Case, Kind, break_world, fresh_ew, solves, truth_solves
from experiments.studies.repair.report import Restoring, draw_repair, repair_csv, repair_tables
from experiments.studies.study import Record, Study, StudyConfig

#: Kinds of faults and how many of them: the cells of the study. Nothing broken comes first.
CELLS: tuple[tuple[BreakKind, int], ...] = (
    (BreakKind.REMOVED, 0),
    (BreakKind.REMOVED, 1),
    (BreakKind.REMOVED, 3),
    (BreakKind.REMOVED, 5),
    (BreakKind.REMOVED, 10),
    (BreakKind.ADDED, 1),
    (BreakKind.ADDED, 3),
    (BreakKind.ARGUMENTS, 1),
    (BreakKind.ARGUMENTS, 3),
    (BreakKind.PARAMETER, 1),
    (BreakKind.MIXED, 3),
)
#: The worlds of the small study: the ten of the paper, and two old ones.
SMALL: tuple[str, ...] = (
    "barman", "blocksworld", "childsnack", "depot", "driverlog", "floortile", "grippers", "grippers_ood",
    "hiking", "miconic", "movie", "termes",
)  # fmt: skip


@dataclass(frozen=True)
class StudyRepairConfig(StudyConfig):
    """Break every domain in many ways: how much of it does repair restore?"""

    samples: Count = 1
    """Cases for each world, kind and number of faults; their seeds count up from --seed."""
    full: bool = False
    """20 cases each, in all bundled worlds; without it, 12 of them are studied if --env names none."""
    kinds: tuple[Kind, ...] = ()
    """Kinds of faults; default: all."""
    tasks: int = 3
    """Tasks that each repaired domain is tried on: those after --problem."""
    walks: int = 1000
    """Fresh walks that a domain is judged by, before and after."""
    queries: Count = 5000
    """World queries that one repair may make."""
    wall_s: Positive = 30.0
    """Seconds that one repair may take."""
    out: Path = Path("runs/study-repair")
    """Where everything is written."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds asked for. Raises ConfigError for an unknown name."""
        return super().worlds if self.env or self.full else SMALL

    def units(self) -> list[RepairUnit]:
        """All units, world by world; cells that a world's domain cannot have are left out."""
        samples, flags = 20 if self.full else self.samples, shared(self, RepairUnit)
        cells = [cell for cell in CELLS if not self.kinds or not cell[1] or cell[0].value in self.kinds]
        return [
            RepairUnit(**flags | {"env": env, "kind": kind, "count": count, "seed": self.seed + sample})
            for env in self.worlds
            for kind, count in cells
            if not count or can_be_broken(env, self.problem, kind)
            for sample in range(samples if count else 1)
        ]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = parse_job(StudyRepairConfig, "study-repair", arguments)
    if config.walks < 2 or config.tasks < 0:
        raise ConfigError("--walks must be 2 or more and --tasks must not be negative")
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
    tasks: int  #: that the repaired domain is tried on, those after `problem`
    walks: int
    queries: int
    wall_s: float
    seed: int
    planner: str | None
    planner_wall_s: float


def can_be_broken(env: str, problem: int, kind: BreakKind) -> bool:
    """Whether the world's domain can have a fault of that kind."""
    try:
        break_world(env, problem, kind, 1, 0)
    except ValueError:
        return False
    return True


def work(unit: RepairUnit) -> Record:
    """The record of one unit; runs in a worker. Only `wall_s`, and what a time limit cuts, is the machine's.

    Raises MachineFault if the planner was killed or crashed.
    """
    case = break_world(unit.env, unit.problem, unit.kind, unit.count, unit.seed)
    world = open_world(unit.env, unit.problem)
    walked = stream(unit.seed, "fresh", unit.env, unit.problem)
    before = fresh_ew(world, model_of(case.given, world), unit.walks, walked)
    limits = RepairConfig(queries=unit.queries, wall_s=unit.wall_s, planner=Planner(unit.planner))
    found = repaired(case, unit.seed, limits)
    domain = read_domain(found.domain)
    problem = read_problem(found.problems[0], domain)
    return {
        "env": unit.env,
        "kind": unit.kind.value,
        "count": unit.count,
        "seed": unit.seed,
        "faults": [str(fault) for fault in case.broken.faults],
        "out_of_reach": sum(not is_plain(case.original.domain, fault) for fault in case.broken.faults),
        "unread": sum(is_unread(case.original.domain, fault) for fault in case.broken.faults),
        "verdict": found.verdict.value,
        "goal": found.goal.value,
        "edits": list(found.described),
        "unexplained": found.unexplained,
        "ew_before": before,
        "ew": fresh_ew(world, model_of(problem, world), unit.walks, walked),
        "exact": case.is_original(domain, problem),
        "solved": _solved(unit, case, found),
        "world_queries": found.world_queries,
        "rounds": found.rounds,
        "wall_s": round(found.wall_s, 3),
    }


def repaired(case: Case, seed: int, config: RepairConfig) -> Repaired:
    """The repair of a case, by the stream that study and command share."""
    rng = stream(seed, "repair", case.env, case.number)
    return repair([RepairTask(open_world(case.env, case.number), case.given)], rng, config)


def _solved(unit: RepairUnit, case: Case, found: Repaired) -> list[bool]:
    """Which of the tasks the repaired domain solves; as many as the world has, at most `unit.tasks`."""
    planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
    domain = read_domain(found.domain)
    exact = case.is_original(domain, case.original)
    solved: list[bool] = []
    for number in range(unit.problem + 1, unit.problem + 1 + unit.tasks):
        if exact:  # the same rules: planning again would show nothing new
            solved.append(truth_solves(unit.env, number, planner))
            continue
        try:
            text = case.task_text(number, domain)
        except WorldNotFound:
            break
        solved.append(solves(unit.env, number, domain, text, planner))
    return solved
