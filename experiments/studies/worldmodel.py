"""`python -m experiments.run worldmodel`: models written action by action, corrected by the world, and used.

Worlds x seeds, each with one model, and instructions in words carried out by five methods: the language
model alone, or with that model as validator, or reading that model in words, or both, and the classical
planner in that model. A run of the main job with other defaults; it writes what the main job writes, and
`worldmodel.csv`: one row an instruction. Recorded, it takes every cell that a recording answers.
docs/worldmodel.md says how to read it.

Source: Guan et al. 2023, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from experiments.config import ConfigError, Count, EpisodeFlags, RunConfig, SearchFlags, is_live, parse_job
from experiments.driver.plan import resolve_cells
from experiments.driver.run_plan import RunPlan
from experiments.methods.worldmodel_feedback import (
    PersonFiles,
    answering,
    check_modelling,
    heard_by,
    written_so,
)
from experiments.recordings import Shelved
from experiments.reporting.display import wide_console
from experiments.reporting.worldmodel_tables import METHOD_NAMES
from experiments.run import run
from experiments.runs.units import Modelling

SEEDS = (0, 1, 2)
WORLDS = ("household", "logistics", "tyreworld")
#: Worlds that are recorded besides with a sentence an action, so that the environment has much to correct.
OUTLINED = tuple(
    f"{world}+outlined"
    for world in ("blocksworld_ood", "grippers_ood", "logistics", "miconic_ood", "tyreworld")
)
#: For how many instructions, and how they are carried out.
OUTLINED_TASKS, OUTLINED_METHOD = 5, "plan-by-model"
#: A world that is recorded besides with plans of a language model that reads the model in words, for so many
#: instructions, and the methods.
SHOWN, SHOWN_TASKS = ("termes",), 4
SHOWN_METHODS = ("plan-shown", "plan-shown-advised", "plan-by-model")
_OUT = Path("runs/worldmodel")
#: No person has a say.
_NOBODY = PersonFiles()
#: Parameters are given, and conditions and effects may use all that is read.
_USUAL = Modelling()


@dataclass(frozen=True)
class WorldModelConfig(SearchFlags, EpisodeFlags):
    """Write models action by action, have the world correct them, and carry out instructions with them.

    Without --model or --base-url it is made of the recordings there are: cells without one stay empty.
    """

    method: tuple[str, ...] = METHOD_NAMES
    """What is compared: plan-alone, plan-advised, plan-shown, plan-shown-advised, plan-by-model."""
    env: tuple[str, ...] = ()
    """Worlds; of a folder, the tasks as they are told stand for instructions. Default: household logistics
    tyreworld; without a language model, all that are recorded."""
    tasks: Count | None = 20
    """Instructions of each world, from the first; every fourth names an order in household and logistics."""
    seeds: tuple[int, ...] = ()
    """One run of everything for each seed; default: 0 1 2, or those that are recorded."""
    remarks: Path | None = None
    """What a person says of the model of one environment: a file with remarks under headings such as
    `## load-truck`. They are answered first."""
    plan_that_works: Path | None = None
    """A file with a plan that a person says works, an operator a line: the model is told of the first step
    that it refuses."""
    plan_task: str | None = None
    """The task that this plan is for; default: f01, the first task for feedback."""
    human_alone: bool = False
    """Only the person corrects: the environment's walks measure the model, and tell nothing."""
    free_parameters: bool = False
    """The language model chooses each action's parameters, as published. Such a model is not walked beside
    the environment, so only a person corrects it. For plan-shown, plan-shown-advised, plan-by-model."""
    strips_only: bool = False
    """Conditions and effects of the model do without or, imply, exists, forall, when and negated
    conjunctions; a reply with one of them is sent back. For all methods but plan-alone."""
    out: Path | None = None
    """The run directory; default: runs/worldmodel."""


def main(arguments: Sequence[str]) -> int:
    """Do the experiment of a command line; returns the exit code."""
    config = parse_job(WorldModelConfig, "worldmodel", arguments)
    if others := [method for method in config.method if method not in METHOD_NAMES]:
        raise ConfigError(f"--method: {others[0]} is not compared here, only {', '.join(METHOD_NAMES)}")
    files = PersonFiles(config.remarks, config.plan_that_works, config.plan_task, config.human_alone)
    modelling = Modelling(config.free_parameters, config.strips_only)
    check_modelling(modelling, config.method, with_plan=files.plan is not None)
    resolving = partial(cells_of, files=files, modelling=modelling)
    return run(replace(config, out=config.out or _OUT), wide_console(), resolving)


def cells_of(
    config: RunConfig, shelf: Sequence[Shelved], files: PersonFiles = _NOBODY, modelling: Modelling = _USUAL
) -> RunPlan:
    """Every cell, as far as there are answers; with what a person says in `files`. Raises ConfigError."""
    person = files.read(config)
    if modelling != _USUAL and not is_live(config):
        shelf = written_so(shelf, modelling)
    if person is not None and not is_live(config):
        shelf = answering(shelf, person)
    seeds = config.seeds or (SEEDS if is_live(config) else ())
    asked = [replace(config, seeds=seeds, env=config.env or WORLDS)]
    if not (config.env or config.recording or is_live(config)):
        asked += _besides(asked[0], OUTLINED, OUTLINED_TASKS, (OUTLINED_METHOD,))
        asked += _besides(asked[0], SHOWN, SHOWN_TASKS, SHOWN_METHODS)
    plan = resolve_cells(asked, shelf)
    plan = plan if person is None else replace(plan, units=heard_by(plan.units, person))
    if modelling == _USUAL:
        return plan
    return replace(plan, units=tuple(replace(unit, modelling=modelling) for unit in plan.units))


def _besides(config: RunConfig, env: tuple[str, ...], most: int, known: Sequence[str]) -> list[RunConfig]:
    """Up to `most` instructions of further worlds, by the methods asked for that are `known` there."""
    methods = tuple(method for method in config.method if method in known)
    tasks = min(config.tasks or most, most)
    return [replace(config, env=env, tasks=tasks, method=methods)] if methods else []
