"""`python -m experiments.run study-hidden`: does repair find a rule that a model lacks, on tasks not seen?

    study-hidden                                                        8 worlds, 4 kinds of rules, 3 seeds
    study-hidden --kinds quantified --env grippers --samples 1          one case

A case is a world that obeys one rule more than its PDDL says (`envs.hidden_rules`). Repair gets the PDDL and
the tasks to be seen, never the rule. It is judged by the tasks not to be seen: the rule is `restored` if EW
is 0.99 or more in each of them and the plan by the repaired model works in the world. Controls have no rule;
any edit there is one too many.

Writes `hidden.csv` (one row a case: the rule, the edits, EW and plans on each task), `table.md` and
`table.tex`. The records are in `events.jsonl`; all else is made from them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Literal

from agents.repair.repair import repair
from agents.repair.repaired import Repaired
from agents.repair.session import RepairConfig, RepairTask
from envs.folder import HIDDEN_PREFIX
from envs.hidden_rules.cases import BASES, CaseName, HiddenCase, hidden_case
from envs.hidden_rules.rules import RuleKind, kept_cases
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.render import render_problem
from envs.pddl.planning.planner import Planner
from envs.world import open_world
from ew.score.shown import shown
from experiments.config import ConfigError, Count, Positive, parse_job, shared
from experiments.reporting.statistics import Estimate, share
from experiments.reporting.tables import Columns, Table, listed, write_csv
from experiments.runs.seeds import stream
from experiments.runs.units import WorkUnit
from experiments.studies.candidates import model_of
from experiments.studies.repair.cases import PlanFate, fresh_ew, plan_fate, stated
from experiments.studies.study import Record, Study, StudyConfig

#: The values of `RuleKind`, as words of the command line.
Kind = Literal["none", "literal", "quantified", "conditional", "new_predicate"]
#: The least EW in each task not seen that counts as restored.
RESTORED = 0.99
#: The share that is to be restored, in median seconds and with at most so many queries of the world.
TARGETS = "95 % of the cases of each kind, a median of 10 s, at most 3,000 queries"
_COLUMNS = ("env", "kind", "seed", "verdict", "world_queries", "rounds", "wall_s", "cpu_s", "unexplained")


@dataclass(frozen=True)
class StudyHiddenConfig(StudyConfig):
    """Repair models that lack one rule: is it found, and does it hold on tasks not seen?"""

    kinds: tuple[Kind, ...] = ()
    """Kinds of rules, `none` for controls; default: all."""
    samples: Count = 3
    """Cases for each world and kind; their seeds count up from --seed. Controls are as many as all others."""
    walks: int = 1000
    """Fresh walks that a model is judged by on each task."""
    queries: Count = 3000
    """World queries that one repair may make."""
    wall_s: Positive = 30.0
    """Seconds that one repair may take."""
    out: Path = Path("runs/study-hidden")
    """Where everything is written."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The base worlds asked for. Raises ConfigError for an unknown name."""
        return super().worlds if self.env else BASES

    def units(self) -> list[HiddenUnit]:
        """All units, kind by kind; of the standard base worlds those of kinds that they have cases of."""
        flags, rules = shared(self, HiddenUnit), len(RuleKind) - 1
        return [
            HiddenUnit(**flags | {"env": env, "kind": kind, "seed": self.seed + sample})
            for kind in map(RuleKind, self.kinds or RuleKind)
            for env in self.worlds
            if self.env or kind is RuleKind.NONE or str(CaseName(env, kind, 0)) in kept_cases()
            for sample in range(self.samples * (rules if kind is RuleKind.NONE else 1))
        ]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = parse_job(StudyHiddenConfig, "study-hidden", arguments)
    if config.walks < 2:
        raise ConfigError("--walks must be 2 or more")
    if any(env.startswith(HIDDEN_PREFIX) for env in config.worlds):
        raise ConfigError("--env takes base worlds; --kinds and --seed say which rules are hidden in them")
    with Study.open(config) as study:
        records = study.do(config.units(), work)
        study.report(tables(records), {"hidden.csv": hidden_csv(records)})
    return 0


@dataclass(frozen=True)
class HiddenUnit(WorkUnit):
    """One case, or a control."""

    env: str  #: the base world
    kind: RuleKind
    seed: int
    walks: int
    queries: int
    wall_s: float
    planner: str | None
    planner_wall_s: float


def work(unit: HiddenUnit) -> Record:
    """The record of one unit; runs in a worker. Only the seconds, and what a limit cuts, are the machine's.

    Raises WorldNotFound if no rule of that kind was found, MachineFault if the planner was killed or crashed.
    """
    case = hidden_case(CaseName(unit.env, unit.kind, unit.seed))
    started = time.process_time()
    found = repaired(case, unit)
    spent = time.process_time() - started
    planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
    domain = read_domain(found.domain)
    judged = [_judged(case, number, found, domain, unit, planner) for number in case.unseen]
    return {
        "env": unit.env,
        "kind": unit.kind.value,
        "seed": unit.seed,
        "rule": "" if case.rule is None else str(case.rule),
        "verdict": found.verdict.value,
        "goal": found.goal.value,
        "edits": list(found.described),
        "unexplained": found.unexplained,
        "ew": [ew for ew, _ in judged],
        "solved": [solved for _, solved in judged],
        "world_queries": found.world_queries,
        "rounds": found.rounds,
        "wall_s": round(found.wall_s, 3),
        "cpu_s": round(spent, 3),
    }


def repaired(case: HiddenCase, unit: HiddenUnit) -> Repaired:
    """The repair of the model, in the tasks to be seen."""
    limits = RepairConfig(queries=unit.queries, wall_s=unit.wall_s, planner=Planner(unit.planner))
    world = case.name.world
    tasks = [RepairTask(open_world(world, n), case.tasks[n - 1].pddl.problem) for n in case.seen]
    return repair(tasks, stream(unit.seed, "repair", world), limits)


def _judged(
    case: HiddenCase, number: int, found: Repaired, domain: Domain, unit: HiddenUnit, planner: Planner
) -> tuple[float | None, bool]:
    """EW of the repaired model in a task that it has not seen, and whether its plan works there."""
    problem = stated(case.tasks[number - 1].problem, domain, found.structural)
    if problem is None:
        return None, False
    name = case.name.world
    world = open_world(name, number)
    walked = stream(unit.seed, "fresh", name, number)
    ew = fresh_ew(world, model_of(problem, world), unit.walks, walked)
    fate = plan_fate(name, number, domain, render_problem(problem), planner)
    return ew, fate is PlanFate.WORKS


def is_restored(record: Record) -> bool:
    """Whether the model holds in all tasks that it has not seen."""
    return _agrees(record) and all(record["solved"])


def _agrees(record: Record) -> bool:
    return all(ew is not None and ew >= RESTORED for ew in record["ew"])


def hidden_csv(records: Sequence[Record]) -> str:
    """One row a case."""
    rows = [
        (
            *(r[column] for column in _COLUMNS),
            is_restored(r),
            " ".join(shown(ew, 4) for ew in r["ew"]),
            " ".join(map(str, r["solved"])),
            r["rule"],
            "; ".join(r["edits"]),
        )
        for r in records
    ]
    return write_csv((*_COLUMNS, "restored", "ew", "solved", "rule", "edits"), rows)


def tables(records: Sequence[Record]) -> tuple[Table, ...]:
    """By kind, by world and kind, and every case that was not restored."""
    return _kind_table(records), _world_table(records), _failure_table(records)


def _kind_table(records: Sequence[Record]) -> Table:
    """One row a kind."""

    def of(kind: str) -> list[Record]:
        return [r for r in records if r["kind"] == kind]

    columns: Columns = {
        "kind": str,
        "cases": lambda kind: len(of(kind)),
        "restored": lambda kind: share(map(is_restored, of(kind))),
        f"EW ≥ {RESTORED}": lambda kind: share(map(_agrees, of(kind))),
        "solved": lambda kind: share(solved for r in of(kind) for solved in r["solved"]),
        "with edits": lambda kind: sum(bool(r["edits"]) for r in of(kind)),
        "queries": lambda kind: f"{median(r['world_queries'] for r in of(kind)):.0f}",
        "seconds": lambda kind: f"{median(r['wall_s'] for r in of(kind)):.1f}",
        "longest": lambda kind: f"{max(r['wall_s'] for r in of(kind)):.1f}",
        "verdicts": lambda kind: listed(Counter(r["verdict"] for r in of(kind))),
    }
    notes = (
        f"Restored: EW at least {RESTORED} on each task not seen, and all of them solved. Queries and "
        "seconds are medians. Shares with 95 % intervals.",
        f"Targets: {TARGETS}; no control with edits.",
    )
    kinds = dict.fromkeys(r["kind"] for r in records)
    return Table.of("Rules that a model lacks, on tasks not seen", kinds, columns, notes)


def _world_table(records: Sequence[Record]) -> Table:
    """One row a world."""
    kinds = tuple(dict.fromkeys(r["kind"] for r in records))

    def restored(env: str, kind: str) -> Estimate:
        return share(is_restored(r) for r in records if (r["env"], r["kind"]) == (env, kind))

    found = {env: [restored(env, kind) for kind in kinds] for env in dict.fromkeys(r["env"] for r in records)}
    rows = tuple((env, *(f"{round((e.mean or 0) * e.n)}/{e.n}" for e in own)) for env, own in found.items())
    return Table("Restored, by world", ("world", *kinds), rows)


def _failure_table(records: Sequence[Record]) -> Table:
    """Every case that was not restored, and every control with edits."""
    columns: Columns = {
        "world": itemgetter("env"), "kind": itemgetter("kind"), "seed": itemgetter("seed"),
        "rule": itemgetter("rule"), "verdict": itemgetter("verdict"),
        "EW": lambda r: " ".join(shown(ew, 3) for ew in r["ew"]), "solved": lambda r: sum(r["solved"]),
        "edits": lambda r: "; ".join(r["edits"]),
    }  # fmt: skip
    failures = [r for r in records if not is_restored(r) or (r["edits"] and not r["rule"])]
    return Table.of("Not restored, or edited without need", failures, columns)
