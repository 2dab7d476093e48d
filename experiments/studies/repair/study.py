"""`python -m experiments.run study-repair`: which broken domains repair restores, and what that takes.

Writes `repair.csv` (one row a case: faults, edits, EW before and after), `table.md`, `table.tex` (shares with
the targets, costs, worlds, and every case that stayed below EW 1) and the figure `repair` as PNG and SVG. The
records are in `events.jsonl`; all else is made from them. A case is made again, and looked at, by
`python -m experiments.run repair --env WORLD --break K --kind KIND --seed SEED`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from envs.pddl.mutation.faults import BreakKind
from experiments.config import ConfigError
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import latex, markdown
from experiments.studies.repair.cases import Kind
from experiments.studies.repair.plots import draw_repair
from experiments.studies.repair.tables import Restoring, repair_csv, repair_tables
from experiments.studies.repair.units import RepairUnit, can_be_broken, work
from experiments.studies.study import StudyConfig, do_units, open_study

#: Kinds of faults and how many of them: the cells of the study. Nothing broken comes first.
CELLS: tuple[tuple[BreakKind, int], ...] = (
    (BreakKind.REMOVED, 0),
    (BreakKind.REMOVED, 1),
    (BreakKind.REMOVED, 3),
    (BreakKind.REMOVED, 5),
    (BreakKind.REMOVED, 10),
    (BreakKind.ADDED, 1),
    (BreakKind.ADDED, 3),
    (BreakKind.ARGUMENTS, 1),
    (BreakKind.ARGUMENTS, 3),
    (BreakKind.PARAMETER, 1),
    (BreakKind.MIXED, 3),
)
#: The worlds of the small study: the ten of the paper, and two old ones.
SMALL: tuple[str, ...] = (
    "barman", "blocksworld", "childsnack", "depot", "driverlog", "floortile", "grippers", "grippers_ood",
    "hiking", "miconic", "movie", "termes",
)  # fmt: skip


@dataclass(frozen=True)
class StudyRepairConfig(StudyConfig):
    """Break every domain in many ways: how much of it does repair restore?"""

    samples: int = 1
    """Cases for each world, kind and number of faults; their seeds count up from --seed."""
    full: bool = False
    """20 cases each, in all bundled worlds; without it, 12 of them are studied if --env names none."""
    kinds: tuple[Kind, ...] = ()
    """Kinds of faults; default: all."""
    tasks: int = 3
    """Tasks that each repaired domain is tried on: those after --problem."""
    walks: int = 1000
    """Fresh walks that a domain is judged by, before and after."""
    queries: int = 5000
    """World queries that one repair may make."""
    wall_s: float = 30.0
    """Seconds that one repair may take."""
    out: Path = Path("runs/study-repair")
    """Where everything is written."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds asked for. Raises ConfigError for an unknown name."""
        return super().worlds if self.env or self.full else SMALL

    def units(self) -> list[RepairUnit]:
        """All units, world by world; cells that a world's domain cannot have are left out."""
        samples = 20 if self.full else self.samples
        return [
            self._unit(env, kind, count, self.seed + sample)
            for env in self.worlds
            for kind, count in self._cells
            if not count or can_be_broken(env, self.problem, kind)
            for sample in range(samples if count else 1)
        ]

    @property
    def _cells(self) -> tuple[tuple[BreakKind, int], ...]:
        return tuple(cell for cell in CELLS if not self.kinds or not cell[1] or cell[0].value in self.kinds)

    def _unit(self, env: str, kind: BreakKind, count: int, seed: int) -> RepairUnit:
        return RepairUnit(
            env, self.problem, kind, count, self.tasks, self.walks, self.queries, self.wall_s, seed,
            self.planner, self.planner_wall_s,
        )  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = tyro.cli(StudyRepairConfig, prog="python -m experiments.run study-repair", args=list(arguments))
    seconds = (config.wall_s, config.planner_wall_s)
    if min(config.samples, config.queries) < 1 or not all(0 < s < math.inf for s in seconds):
        raise ConfigError("--samples, --queries, --wall-s and --planner-wall-s must be positive numbers")
    if config.walks < 2 or config.tasks < 0:
        raise ConfigError("--walks must be 2 or more and --tasks must not be negative")
    console = wide_console()
    with open_study(config, config.out) as directory:
        found = Restoring(do_units(config, directory, config.units(), work, console))
        tables = repair_tables(found)
        directory.write("repair.csv", repair_csv(found))
        directory.write("table.md", "\n".join(map(markdown, tables)))
        directory.write("table.tex", "\n".join(map(latex, tables)))
        if directory.writable:
            draw_repair(found, directory.path / "repair")
        for table in tables:
            console.print(rich_table(table))
        console.print(f"written to {directory.path}", soft_wrap=True)
    return 0
