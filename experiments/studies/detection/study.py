"""`python -m experiments.run study-detection`: which way of walking exposes wrong domains, at what price.

Writes `detection.csv` (one row for each mutation and way), `table.md` (share exposed by 100, 300 and 1,000
world queries; by kind of mutation; by world; the saturated candidates) and the figure `detection` as PNG and
SVG. The records are in `events.jsonl`; all else is made from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from experiments.config import ConfigError
from experiments.report import rich_table, wide_console
from experiments.reporting.tables import markdown
from experiments.studies.detection.plots import draw_detection
from experiments.studies.detection.tables import Detection, detection_csv, detection_tables
from experiments.studies.detection.units import MutantUnit, Pool, pool_size, work
from experiments.studies.study import StudyConfig, do_units, open_study


@dataclass(frozen=True)
class DetectionConfig(StudyConfig):
    """Which walks expose a domain that is wrong in a single literal?"""

    mutants: int = 40
    """Mutations of each world, the kinds in turn."""
    saturated: tuple[str, ...] = ("barman", "childsnack")
    """Worlds of which every single removal is tried, to find those that the EW score does not see."""
    repeats: int = 5
    """Times that each of those is walked in each way."""
    budget: int = 1000
    """World queries of one search for a disagreement."""
    max_states: int = 5000
    """Pairs of states looked through before an unexposed mutation counts as unknown."""
    out: Path = Path("runs/study-detection")
    """Where everything is written."""

    def units(self) -> list[MutantUnit]:
        """All units: the sample, world by world, then the removals."""
        return [
            *(unit for env in self.worlds for unit in self._of(env, Pool.SAMPLE, 1)),
            *(unit for env in self._saturated for unit in self._of(env, Pool.REMOVALS, self.repeats)),
        ]

    @property
    def _saturated(self) -> tuple[str, ...]:
        """Only worlds of the study."""
        return tuple(env for env in self.saturated if env in self.worlds)

    def _of(self, env: str, pool: Pool, repeats: int) -> list[MutantUnit]:
        return [
            MutantUnit(
                env, self.problem, pool, number, self.mutants, self.budget, repeats, self.max_states,
                self.seed, self.planner, self.planner_wall_s,
            )
            for number in range(pool_size(env, self.problem, pool, self.mutants))
        ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = tyro.cli(DetectionConfig, prog="python -m experiments.run study-detection", args=list(arguments))
    if min(config.mutants, config.repeats, config.budget, config.max_states) < 1:
        raise ConfigError("--mutants, --repeats, --budget and --max-states must be positive")
    console = wide_console()
    with open_study(config, config.out) as directory:
        found = Detection(do_units(config, directory, config.units(), work, console))
        tables = detection_tables(found)
        directory.write("detection.csv", detection_csv(found))
        directory.write("table.md", "\n".join(markdown(table) for table in tables))
        if directory.writable:
            draw_detection(found, directory.path / "detection")
        for table in tables:
            console.print(rich_table(table))
        console.print(f"recommended: {found.recommended}; written to {directory.path}", soft_wrap=True)
    return 0
