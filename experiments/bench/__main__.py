"""Speed and memory: `python -m experiments.bench WHAT`; --help lists what there is.

Every figure is the median of several repeats of the real code, with its target beside it. The last column
compares with a slower way of doing the same, timed in the same run, since ratios travel between machines
better than seconds do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from experiments.bench.alignment import bench_alignment
from experiments.bench.equivalence import bench_equivalence
from experiments.bench.estimators import bench_estimators
from experiments.bench.goals import bench_goals
from experiments.bench.job import bench_job
from experiments.bench.kernel import bench_ew, bench_steps
from experiments.bench.ledger import bench_ledger
from experiments.bench.measure import Figure, peak_memory
from experiments.bench.operators import bench_operators
from experiments.bench.planetarium import bench_planetarium
from experiments.bench.repair import bench_repair
from experiments.bench.report import bench_report
from experiments.bench.scaling import bench_scaling
from experiments.bench.search import bench_search
from experiments.bench.shared_evidence import bench_shared
from experiments.bench.texts import bench_texts
from experiments.bench.tic import bench_tic
from experiments.bench.walks import bench_walks
from experiments.bench.worlds import bench_worlds
from experiments.config import fail
from experiments.driver.command import run_command
from experiments.reporting.display import wide_console


@dataclass(frozen=True)
class Bench:
    """Measure speed and memory, with the targets beside."""

    what: tyro.conf.Positional[
        Literal[
            "all",
            "ew",
            "steps",
            "worlds",
            "search",
            "report",
            "ledger",
            "job",
            "equivalence",
            "tic",
            "planetarium",
            "repair",
            "operators",
            "goals",
            "alignment",
            "texts",
        ]
    ] = "all"
    """EW scores (end to end, compiled, by estimator), environment steps, worlds, search (a live tree on a
    slow stub, scaling over workers), the report of a large run, opening one again (ledger), the default job,
    equivalence (comparing problems), inference from task texts (tic), or all of these; only if asked for:
    planetarium (making and judging pairs of texts and problems), repair (with and without what another repair
    saw, and two ways to find the fewest edits; minutes), operators (learning from 30,000 steps), goals
    (parsing, extension, ranking), alignment (counting the errors of large domains) and texts (replies and
    domains made to cost time)."""
    repeats: int = 9
    """Timings of which the median is shown."""
    plot: Path | None = None
    """Search: draw its scaling to this name, with .png and with .svg behind it."""


def show(figures: Sequence[Figure], console: Console) -> None:
    """The figures as a table."""
    table = Table(box=SIMPLE)
    for column in ("what", "measured", "target", "", "beside"):
        table.add_column(column, justify="right" if column in ("measured", "target") else "left")
    for f in figures:
        table.add_row(f.what, f.value, f.target, "ok" if f.met else "MISSED", f.beside)
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; exit code 1 if a target is missed, 2 if a flag is wrong."""
    config = tyro.cli(Bench, prog="python -m experiments.bench", args=arguments)
    if config.repeats < 1:
        return fail(f"--repeats must be positive, not {config.repeats}", 2)
    figures: list[Figure] = []
    if config.what in ("all", "ew"):
        figures += bench_ew(config.repeats)
        figures += bench_walks(config.repeats)
        figures += bench_estimators(config.repeats)
    if config.what in ("all", "steps"):
        figures += bench_steps(config.repeats)
    memory = peak_memory()  # before the worlds, since pddlgym is loaded for those
    if config.what in ("all", "worlds"):
        figures += bench_worlds(config.repeats)
    if memory is not None and config.what in ("all", "ew", "steps"):
        figures.append(memory)
    if config.what in ("all", "search"):
        figures += bench_search()
        figures += bench_scaling(config.plot)
    if config.what in ("all", "report"):
        figures += bench_report()
    if config.what in ("all", "ledger"):
        figures += bench_ledger()
    if config.what in ("all", "job"):
        figures += bench_job()
    if config.what in ("all", "equivalence"):
        figures += bench_equivalence(config.repeats)
    if config.what in ("all", "tic"):
        figures += bench_tic()
    if config.what == "planetarium":
        figures += bench_planetarium(config.repeats)
    if config.what == "repair":
        figures += bench_shared()
        figures += bench_repair()
    if config.what == "operators":
        figures += bench_operators()
    if config.what == "goals":
        figures += bench_goals(config.repeats)
    if config.what == "alignment":
        figures += bench_alignment()
    if config.what == "texts":
        figures += bench_texts(config.repeats)
    show(figures, wide_console())
    return 0 if all(f.met for f in figures) else 1


if __name__ == "__main__":
    run_command(main)
