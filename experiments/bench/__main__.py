"""Speed and memory: `python -m experiments.bench SUBJECT`; --help lists the subjects.

Every figure is the median of several repeats of the real code, with its target beside it. The last column
compares with a slower way of doing the same, timed in the same run, since ratios travel between machines
better than seconds do. A subject's module is imported when the subject is chosen, so a figure of memory holds
nothing that other subjects need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Literal

import tyro
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from experiments.bench.measure import BenchSettings, Figure
from experiments.config import fail
from experiments.driver.command import run_command
from experiments.reporting.display import wide_console

Subject = Literal[
    "ew", "steps", "worlds", "search", "report", "ledger", "job", "equivalence", "tic", "planetarium",
    "repair", "operators", "goals", "alignment", "texts",
    "simulators",
]  # fmt: skip


@dataclass(frozen=True)
class Bench(BenchSettings):
    """Measure speed and memory, with the targets beside."""

    what: tyro.conf.Positional[Literal["all"] | Subject] = "all"
    """EW scores (end to end, compiled, by estimator), environment steps, worlds, search (a live tree on a
    slow stub, scaling over workers), the report of a large run, opening one again (ledger), the default job,
    equivalence (comparing problems), inference from task texts (tic), or all of these; only if asked for:
    planetarium (making and judging pairs of texts and problems), repair (with and without what another repair
    saw, and two ways to find the fewest edits; minutes), operators (learning from 30,000 steps), goals
    (parsing, extension, ranking), alignment (counting the errors of large domains), texts (replies and
    domains made to cost time) and simulators (what walks cost a world that is no PDDL)."""


#: The functions that yield a subject's figures, in this order, each as module:function of BenchSettings.
SUBJECTS: Mapping[Subject, tuple[str, ...]] = MappingProxyType(
    {
        "ew": ("kernel:ew_figures", "kernel:estimator_figures", "measure:small_memory"),
        "steps": ("kernel:step_figures", "measure:small_memory"),
        "worlds": ("worlds:world_figures",),
        "search": ("search:search_figures", "search:scaling_figures"),
        "report": ("runs:report_figures",),
        "ledger": ("runs:ledger_figures",),
        "job": ("runs:job_figures",),
        "equivalence": ("equivalence:equivalence_figures",),
        "tic": ("texts:tic_figures",),
        "planetarium": ("equivalence:planetarium_figures",),
        "repair": ("repair:shared_figures", "repair:repair_figures"),
        "operators": ("learning:operators_figures",),
        "goals": ("learning:goals_figures",),
        "alignment": ("equivalence:alignment_figures",),
        "texts": ("texts:texts_figures",),
        "simulators": ("simulators:simulator_figures",),
    }
)
#: Subjects that `all` stands for.
ALL: tuple[Subject, ...] = tuple(SUBJECTS)[:9]


def measured(config: Bench) -> Iterator[Figure]:
    """The figures of the subjects that were asked for. What is raised is an error of ours."""
    for subject in ALL if config.what == "all" else (config.what,):
        for path in SUBJECTS[subject]:
            module, _, function = path.partition(":")
            yield from getattr(import_module(f"experiments.bench.{module}"), function)(config)


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
    figures = list(measured(config))
    show(figures, wide_console())
    return 0 if all(f.met for f in figures) else 1


if __name__ == "__main__":
    run_command(main)
