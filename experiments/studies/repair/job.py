"""`python -m experiments.run repair`: make a model agree with its world by walking in it.

    repair --env termes --break 5                                     a world's own rules, broken on purpose
    repair --env path/ --domain mine.pddl --problem p01.pddl          a model of yours

Shows the faults that were made, the edits that were found, in words and as a diff, the verdict, EW before and
after on fresh walks, and what it took; then plans with the repaired model and tries the plans in the
environment. What still disagrees is printed. Whatever the verdict, the best model found is written into a new
folder (`domain.pddl`, `problem.pddl`, `domain.diff`, `repair.json`, what was given beside them), with the
evidence for and against each literal (`ledger.md`), and the exit code is 0. No language model is asked.

A model is judged by EW on walks that the repair has not seen, the same ones before and after, and by the
plans that it yields. If walks or plans speak against it, the shortest walk on which it still disagrees with
the world is described in words.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import tyro
from rich.console import Console

from agents.repair.goals import GoalStanding
from agents.repair.ledger_words import table
from agents.repair.repair import RepairConfig, Repaired, Verdict, repair
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.planning.planner import Planner
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound, canonical_name, has_files
from envs.world import open_world
from ew.score.shown import shown
from ew.walks.budget import BudgetExceeded, TimeUp
from experiments.config import EXIT_MACHINE, ConfigError, fail
from experiments.driver.console import wide_console
from experiments.driver.preflight import check_name
from experiments.evaluation.judge import MachineFault, WorldFault
from experiments.evaluation.solve import Attempt
from experiments.runs.directory import to_json
from experiments.runs.seeds import stream
from experiments.studies.repair.cases import Given, Kind, break_world, new_folder, read_given
from experiments.studies.repair.judging import NO_QUERIES, NO_TIME, Allowance, Measured, RepairJudge

#: What a verdict means, for people.
VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.AGREES: "nothing that was seen in the world speaks against the repaired model",
        Verdict.OUT_OF_QUERIES: "the world may not be asked more often (--queries); the best model so far",
        Verdict.OUT_OF_TIME: "the time is up (--wall-s); the best model so far",
        Verdict.TOO_LARGE: "the model that explains what was seen is too large to be walked in; unconfirmed",
        Verdict.UNEXPLAINED: "no edits that repair can make explain all that was seen; the best model found",
    }
)
#: What became of the goal, for people.
GOALS: Mapping[GoalStanding, str] = MappingProxyType(
    {
        GoalStanding.REACHED: "after a walk, it holds in the world as it does in the repaired model",
        GoalStanding.NOT_REACHED: "no model that was tried has a plan to it; nothing was edited for its sake",
        GoalStanding.UNKNOWN: "a limit was met before a plan was confirmed; nothing was edited for its sake",
        GoalStanding.NOT_ASKED: "walks and model do not agree, so no plan was tried",
    }
)


@dataclass(frozen=True)
class RepairJobConfig:
    """Repair a model of a world by walking in the world. No language model is asked."""

    env: str = "termes"
    """A world's name, or a folder."""
    break_: Annotated[int | None, tyro.conf.arg(name="break")] = None
    """Break the world's own rules in so many places and repair that."""
    kind: Kind = "removed"
    """How they are broken: terms removed, literals added, arguments or a predicate's parameter wrong."""
    seed: int = 0
    """Everything random follows from it."""
    domain: Path | None = None
    """A model of your own, with --problem: its domain."""
    problem: Path | None = None
    """Its problem, with all objects of the world's task."""
    task: str | None = None
    """The world's task that is walked in; default: the one that --problem is named after, else 1."""
    tasks: int = 10
    """With --break: the tasks 1, 2, … that the repaired domain is tried on."""
    queries: int = 50_000
    """World queries that all of it may make; the repair itself at most half of them."""
    wall_s: float = 60.0
    """Seconds that all of it may take, measurements and plans included; the repair itself at most half."""
    walks: int = 1000
    """Fresh walks that the model is judged by, before and after; fewer where --queries pays for fewer."""
    planner: str | None = None
    """Your own build of Fast Downward; default: the one in the up-fast-downward wheel."""
    planner_wall_s: float = 60.0
    """Seconds that one call of the planner may take."""
    out: Path | None = None
    """A new folder for the repaired files; default: runs/repair-ENV, numbered if that is there."""


def main(arguments: Sequence[str]) -> int:
    """Do the repair of a command line; returns the exit code.

    0 whatever the verdict, 3 if the planner or the world failed when the tasks were tried.
    Raises ConfigError, PlannerMissing, OSError.
    """
    config = tyro.cli(RepairJobConfig, prog="python -m experiments.run repair", args=list(arguments))
    _check(config)
    try:
        given = _given(config)
    except PDDLError as error:
        raise ConfigError(f"{config.env} cannot be opened: {error.brief()}") from error
    except (WorldNotFound, BrokenPlugin) as error:
        raise ConfigError(str(error)) from error
    planner = Planner(config.planner, wall_s=config.planner_wall_s)
    planner.check()
    folder = new_folder(config.out, f"repair-{Path(given.env).name}".replace(":", "_"))
    limits = RepairConfig(queries=config.queries, wall_s=config.wall_s, planner=planner, keeps_ledger=True)
    run = RepairRun(given, config.seed, limits, config.walks, config.tasks, planner, wide_console())
    try:
        run.write_to(folder)
    except (MachineFault, WorldFault) as error:
        return fail(f"{error}; what was found is in {folder}", EXIT_MACHINE)
    return 0


def _check(config: RepairJobConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    own = config.domain is not None, config.problem is not None
    if config.break_ is None and not all(own):
        raise ConfigError(
            "say what to repair: --break K for a world's broken rules, or --domain and --problem"
        )
    if config.break_ is not None and any(own):
        raise ConfigError("--break is for a world's own rules; leave it out, or --domain and --problem")
    if config.break_ is not None and config.break_ < 1:
        raise ConfigError(f"--break must be positive, not {config.break_}")
    seconds = (config.wall_s, config.planner_wall_s)
    if min(config.queries, config.tasks) < 1 or not all(0 < s < math.inf for s in seconds):
        raise ConfigError("--queries, --tasks, --wall-s and --planner-wall-s must be positive numbers")
    if config.walks < 2 or config.seed < 0:
        raise ConfigError("--walks must be 2 or more and --seed must not be negative")


def _given(config: RepairJobConfig) -> Given:
    """The model to be repaired. Raises ConfigError, WorldNotFound, BrokenPlugin, PDDLError."""
    check_name(config.env)
    env, task = canonical_name(config.env), _task(config)
    world = open_world(env, task)
    if config.domain is not None and config.problem is not None:
        return read_given(env, task, world, config.domain, config.problem)
    assert config.break_ is not None, "one of the two was asked for"
    if not has_files(env):
        raise ConfigError(f"{env} has no PDDL that could be broken; give a model with --domain and --problem")
    try:
        case = break_world(env, task, BreakKind(config.kind), config.break_, config.seed)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return Given(env, task, world, case.given, case)


def _task(config: RepairJobConfig) -> int | str:
    """The world's task: its number, or its stem."""
    named = config.task
    if named is None and config.problem is not None:
        named = config.problem.stem
        try:
            open_world(canonical_name(config.env), _numbered(named))
        except WorldNotFound:
            named = None
    return 1 if named is None else _numbered(named)


def _numbered(name: str) -> int | str:
    """3 for `3` and `p03`; other stems stay."""
    digits = name.removeprefix("p")
    return int(digits) if digits.isdecimal() else name


@dataclass(frozen=True, eq=False)
class Outcome:
    """A repaired model and how it was judged."""

    found: Repaired
    domain: Domain
    problem: Problem
    before: Measured
    after: Measured
    disagreement: str  #: in words; empty if there is none, or none was found


@dataclass(frozen=True, eq=False)
class RepairRun:
    """What is to be repaired, how it is judged, and where that is told.

    The queries and seconds of `limits` are those of everything: half of them are the repair's own.
    """

    given: Given
    seed: int
    limits: RepairConfig
    walks: int  #: fresh ones
    tasks: int  #: of the world, if its own rules were broken
    planner: Planner
    console: Console

    def write_to(self, folder: Path) -> None:
        """Repair, tell, try tasks, and write all of it into an empty folder.

        Raises MachineFault or WorldFault if the tasks cannot be tried; what was found is written by then.
        """
        case = self.given.case
        self._say(f"world: {self.given.env}, task {self.given.task}")
        if case is not None:
            self._say(f"faults made: {len(case.broken.faults)}", *map(_item, case.broken.faults))
        allowance = Allowance(self.limits.queries, self.limits.wall_s)
        judge = RepairJudge(self.given, self.seed, self.walks, self.planner, allowance)
        outcome = self._repaired(judge, allowance)
        diff = _diff(self.given.problem.domain, outcome.domain)
        self._tell(outcome, diff)
        for name, text in self._files(outcome, diff).items():
            (folder / name).write_text(text, encoding="utf-8")
        record = self._record(outcome, dict(self._attempts(judge, outcome)), allowance)
        (folder / "repair.json").write_text(to_json(record), encoding="utf-8")
        spent = f"{allowance.spent} of {allowance.queries} world queries"
        self._say(f"in all: {spent}, {allowance.used:.1f} of {allowance.wall_s:g} s", f"written to {folder}")

    def _repaired(self, judge: RepairJudge, allowance: Allowance) -> Outcome:
        """The repair and its judgement: a quarter of all to judge the given model, half to repair it."""
        given = self.given
        before = judge.measure(given.problem, 0.25)
        rng = stream(self.seed, "repair", given.env, given.task)
        own = allowance.budget(0.5)
        limits = replace(
            self.limits, queries=own.limit, wall_s=min(allowance.seconds, self.limits.wall_s / 2)
        )
        found = repair(given.world, given.problem, rng, limits)
        allowance.charge(found.world_queries)
        domain = read_domain(found.domain)
        problem = read_problem(found.problem, domain)
        after = judge.measure(problem)
        words = "" if after.ew == 1 else judge.disagreement(problem, after.walks)
        return Outcome(found, domain, problem, before, after, words)

    def _tell(self, outcome: Outcome, diff: Sequence[str]) -> None:
        found, case = outcome.found, self.given.case
        self._say(f"edits found: {len(found.told)}", *map(_item, found.told))
        self._say("", *diff, "" if diff else "the domain is as it was given")
        self._say(f"verdict: {found.verdict.value}: {VERDICTS[found.verdict]}")
        self._say(f"goal: {found.goal.value}: {GOALS[found.goal]}")
        if case is not None:
            same = case.is_original(outcome.domain, outcome.problem)
            self._say(f"the world's own rules again, literal by literal: {'yes' if same else 'no'}")
        ew = f"{self._measured(outcome.before)} before, {self._measured(outcome.after)} after"
        self._say(f"EW on {self.walks} fresh walks: {ew}")
        self._say(f"{found.world_queries} world queries, {found.rounds} checks, {found.wall_s:.1f} s")
        if outcome.disagreement:
            self._say("", "What still disagrees:", "", outcome.disagreement, "")

    def _measured(self, found: Measured) -> str:
        """A score, with its walks where they are fewer than asked for."""
        fewer = found.ew is not None and found.walks < self.walks
        return f"{found} ({found.walks} walks)" if fewer else str(found)

    def _attempts(self, judge: RepairJudge, outcome: Outcome) -> Iterator[tuple[str, Attempt]]:
        """Tasks tried with the repaired model, told as they end. Raises MachineFault, WorldFault."""
        for task, problem in self._tasks(outcome):
            try:
                attempt = judge.attempt(task, outcome.domain, problem)
            except (BudgetExceeded, TimeUp) as error:
                why = NO_TIME if isinstance(error, TimeUp) else NO_QUERIES
                self._say(f"  task {task}: not tried to its end, nor any after it: {why}")
                return
            self._say(f"  task {task}: {_ended(attempt)}")
            yield str(task), attempt

    def _tasks(self, outcome: Outcome) -> Iterator[tuple[int | str, str]]:
        """The tasks to be tried, with their problems in the repaired domain's words."""
        case = self.given.case
        if case is None:
            yield self.given.task, render_problem(outcome.problem)
            return
        for number in range(1, self.tasks + 1):
            try:
                yield number, case.task_text(number, outcome.domain)
            except WorldNotFound:
                return

    def _files(self, outcome: Outcome, diff: Sequence[str]) -> dict[str, str]:
        """File name to text."""
        files = {
            "given.domain.pddl": render_domain(self.given.problem.domain),
            "given.problem.pddl": render_problem(self.given.problem),
            "domain.pddl": render_domain(outcome.domain),
            "problem.pddl": render_problem(outcome.problem),
            "domain.diff": "".join(f"{line}\n" for line in diff),
            "ledger.md": table(outcome.found.evidence),
        }
        return files | ({"disagreement.txt": outcome.disagreement + "\n"} if outcome.disagreement else {})

    def _record(
        self, outcome: Outcome, attempts: Mapping[str, Attempt], allowance: Allowance
    ) -> dict[str, object]:
        found, case = outcome.found, self.given.case
        return {
            "env": self.given.env,
            "task": self.given.task,
            "seed": self.seed,
            "queries": self.limits.queries,
            "wall_limit_s": self.limits.wall_s,
            "faults": [] if case is None else [str(fault) for fault in case.broken.faults],
            "verdict": found.verdict.value,
            "goal": found.goal.value,
            "edits": list(found.told),
            "unexplained": found.unexplained,
            "walks": self.walks,
            "walks_before": outcome.before.walks,
            "walks_after": outcome.after.walks,
            "ew_before": outcome.before.ew,
            "ew": outcome.after.ew,
            "world_queries": found.world_queries,
            "world_queries_of_all": allowance.spent,
            "checks": found.rounds,
            "wall_s": round(found.wall_s, 3),
            "tasks": {task: attempt.outcome.value for task, attempt in attempts.items()},
        }

    def _say(self, *lines: str) -> None:
        for line in lines:
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)


def _diff(before: Domain, after: Domain) -> list[str]:
    """The canonical texts of two domains as a unified diff."""
    given, repaired = (render_domain(domain).splitlines() for domain in (before, after))
    return list(difflib.unified_diff(given, repaired, "given", "repaired", n=2, lineterm=""))


def _item(thing: object) -> str:
    return f"  - {thing}"


def _ended(attempt: Attempt) -> str:
    words = attempt.outcome.value.replace("_", " ")
    plan = f", plan of {attempt.plan_length} steps" if attempt.plan_length is not None else ""
    return f"{words}{plan}, EW {_three(attempt.score.ew)}"


def _three(value: float | None) -> str:
    return "none" if value is None else shown(value, 3)
