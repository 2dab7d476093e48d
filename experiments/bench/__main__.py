"""Speed and memory: `python -m experiments.bench SUBJECT`; --help lists the subjects.

Every figure is the median of several repeats of the real code, with its target beside it. The last column
compares with a slower way of doing the same, timed in the same run, since ratios travel between machines
better than seconds do. A subject's module is imported when the subject is chosen, so a figure of memory holds
nothing that other subjects need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import tyro
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from experiments.bench.measure import Figure, peak_memory
from experiments.config import fail
from experiments.driver.command import run_command
from experiments.driver.console import wide_console

Subject = Literal[
    "ew", "steps", "worlds", "search", "report", "ledger", "job", "equivalence", "tic", "planetarium",
    "repair", "operators", "goals", "alignment", "texts",
]  # fmt: skip


@dataclass(frozen=True)
class Bench:
    """Measure speed and memory, with the targets beside."""

    what: tyro.conf.Positional[Literal["all"] | Subject] = "all"
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


@dataclass(frozen=True)
class Measuring:
    """A function of a module beside this one that yields figures, and the flag that it is called with."""

    module: str
    function: str
    flag: Literal["repeats", "plot"] | None = None

    def figures(self, config: Bench) -> Iterable[Figure]:
        """Measure. What is raised is an error of ours."""
        measure = getattr(import_module(f"experiments.bench.{self.module}"), self.function)
        found: Iterable[Figure] = measure() if self.flag is None else measure(getattr(config, self.flag))
        return found


#: What is measured of each subject, in this order.
SUBJECTS: Mapping[Subject, tuple[Measuring, ...]] = MappingProxyType(
    {
        "ew": (
            Measuring("kernel", "bench_ew", "repeats"),
            Measuring("walks", "bench_walks", "repeats"),
            Measuring("estimators", "bench_estimators", "repeats"),
        ),
        "steps": (Measuring("kernel", "bench_steps", "repeats"),),
        "worlds": (Measuring("worlds", "bench_worlds", "repeats"),),
        "search": (Measuring("search", "bench_search"), Measuring("scaling", "bench_scaling", "plot")),
        "report": (Measuring("report", "bench_report"),),
        "ledger": (Measuring("runs", "bench_ledger"),),
        "job": (Measuring("runs", "bench_job"),),
        "equivalence": (Measuring("equivalence", "bench_equivalence", "repeats"),),
        "tic": (Measuring("tic", "bench_tic"),),
        "planetarium": (Measuring("planetarium", "bench_planetarium", "repeats"),),
        "repair": (Measuring("shared_evidence", "bench_shared"), Measuring("repair", "bench_repair")),
        "operators": (Measuring("operators", "bench_operators"),),
        "goals": (Measuring("goals", "bench_goals", "repeats"),),
        "alignment": (Measuring("alignment", "bench_alignment"),),
        "texts": (Measuring("texts", "bench_texts", "repeats"),),
    }
)
#: Subjects that `all` stands for.
ALL: tuple[Subject, ...] = (
    "ew", "steps", "worlds", "search", "report", "ledger", "job", "equivalence", "tic",
)  # fmt: skip
#: Subjects that the target of memory is for; pddlgym is loaded for those after them.
_SMALL: tuple[Subject, ...] = ("ew", "steps")


def measured(config: Bench) -> list[Figure]:
    """The figures of the subjects that were asked for, and the memory that the small ones took."""
    chosen = ALL if config.what == "all" else (config.what,)
    small = [subject for subject in chosen if subject in _SMALL]
    figures: list[Figure] = []
    for subject in chosen:
        for measuring in SUBJECTS[subject]:
            figures += measuring.figures(config)
        if small and subject == small[-1] and (memory := peak_memory()) is not None:
            figures.append(memory)
    return figures


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
    figures = measured(config)
    show(figures, wide_console())
    return 0 if all(f.met for f in figures) else 1


if __name__ == "__main__":
    run_command(main)
