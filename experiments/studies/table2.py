"""`python -m experiments.run table2`: the published comparison, methods x environments x seeds.

A run of the main job with other defaults: the ten environments of the paper, its five methods and `refine`,
four seeds; the published figures stand beside those of the run
(`experiments.reporting.published_comparison`). With recordings it takes every cell that they answer and
leaves the others empty, so the table can be made from what comes with the project. docs/experiments.md says
how to read it.

Source: Mahdavi et al. 2024, Table 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.config import RunConfig, is_live, parse_job
from experiments.driver.console import wide_console
from experiments.driver.plan import resolve_cells
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import PUBLISHED
from experiments.recordings import Shelved
from experiments.reporting.published_table2 import PAPER_ENVS, PAPER_SEEDS
from experiments.run import run


@dataclass(frozen=True)
class Table2Config(RunConfig):
    """Methods side by side on the environments of the paper: Best@4 beside the published figures, means with
    intervals, and costs.

    Without --model or --base-url it is made of the recordings there are: cells without one stay empty.
    """

    method: tuple[str, ...] = (*PUBLISHED, "refine")
    """What is compared."""
    env: tuple[str, ...] = PAPER_ENVS
    """Where."""
    also: tuple[str, ...] = ()
    """Further environments, beside those of --env."""
    seeds: tuple[int, ...] = ()
    """One repetition of everything for each seed; default: 0 1 2 3, or those that are recorded."""
    out: Path | None = Path("runs/table2")
    """The run directory."""


def main(arguments: Sequence[str]) -> int:
    """Do the comparison of a command line; returns the exit code."""
    config = parse_job(Table2Config, "table2", arguments)
    envs = tuple(dict.fromkeys((*config.env, *config.also)))
    return run(replace(config, env=envs), wide_console(), cells_of)


def cells_of(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """Every cell of the table, as far as there are answers."""
    seeds = config.seeds or (PAPER_SEEDS if is_live(config) else ())
    return replace(resolve_cells([replace(config, seeds=seeds)], shelf), published=True)
