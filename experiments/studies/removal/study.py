"""`python -m experiments.run study-removal`: what missing terms do to planning and to the EW score.

Writes `pnf.csv` (share of plans not found by terms removed), `exact.csv` (by every single term, with
--exact), `ew.csv` (EW score by differing terms), `correlation.csv` (rank correlation of the two, per world),
`table.md`, and the figures `pnf`, `ew` and `ew-all`, each as PNG and SVG. The records are in `events.jsonl`;
all else is made from them.

Source: Mahdavi et al. 2024, Figures 2a, 2b and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import tyro

from experiments.config import ConfigError
from experiments.report import rich_table, wide_console
from experiments.reporting.tables import markdown
from experiments.studies.removal.plots import draw_removal
from experiments.studies.removal.tables import (
    Removal,
    correlation_csv,
    ew_csv,
    exact_csv,
    pnf_csv,
    summary_table,
)
from experiments.studies.removal.units import MOST, PairUnit, PlanUnit, TermsUnit, work
from experiments.studies.study import StudyConfig, do_units, open_study


@dataclass(frozen=True)
class RemovalConfig(StudyConfig):
    """Remove k terms of every domain: is a plan still found, and does the EW score see it?"""

    samples: int = 12
    """Domains planned for, for each world and number of removed terms."""
    pairs: int = 30
    """Pairs of domains walked in, for each world and number of differing terms."""
    tasks: int = 1
    """Tasks of each world that every domain is planned for and every pair walked in, from --problem on."""
    exact: bool = False
    """Also remove every single term once, which gives PNF_1 exactly."""
    keep_one: bool = False
    """Never remove the last term of a precondition or an effect; default: all terms are alike."""
    published: bool = False
    """The setting of the published program, long: 100 domains and pairs, 3 tasks, 300 seconds a plan,
    --keep-one; and --exact."""
    out: Path = Path("runs/study-removal")
    """Where everything is written."""

    def sized(self) -> RemovalConfig:
        """The configuration with what `published` stands for."""
        if not self.published:
            return self
        return replace(self, samples=100, pairs=100, tasks=3, exact=True, keep_one=True, planner_wall_s=300.0)

    def units(self) -> list[PlanUnit | TermsUnit | PairUnit]:
        """All units: worlds in order; planning, which takes longer, first."""
        planner = (self.planner, self.planner_wall_s)
        problems = range(self.problem, self.problem + self.tasks)
        plans = [
            PlanUnit(env, problem, removed, self.samples, self.seed, *planner, self.keep_one)
            for env in self.worlds
            for problem in problems
            for removed in range(MOST + 1)
        ]
        terms = [
            TermsUnit(env, problem, *planner, self.keep_one) for env in self.worlds for problem in problems
        ]
        walks = [
            PairUnit(env, self.problem, differing, self.pairs, self.seed, self.tasks, self.keep_one)
            for env in self.worlds
            for differing in range(MOST + 1)
        ]
        return [*plans, *(terms if self.exact else ()), *walks]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = tyro.cli(RemovalConfig, prog="python -m experiments.run study-removal", args=list(arguments))
    if min(config.samples, config.pairs, config.tasks) < 1:
        raise ConfigError("--samples, --pairs and --tasks must be positive")
    config = config.sized()
    console = wide_console()
    with open_study(config, config.out) as directory:
        found = Removal.of(do_units(config, directory, config.units(), work, console))
        for name, text in (
            ("pnf.csv", pnf_csv(found)),
            ("exact.csv", exact_csv(found)),
            ("ew.csv", ew_csv(found)),
            ("correlation.csv", correlation_csv(found)),
            ("table.md", markdown(summary_table(found))),
        ):
            directory.write(name, text)
        if directory.writable:
            draw_removal(found, directory.path)
        console.print(rich_table(summary_table(found)))
        console.print(f"written to {directory.path}", soft_wrap=True)
    return 0
