"""`python -m experiments.run repair`: make a model agree with its world by walking in it.

    repair --env termes --break 5                                     a world's own rules, broken on purpose
    repair --env path/ --domain mine.pddl --problem p01.pddl p02.pddl     a model of yours

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from agents.repair.proposals import table
from agents.repair.repair import repair
from agents.repair.repaired import Repaired
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.planning.planner import Planner
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound, canonical_name, has_files, task_named
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.forecast import walk_notes
from ew.score.shown import shown
from ew.walks.budget import BudgetExceeded, TimeUp, total_cost
from experiments.config import EXIT_MACHINE, ConfigError, Count, Positive, fail, parse_job
from experiments.driver.preflight import check_name
from experiments.evaluation.judge import MachineFault, WorldFault
from experiments.evaluation.solve import Attempt
from experiments.reporting.display import wide_console
from experiments.runs.directory import to_json
from experiments.runs.progress import simulators_shown
from experiments.runs.records import world_label
from experiments.runs.seeds import stream
from experiments.studies.repair.cases import Case, Kind, break_world, new_folder, read_given
from experiments.studies.repair.judging import (
    GOALS,
    NO_QUERIES,
    NO_TIME,
    VERDICTS,
    Allowance,
    Measured,
    RepairJudge,
)
from experiments.studies.repair.tasks import split_tasks


@dataclass(frozen=True)
class RepairJobConfig:
    """Repair a model of a world by walking in the world. No language model is asked."""

    env: str = "termes"
    """A world's name, or a folder."""
    break_: Annotated[Count | None, tyro.conf.arg(name="break")] = None
    """Break the world's own rules in so many places and repair that."""
    kind: Kind = "removed"
    """What is wrong: literals, nested ones, parameters of predicates, actions, predicates or types."""
    seed: int = 0
    """Everything random follows from it."""
    domain: Path | None = None
    """A model of your own, with --problem: its domain."""
    problem: tuple[Path, ...] = ()
    """Its problems, one for each task that is walked in, with all objects of the world's task."""
    tasks: tuple[str, ...] = ()
    """The world's tasks that are walked in, by number or name. Default: those that the problems are named
    after, else 1, 2, …; with --break three of the feedback pool, or of the first half of a folder's."""
    tried: Count = 10
    """With --break: the tasks 1, 2, … that the repaired domain is tried on."""
    queries: Count = 50_000
    """World queries that all of it may make; the repair itself at most half of them."""
    max_world_steps: Count | None = None
    """Steps that a simulator may make for the repair itself; a world that is walked in batches is none."""
    wall_s: Positive = 60.0
    """Seconds that all of it may take, measurements and plans included; the repair itself at most half."""
    walks: int = 1000
    """Fresh walks that the model is judged by, before and after; fewer where --queries pays for fewer."""
    planner: str | None = None
    """Your own build of Fast Downward; default: the one in the up-fast-downward wheel."""
    planner_wall_s: Positive = 60.0
    """Seconds that one call of the planner may take."""
    out: Path | None = None
    """A new folder for the repaired files; default: runs/repair-ENV, numbered if that is there."""


def main(arguments: Sequence[str]) -> int:
    """Do the repair of a command line; returns the exit code.

    0 whatever the verdict, 3 if the planner or the world failed when the tasks were tried.
    Raises ConfigError, PlannerMissing, OSError.
    """
    config = parse_job(RepairJobConfig, "repair", arguments)
    _check(config)
    try:
        case, tasks = _case(config)
    except PDDLError as error:
        raise ConfigError(f"{config.env} cannot be opened: {error.brief()}") from error
    except (WorldNotFound, BrokenPlugin) as error:
        raise ConfigError(str(error)) from error
    planner = Planner(config.planner, wall_s=config.planner_wall_s)
    planner.check()
    folder = new_folder(config.out, f"repair-{world_label(case.env)}".replace(":", "_"))
    console = wide_console()
    try:
        with simulators_shown(console):
            RepairRun(config, case, tasks, planner, console).write_to(folder)
    except (MachineFault, WorldFault) as error:
        return fail(f"{error}; what was found is in {folder}", EXIT_MACHINE)
    return 0


def _check(config: RepairJobConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    own = config.domain is not None, bool(config.problem)
    if config.break_ is None and not all(own):
        raise ConfigError(
            "say what to repair: --break K for a world's broken rules, or --domain and --problem"
        )
    if config.break_ is not None and any(own):
        raise ConfigError("--break is for a world's own rules; leave it out, or --domain and --problem")
    if config.problem and config.tasks and len(config.problem) != len(config.tasks):
        raise ConfigError(
            f"{len(config.tasks)} tasks for {len(config.problem)} problems: give a problem for each"
        )
    if config.walks < 2 or config.seed < 0:
        raise ConfigError("--walks must be 2 or more and --seed must not be negative")


def _case(config: RepairJobConfig) -> tuple[Case, tuple[int | str, ...]]:
    """The model to be repaired, and in which tasks.

    Raises ConfigError, WorldNotFound, BrokenPlugin, PDDLError.
    """
    check_name(config.env)
    env = canonical_name(config.env)
    if config.domain is not None:
        tasks = _tasks(config)
        return read_given(env, tasks, config.domain, config.problem), tasks
    assert config.break_ is not None, "one of the two was asked for"
    if not has_files(env):
        raise ConfigError(f"{env} has no PDDL that could be broken; give a model with --domain and --problem")
    tasks = _tasks(config)
    try:
        return break_world(env, tasks[0], BreakKind(config.kind), config.break_, config.seed), tasks
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _tasks(config: RepairJobConfig) -> tuple[int | str, ...]:
    """The world's tasks that are walked in, which are there. Raises WorldNotFound, PDDLError."""
    env = canonical_name(config.env)
    named = tuple(map(task_named, config.tasks))
    if not named and config.break_ is not None:
        open_world(env, 1)  # its faults are named first
        named = split_tasks(env, 1, None, 0).seen
    for place, path in enumerate(config.problem[len(named) :], start=1):
        try:
            open_world(env, task_named(path.stem))
            named = (*named, task_named(path.stem))
        except WorldNotFound:
            named = (*named, place)
    for task in named:
        open_world(env, task)
    return named


@dataclass(frozen=True)
class Discarded:
    """Edits of an unfinished repair that were not kept: the model as it was given has a higher EW score."""

    edits: int
    after: Measured  #: with these edits


@dataclass(frozen=True, eq=False)
class JudgedRepair:
    """A repaired model and how it was judged."""

    found: Repaired
    domain: Domain
    problem: Problem
    before: Measured
    after: Measured
    disagreement: str  #: in words; empty if there is none, or none was found
    discarded: Discarded | None = None


@dataclass(frozen=True, eq=False)
class RepairRun:
    """A repair, its judgement, and what is printed of them. Half of all queries and seconds are its own."""

    config: RepairJobConfig
    case: Case
    seen: tuple[int | str, ...]  #: the tasks that are walked in
    planner: Planner
    console: Console

    def write_to(self, folder: Path) -> None:
        """Repair, print what was found, try tasks, and write all of it into an empty folder.

        Raises MachineFault or WorldFault if the tasks cannot be tried; what was found is written by then.
        """
        named = "task" if len(self.seen) == 1 else "tasks"
        self._say(f"world: {self.case.env}, {named} {', '.join(map(str, self.seen))}")
        self._say(*walk_notes(self.case.world, EWConfig()))
        if self.case.is_broken:
            self._say(f"faults made: {len(self.case.broken.faults)}", *map(_item, self.case.broken.faults))
        allowance = Allowance(self.config.queries, self.config.wall_s)
        judge = RepairJudge(self.case, self.config.seed, self.config.walks, self.planner, allowance)
        outcome = self._repaired(judge, allowance)
        diff = _diff(self.case.given.domain, outcome.domain)
        self._print_findings(outcome, diff)
        for name, text in self._files(outcome, diff).items():
            (folder / name).write_text(text, encoding="utf-8")
        record = self._record(outcome, dict(self._attempts(judge, outcome)), allowance)
        (folder / "repair.json").write_text(to_json(record), encoding="utf-8")
        spent = f"{allowance.spent} of {allowance.queries} world queries"
        took = f"{spent}, {allowance.used:.1f} of {allowance.wall_s:g} s"
        simulator = total_cost((judge.simulator, outcome.found.simulator))
        self._say(f"in all: {took}{'' if simulator is None else f'; {simulator}'}", f"written to {folder}")

    def _repaired(self, judge: RepairJudge, allowance: Allowance) -> JudgedRepair:
        """The repair and its judgement: a quarter of all to judge the given model, half to repair it."""
        case = self.case
        before = judge.measure(case.given, 0.25)
        rng = stream(self.config.seed, "repair", world_label(case.env), case.number)
        seconds = min(allowance.seconds, self.config.wall_s / 2)
        limits = RepairConfig(
            queries=allowance.budget(0.5).limit, wall_s=seconds, planner=self.planner, keeps_ledger=True,
            max_world_steps=self.config.max_world_steps,
        )  # fmt: skip
        given = [RepairTask(open_world(case.env, task), case.given_in(task)) for task in self.seen]
        found = repair(given, rng, limits)
        allowance.spent += found.world_queries
        domain = read_domain(found.domain)
        problem = read_problem(found.problems[0], domain)
        after, discarded = judge.measure(problem), None
        if not found.verdict.explains_walks and after.is_below(before):
            discarded = Discarded(len(found.described), after)
            domain, problem, after = case.given.domain, case.given, before
            problems = tuple(render_problem(case.given_in(task)) for task in self.seen)
            found = replace(
                found, domain=render_domain(domain), problems=problems, edits=(), structural=(), evidence=()
            )
        words = "" if after.ew == 1 else judge.disagreement(problem, after.walks)
        return JudgedRepair(found, domain, problem, before, after, words, discarded)

    def _print_findings(self, outcome: JudgedRepair, diff: Sequence[str]) -> None:
        found = outcome.found
        self._say(f"edits found: {len(found.described)}", *map(_item, found.described))
        self._say("", *diff, "" if diff else "the domain is as it was given")
        self._say(f"verdict: {found.verdict.value}: {VERDICTS[found.verdict]}")
        if outcome.discarded is not None:
            lost = outcome.discarded
            self._say(f"edits not kept: {lost.edits}; with them EW is {lost.after}, lower than as given")
        if found.disabled:
            self._say(f"disabled: {', '.join(found.disabled)}")
        if found.unseen:
            self._say(found.unseen)
        self._say(*map(str, found.rivals))
        if len(self.seen) == 1:
            self._say("one task was walked in: what it cannot show is not known (--tasks)")
        doubts = [edit for edit in found.edits if not edit.part]
        if doubts:
            self._say("doubts about what the problems say of the initial state:", *map(_item, doubts))
        self._say(f"goal: {found.goal.value}: {GOALS[found.goal]}")
        if self.case.is_broken:
            same = self.case.is_original(outcome.domain, outcome.problem)
            self._say(f"the world's own rules again, literal by literal: {'yes' if same else 'no'}")
        ew = f"{self._measured(outcome.before)} before, {self._measured(outcome.after)} after"
        self._say(f"EW on {self.config.walks} fresh walks: {ew}")
        self._say(f"{found.world_queries} world queries, {found.rounds} checks, {found.wall_s:.1f} s")
        if found.simulator is not None:
            self._say(f"the repair itself: {found.simulator}")
        if outcome.disagreement:
            self._say("", "What still disagrees:", "", outcome.disagreement, "")

    def _measured(self, found: Measured) -> str:
        """A score, with its walks where they are fewer than asked for."""
        fewer = found.ew is not None and found.walks < self.config.walks
        return f"{found} ({found.walks} walks)" if fewer else str(found)

    def _attempts(self, judge: RepairJudge, outcome: JudgedRepair) -> Iterator[tuple[str, Attempt]]:
        """Tasks tried with the repaired model, printed as they end. Raises MachineFault, WorldFault."""
        for task, problem in self._tasks(outcome):
            try:
                attempt = judge.attempt(task, outcome.domain, problem)
            except (BudgetExceeded, TimeUp) as error:
                why = NO_TIME if isinstance(error, TimeUp) else NO_QUERIES
                self._say(f"  task {task}: not tried to its end, nor any after it: {why}")
                return
            mark = ", seen by the repair" if self.case.is_broken and task in self.seen else ""
            self._say(f"  task {task}: {_ended(attempt)}{mark}")
            yield str(task), attempt

    def _tasks(self, outcome: JudgedRepair) -> Iterator[tuple[int | str, str]]:
        """The tasks to be tried, with their problems in the repaired domain's words."""
        seen = dict(zip(self.seen, outcome.found.problems, strict=True))
        if not self.case.is_broken:
            yield from seen.items()
            return
        structural = outcome.found.structural
        for number in range(1, self.config.tried + 1):
            try:
                yield number, seen.get(number) or self.case.task_text(number, outcome.domain, structural)
            except WorldNotFound:
                return

    def _files(self, outcome: JudgedRepair, diff: Sequence[str]) -> dict[str, str]:
        """File name to text."""
        others = zip(self.seen[1:], outcome.found.problems[1:], strict=True)
        files = {f"problem.{task}.pddl": text for task, text in others} | {
            "given.domain.pddl": render_domain(self.case.given.domain),
            "given.problem.pddl": render_problem(self.case.given),
            "domain.pddl": render_domain(outcome.domain),
            "problem.pddl": render_problem(outcome.problem),
            "domain.diff": "".join(f"{line}\n" for line in diff),
            "ledger.md": table(outcome.found.evidence),
        }
        return files | ({"disagreement.txt": outcome.disagreement + "\n"} if outcome.disagreement else {})

    def _record(
        self, outcome: JudgedRepair, attempts: Mapping[str, Attempt], allowance: Allowance
    ) -> dict[str, object]:
        found = outcome.found
        return {
            "env": self.case.env,
            "seen": list(map(str, self.seen)),
            "seed": self.config.seed,
            "queries": self.config.queries,
            "wall_limit_s": self.config.wall_s,
            "faults": list(map(str, self.case.broken.faults)),
            "verdict": found.verdict.value,
            "goal": found.goal.value,
            "disabled": list(found.disabled),
            "edits": list(found.described),
            "edits_not_kept": 0 if outcome.discarded is None else outcome.discarded.edits,
            "rivals": list(map(str, found.rivals)),
            "unexplained": found.unexplained,
            "walks": self.config.walks,
            "walks_before": outcome.before.walks,
            "walks_after": outcome.after.walks,
            "ew_before": outcome.before.ew,
            "ew": outcome.after.ew,
            "world_queries": found.world_queries,
            "world_queries_of_all": allowance.spent,
            "checks": found.rounds,
            "wall_s": round(found.wall_s, 3),
            "tasks": {task: attempt.outcome.value for task, attempt in attempts.items()},
            **({} if found.simulator is None else {"simulator": asdict(found.simulator)}),
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
