"""The repair study's records as shares, tables and a figure.

Shares are among the cases that walks can tell from the truth: harmless ones are counted apart. What a unit
without a fault solves is the most that any repair could; it stands in the row of 0 faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

from envs.pddl.mutation.faults import BreakKind
from ew.score.shown import shown
from experiments.reporting.display import bar, new_figure, save
from experiments.reporting.statistics import Estimate, share
from experiments.reporting.tables import NOTHING, Columns, Table, write_csv
from experiments.studies.study import Record

#: A kind of fault and how many of them.
Cell = tuple[str, int]
#: The cells of the study. For removals the share that is to be restored; others are within ten points of it.
TARGETS: Mapping[Cell, float] = MappingProxyType(
    {
        (BreakKind.REMOVED.value, 1): 0.99,
        (BreakKind.REMOVED.value, 3): 0.95,
        (BreakKind.REMOVED.value, 5): 0.85,
        (BreakKind.REMOVED.value, 10): 0.50,
        (BreakKind.ADDED.value, 1): 0.89,
        (BreakKind.ADDED.value, 3): 0.85,
        (BreakKind.ARGUMENTS.value, 1): 0.89,
        (BreakKind.ARGUMENTS.value, 3): 0.85,
    }
)
#: Median seconds of one repair that three removed terms may take.
TARGET_S = 10.0
_COLUMNS = (
    "env", "kind", "count", "seed", "out_of_reach", "unread", "verdict", "goal", "ew_before", "ew", "exact",
    "world_queries", "rounds", "wall_s", "unexplained",
)  # fmt: skip


class Restoring:
    """All that the study found, cells and worlds in the order of the units."""

    def __init__(self, records: Sequence[Record]):
        self.records = tuple(records)  #: as in `experiments.studies.repair.study.work`
        self.cells: tuple[Cell, ...] = tuple(dict.fromkeys((r["kind"], r["count"]) for r in self.records))
        self.envs: tuple[str, ...] = tuple(dict.fromkeys(r["env"] for r in self.records))

    def of(self, cell: Cell, env: str | None = None) -> list[Record]:
        """All records of a cell, or those of one world."""
        return [r for r in self.records if (r["kind"], r["count"]) == cell and env in (None, r["env"])]

    def harmful(self, cell: Cell, env: str | None = None) -> list[Record]:
        """Those that walks can tell from the truth; all of them where nothing was broken."""
        return [r for r in self.of(cell, env) if not is_harmless(r)]

    def restored(self, cell: Cell, env: str | None = None) -> Estimate:
        """The share restored to EW 1, among the harmful ones."""
        return share(map(is_restored, self.harmful(cell, env)))

    def below(self) -> list[Record]:
        """The cases that were not restored."""
        return [r for r in self.records if not is_harmless(r) and not is_restored(r)]


def is_harmless(record: Record) -> bool:
    """Whether faults were made that walks do not show."""
    return bool(record["faults"]) and record["ew_before"] == 1.0


def is_restored(record: Record) -> bool:
    """Whether the model is of EW 1 after the repair."""
    return bool(record["ew"] == 1.0)


def repair_tables(found: Restoring) -> tuple[Table, ...]:
    """All tables of the study."""
    tables = (_share_table, _task_table, _cost_table, _world_table, _below_table)
    return tuple(table(found) for table in tables)


def repair_csv(found: Restoring) -> str:
    """One row a case."""
    rows = [
        (
            *(r[column] for column in _COLUMNS),
            f"{sum(r['solved'])}/{len(r['solved'])}",
            "; ".join(r["faults"]),
            "; ".join(r["edits"]),
        )
        for r in found.records
    ]
    return write_csv((*_COLUMNS, "solved", "faults", "edits"), rows)


_CELL: Columns = {
    "kind": lambda cell: cell[0] if cell[1] else "nothing", "faults": lambda cell: cell[1]
}  # fmt: skip


def _share_table(found: Restoring) -> Table:
    """One row a cell: what was restored and what is solved."""

    def in_reach(cell: Cell) -> list[Record]:
        return [r for r in found.harmful(cell) if not r["out_of_reach"]]

    columns: Columns = {
        **_CELL,
        "cases": lambda cell: len(found.of(cell)),
        "harmless": lambda cell: len(found.of(cell)) - len(found.harmful(cell)),
        "out of reach": lambda cell: len(found.harmful(cell)) - len(in_reach(cell)),
        "restored": found.restored,
        "of the others": lambda cell: share(map(is_restored, in_reach(cell))),
        "target": lambda cell: TARGETS.get(cell, ""),
        "tasks solved": lambda cell: _solved(found.harmful(cell)),
        "exact": lambda cell: share(r["exact"] for r in found.harmful(cell)),
    }
    notes = (
        "Restored: to EW 1 on walks that the repair has not seen. Shares (95 % interval) leave out harmless "
        "cases, which are of EW 1 from the beginning.",
        "Out of reach: with a fault in an equality or below an `or`, a quantifier or a `when`, where repair "
        "edits nothing. Of the others: what is restored of the cases in reach.",
    )
    return Table.of(f"Repair of broken domains, {len(found.envs)} worlds", found.cells, columns, notes)


def _solved(records: Iterable[Record]) -> Estimate:
    """The share of tasks solved."""
    return share(task for r in records for task in r["solved"])


def _task_table(found: Restoring) -> Table:
    """One row a cell: the tasks solved, by what walks could and did find out."""

    def restored(cell: Cell, *, unread: bool) -> Estimate:
        return _solved(r for r in found.harmful(cell) if is_restored(r) and bool(r["unread"]) == unread)

    columns: Columns = {
        **_CELL,
        "restored": lambda cell: restored(cell, unread=False),
        "restored, unread": lambda cell: restored(cell, unread=True),
        "not restored": lambda cell: _solved(r for r in found.harmful(cell) if not is_restored(r)),
    }
    notes = (
        "Unread: with a fault in an effect on a predicate that no action tests. Only goals read it, and "
        "walks show nothing of it.",
    )
    return Table.of("Share of tasks solved", found.cells, columns, notes)


def _cost_table(found: Restoring) -> Table:
    """One row a cell: what it took, and how the repairs ended."""

    def of(cell: Cell, name: str) -> list[Any]:
        return [r[name] for r in found.harmful(cell)]

    def verdicts(cell: Cell) -> str:
        return ", ".join(f"{name} {n}" for name, n in sorted(Counter(of(cell, "verdict")).items()))

    columns: Columns = {
        **_CELL,
        "queries": lambda cell: f"{median(of(cell, 'world_queries')):.0f}",
        "seconds": lambda cell: f"{median(of(cell, 'wall_s')):.2f}",
        "longest": lambda cell: f"{max(of(cell, 'wall_s')):.1f}",
        "faults made": lambda cell: f"{fmean(map(len, of(cell, 'faults'))):.1f}",
        "edits": lambda cell: f"{fmean(map(len, of(cell, 'edits'))):.1f}",
        "verdicts": verdicts,
    }
    notes = ("Queries and seconds are medians, faults made and edits are means.",)
    return Table.of("What the repairs took", filter(found.harmful, found.cells), columns, notes)


def _world_table(found: Restoring) -> Table:
    """One row a world: how many were restored in each cell."""
    worlds = [*zip(found.envs, found.envs, strict=True), ("all", None)]
    rows = [(label, *(_count(found.restored(cell, env)) for cell in found.cells)) for label, env in worlds]
    columns = ("world", *(f"{kind[:3]} {count}" if count else "nothing" for kind, count in found.cells))
    return Table("Restored to EW 1, of so many cases that are not harmless", columns, tuple(rows))


def _count(found: Estimate) -> str:
    return NOTHING if found.mean is None else f"{round(found.mean * found.n)}/{found.n}"


def _below_table(found: Restoring) -> Table:
    """Every case that stayed below EW 1."""
    columns: Columns = {
        "world": itemgetter("env"), "kind": lambda r: r["kind"] if r["count"] else "nothing",
        "faults": itemgetter("count"), "seed": itemgetter("seed"), "out of reach": itemgetter("out_of_reach"),
        "verdict": itemgetter("verdict"), "EW before": lambda r: shown(r["ew_before"], 5),
        "EW": lambda r: shown(r["ew"], 5), "edits": lambda r: len(r["edits"]),
    }  # fmt: skip
    return Table.of("Not restored", found.below(), columns)


def draw_repair(found: Restoring, path: Path) -> tuple[Path, ...]:
    """Two panels over the cells of the study. Returns the files."""
    figure = new_figure(9.6, 4.0)
    shares, seconds = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    for place, cell in enumerate(found.cells):
        bar(shares, place, found.restored(cell), TARGETS.get(cell), color="tab:blue")
    shares.set_ylim(0, 1.03)
    shares.set_ylabel("share restored to EW 1 (red: target)")
    # a box a cell, from quartile to quartile
    walls = [[max(r["wall_s"], 0.01) for r in found.harmful(cell)] or [0.01] for cell in found.cells]
    seconds.boxplot(walls, positions=range(len(found.cells)), widths=0.6, flierprops={"markersize": 2})
    seconds.axhline(TARGET_S, color="tab:red", linewidth=1)
    seconds.set_yscale("log")
    seconds.set_ylabel("seconds a repair")
    names = [f"{kind} {count}" if count else "nothing" for kind, count in found.cells]
    for axes in (shares, seconds):
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
    return save(figure, path)
