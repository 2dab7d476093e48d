"""`python -m experiments.run study-removal`: what missing terms do to planning and to the EW score.

Writes `pnf.csv` (share of plans not found by terms removed), `ew.csv` (EW score by differing terms),
`correlation.csv` (rank correlation of the two, per world), `table.md`, and the figures `pnf`, `ew` and
`ew-all`, each as PNG and SVG. The records are in `events.jsonl`; all else is made from them.

Source: Mahdavi et al. 2024, Figures 2a, 2b and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from experiments.config import ConfigError
from experiments.removal import MOST, PairUnit, PlanUnit, work
from experiments.removal_plots import draw_removal
from experiments.removal_tables import Removal, correlation_csv, ew_csv, pnf_csv, summary_table
from experiments.report import rich_table, wide_console
from experiments.study import StudyConfig, do_units, open_study
from experiments.tables import markdown


@dataclass(frozen=True)
class RemovalConfig(StudyConfig):
    """Remove k terms of every domain: is a plan still found, and does the EW score see it?"""

    samples: int = 12
    """Domains planned for, for each world and number of removed terms."""
    pairs: int = 30
    """Pairs of domains walked in, for each world and number of differing terms."""
    paper_size: bool = False
    """100 domains and 100 pairs each."""
    out: Path = Path("runs/study-removal")
    """Where everything is written."""

    def sized(self) -> tuple[int, int]:
        """Samples and pairs."""
        return (100, 100) if self.paper_size else (self.samples, self.pairs)

    def units(self) -> list[PlanUnit | PairUnit]:
        """All units: worlds in order; planning, which takes longer, first."""
        samples, pairs = self.sized()
        plans = [
            PlanUnit(env, self.problem, removed, samples, self.seed, self.planner, self.planner_wall_s)
            for env in self.worlds
            for removed in range(MOST + 1)
        ]
        walks = [
            PairUnit(env, self.problem, differing, pairs, self.seed)
            for env in self.worlds
            for differing in range(MOST + 1)
        ]
        return [*plans, *walks]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = tyro.cli(RemovalConfig, prog="python -m experiments.run study-removal", args=list(arguments))
    if config.samples < 1 or config.pairs < 1:
        raise ConfigError("--samples and --pairs must be positive")
    console = wide_console()
    with open_study(config, config.out) as directory:
        found = Removal.of(do_units(config, directory, config.units(), work, console))
        for name, text in (
            ("pnf.csv", pnf_csv(found)),
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
