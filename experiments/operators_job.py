"""`python -m experiments.run operators`: how many of Mini-Minecraft's operators demonstrations teach.

Writes `operators.csv` (one row a unit), `table.md`, `table.tex` (the share recovered against the number of
demonstrations, EW with the true domain, what was not recovered and why) and the figure `operators` as PNG and
SVG. The records are in `events.jsonl`; all else is made from them. No language model is asked.
Source of the comparison: Siegel et al. 2024, section 6 and Figure 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from experiments.config import ConfigError
from experiments.operator_plots import draw_operators
from experiments.operator_tables import Recovering, operator_tables, operators_csv
from experiments.operator_units import LearnUnit, drawn, work
from experiments.report import rich_table, wide_console
from experiments.study import StudyConfig, do_units, open_study
from experiments.tables import latex, markdown


@dataclass(frozen=True)
class OperatorsConfig(StudyConfig):
    """Learn operators from demonstrations and compare them with the true ones. --env is minecraft alone."""

    env: tuple[str, ...] = ("minecraft",)
    """Where the demonstrations are from."""
    methods: tuple[Literal["symbolic", "known"], ...] = ("symbolic", "known")
    """By name alone, as published; with arguments known."""
    counts: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100)
    """Numbers of demonstrations."""
    repeats: int = 5
    """Times that demonstrations are drawn."""
    tasks: tuple[int, ...] = (1, 4)
    """The world's tasks that EW is taken in."""
    walks: int = 200
    """Fresh walks of one EW score."""
    states: int = 4
    """Of each action, states of held-out demonstrations that learned operators are tried in."""
    out: Path = Path("runs/operators")
    """Where everything is written."""

    def units(self) -> list[LearnUnit]:
        """All units, method by method."""
        return [
            LearnUnit(method, count, repeat, self.tasks, self.walks, self.states, self.seed)
            for method in self.methods
            for count in self.counts
            for repeat in range(self.repeats)
        ]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = tyro.cli(OperatorsConfig, prog="python -m experiments.run operators", args=list(arguments))
    _check(config)
    console = wide_console()
    with open_study(config, config.out) as directory:
        found = Recovering(do_units(config, directory, config.units(), work, console))
        tables = operator_tables(found)
        directory.write("operators.csv", operators_csv(found))
        directory.write("table.md", "\n".join(map(markdown, tables)))
        directory.write("table.tex", "\n".join(map(latex, tables)))
        draw_operators(found, directory.path / "operators")
        for table in tables:
            console.print(rich_table(table))
        console.print(f"written to {directory.path}", soft_wrap=True)
    return 0


def _check(config: OperatorsConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    if config.env != ("minecraft",):
        raise ConfigError("--env: demonstrations are there for minecraft alone")
    if not config.counts or min(config.counts) < 1 or min(config.repeats, config.states) < 1:
        raise ConfigError("--counts, --repeats and --states must be positive")
    if config.walks < 2:
        raise ConfigError("--walks must be 2 or more")
    there = len(drawn(config.seed, 0))
    if max(config.counts) > there:
        raise ConfigError(
            f"--counts: there are {there} demonstrations to learn from, not {max(config.counts)}"
        )
