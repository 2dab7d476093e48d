"""`python -m experiments.run repair`: make a model agree with its world by walking in it.

    repair --env termes --break 5                                     a world's own rules, broken on purpose
    repair --env path/ --domain mine.pddl --problem p01.pddl          a model of yours

Shows the faults that were made, the edits that were found, in words and as a diff, the verdict, EW before and
after on fresh walks, and what it took; then plans with the repaired model and tries the plans in the
environment. What still disagrees is told. Whatever the verdict, the best model found is written into a new
folder (`domain.pddl`, `problem.pddl`, `domain.diff`, `repair.json`, what was given beside them), with the
evidence for and against each literal (`ledger.md`), and the exit code is 0. No language model is asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from agents.repair.repair import RepairConfig
from envs.pddl.language.issues import PDDLError
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.planning.planner import Planner
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound, canonical_name, has_files
from envs.world import open_world
from experiments.config import EXIT_MACHINE, ConfigError, fail
from experiments.driver.preflight import check_name
from experiments.evaluation.judge import MachineFault, WorldFault
from experiments.reporting.display import wide_console
from experiments.studies.repair.cases import Kind, break_world
from experiments.studies.repair.files import Given, new_folder, read_given
from experiments.studies.repair.telling import RepairRun


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
