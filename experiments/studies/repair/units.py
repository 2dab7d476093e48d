"""The units of the repair study: one broken domain each, repaired, judged on fresh walks and tried on tasks.

A case is `harmless` if the broken model is of EW 1 before anything is done: walks cannot tell it from the
truth, so there was nothing to repair. All other cases are `restored` if the repaired model is of EW 1 on
walks that the repair has not seen. With no fault at all, a unit says what the method does to a right domain,
and its tasks what the planner solves in its time by the world's own rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.repair.repair import RepairConfig, Repaired, repair
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind, is_plain, is_unread
from envs.pddl.planning.planner import Planner
from envs.source import WorldNotFound
from envs.world import open_world
from experiments.runs.seeds import stream
from experiments.studies.repair.cases import Case, break_world, fresh_ew, model_of, solves, truth_solves
from experiments.studies.study import Record, unit_key


@dataclass(frozen=True)
class RepairUnit:
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

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


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
    problem = read_problem(found.problem, domain)
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
        "edits": list(found.told),
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
    return repair(open_world(case.env, case.number), case.given, rng, config)


def _solved(unit: RepairUnit, case: Case, found: Repaired) -> list[bool]:
    """Which of the tasks the repaired domain solves; as many as the world has, at most `unit.tasks`."""
    planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
    domain = read_domain(found.domain)
    exact = case.is_original(domain, case.original)
    solved: list[bool] = []
    for number in range(unit.problem + 1, unit.problem + 1 + unit.tasks):
        if exact:  # the same rules: planning again would tell nothing new
            solved.append(truth_solves(unit.env, number, planner))
            continue
        try:
            text = case.task_text(number, domain)
        except WorldNotFound:
            break
        solved.append(solves(unit.env, number, domain, text, planner))
    return solved
