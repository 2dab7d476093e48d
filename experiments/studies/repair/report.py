"""The repair study's records as shares, tables and a figure.

Shares are among the cases that walks can tell from the truth: harmless ones are counted apart. What a unit
without a fault solves is the most that any repair could; it stands in the row of 0 faults.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from envs.pddl.mutation.faults import BreakKind
from ew.score.shown import shown
from experiments.reporting.figures import new_figure, save
from experiments.reporting.statistics import Estimate, rate
from experiments.reporting.tables import Table, write_csv
from experiments.studies.study import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        found = [r for r in self.records if (r["kind"], r["count"]) == cell]
        return found if env is None else [r for r in found if r["env"] == env]

    def harmful(self, cell: Cell, env: str | None = None) -> list[Record]:
        """Those that walks can tell from the truth; all of them where nothing was broken."""
        return [r for r in self.of(cell, env) if not is_harmless(r)]

    def restored(self, cell: Cell, env: str | None = None) -> Estimate:
        """The share restored to EW 1, among the harmful ones."""
        return _restored(self.harmful(cell, env))

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
    return (
        _share_table(found),
        _task_table(found),
        _cost_table(found),
        _world_table(found),
        _below_table(found),
    )


def repair_csv(found: Restoring) -> str:
    """One row a case."""
    rows = [
        [
            *(_blank(r[column]) for column in _COLUMNS),
            f"{sum(r['solved'])}/{len(r['solved'])}",
            "; ".join(r["faults"]),
            "; ".join(r["edits"]),
        ]
        for r in found.records
    ]
    return write_csv((*_COLUMNS, "solved", "faults", "edits"), rows)


def _share_table(found: Restoring) -> Table:
    """One row a cell: what was restored and what is solved."""
    columns = (
        "kind", "faults", "cases", "harmless", "out of reach", "restored", "of the others", "target",
        "tasks solved", "exact",
    )  # fmt: skip
    rows = tuple((*_name(cell), *_shares(found, cell)) for cell in found.cells)
    notes = (
        "Restored: to EW 1 on walks that the repair has not seen. Shares (95 % interval) leave out harmless "
        "cases, which are of EW 1 from the beginning.",
        "Out of reach: with a fault in an equality or below an `or`, a quantifier or a `when`, where repair "
        "edits nothing. Of the others: what is restored of the cases in reach.",
    )
    return Table(f"Repair of broken domains, {len(found.envs)} worlds", columns, rows, notes)


def _restored(records: Sequence[Record]) -> Estimate:
    return rate(sum(is_restored(r) for r in records), len(records))


def _shares(found: Restoring, cell: Cell) -> tuple[str, ...]:
    cases, harmful = found.of(cell), found.harmful(cell)
    return (
        str(len(cases)),
        str(len(cases) - len(harmful)),
        str(sum(r["out_of_reach"] > 0 for r in harmful)),
        str(found.restored(cell)),
        str(_restored([r for r in harmful if not r["out_of_reach"]])),
        _target(cell),
        str(_solved(harmful)),
        str(rate(sum(r["exact"] for r in harmful), len(harmful))),
    )


def _task_table(found: Restoring) -> Table:
    """One row a cell: the tasks solved, by what walks could and did find out."""
    rows = []
    for cell in found.cells:
        harmful = found.harmful(cell)
        restored = [r for r in harmful if is_restored(r)]
        groups = (
            [r for r in restored if not r["unread"]],
            [r for r in restored if r["unread"]],
            [r for r in harmful if not is_restored(r)],
        )
        rows.append((*_name(cell), *(str(_solved(group)) for group in groups)))
    columns = ("kind", "faults", "restored", "restored, unread", "not restored")
    notes = (
        "Unread: with a fault in an effect on a predicate that no action tests. Only goals read it, and "
        "walks show nothing of it.",
    )
    return Table("Share of tasks solved", columns, tuple(rows), notes)


def _solved(records: Sequence[Record]) -> Estimate:
    tasks = [task for r in records for task in r["solved"]]
    return rate(sum(tasks), len(tasks))


def _cost_table(found: Restoring) -> Table:
    """One row a cell: what it took, and how the repairs ended."""
    rows = [(*_name(cell), *_cost(found.harmful(cell))) for cell in found.cells if found.harmful(cell)]
    columns = ("kind", "faults", "queries", "seconds", "longest", "faults made", "edits", "verdicts")
    notes = ("Queries and seconds are medians, faults made and edits are means.",)
    return Table("What the repairs took", columns, tuple(rows), notes)


def _cost(records: Sequence[Record]) -> tuple[str, ...]:
    verdicts = Counter(r["verdict"] for r in records)
    seconds = [r["wall_s"] for r in records]
    return (
        f"{statistics.median(r['world_queries'] for r in records):.0f}",
        f"{statistics.median(seconds):.2f}",
        f"{max(seconds):.1f}",
        f"{math.fsum(len(r['faults']) for r in records) / len(records):.1f}",
        f"{math.fsum(len(r['edits']) for r in records) / len(records):.1f}",
        ", ".join(f"{name} {count}" for name, count in sorted(verdicts.items())),
    )


def _world_table(found: Restoring) -> Table:
    """One row a world: how many were restored in each cell."""
    rows = [(env, *(_count(found.restored(cell, env)) for cell in found.cells)) for env in found.envs]
    rows.append(("all", *(_count(found.restored(cell)) for cell in found.cells)))
    columns = ("world", *(f"{kind[:3]} {count}" if count else "nothing" for kind, count in found.cells))
    return Table("Restored to EW 1, of so many cases that are not harmless", columns, tuple(rows))


def _below_table(found: Restoring) -> Table:
    """Every case that stayed below EW 1."""
    rows = [
        (r["env"], *_name((r["kind"], r["count"])), *(str(r[c]) for c in ("seed", "out_of_reach", "verdict")),
         _five(r["ew_before"]), _five(r["ew"]), str(len(r["edits"])))
        for r in found.below()
    ]  # fmt: skip
    columns = ("world", "kind", "faults", "seed", "out of reach", "verdict", "EW before", "EW", "edits")
    return Table("Not restored", columns, tuple(rows))


def _name(cell: Cell) -> tuple[str, str]:
    kind, count = cell
    return (kind if count else "nothing", str(count))


def _target(cell: Cell) -> str:
    wanted = TARGETS.get(cell)
    return "" if wanted is None else f"{wanted:.2f}"


def _count(share: Estimate) -> str:
    return "–" if share.mean is None else f"{round(share.mean * share.n)}/{share.n}"


def _five(value: float | None) -> str:
    return shown(value, 5)


def _blank(value: object) -> str:
    return "" if value is None else str(value)


def draw_repair(found: Restoring, path: Path) -> tuple[Path, ...]:
    """Two panels over the cells of the study. Returns the files."""
    figure = new_figure(9.6, 4.0)
    _share_panel(figure.add_subplot(1, 2, 1), found)
    _seconds_panel(figure.add_subplot(1, 2, 2), found)
    return save(figure, path)


def _share_panel(axes: Axes, found: Restoring) -> None:
    """A bar a cell with its interval; the target is a tick across it."""
    for place, cell in enumerate(found.cells):
        share = found.restored(cell)
        if share.mean is None or share.low is None or share.high is None:
            continue
        reach = [[share.mean - share.low], [share.high - share.mean]]
        axes.bar(place, share.mean, yerr=reach, color="tab:blue", alpha=0.7, capsize=3)
        if cell in TARGETS:
            axes.hlines(TARGETS[cell], place - 0.45, place + 0.45, color="tab:red", linewidth=1.5)
    axes.set_ylim(0, 1.03)
    axes.set_ylabel("share restored to EW 1 (red: target)")
    _label(axes, found)


def _seconds_panel(axes: Axes, found: Restoring) -> None:
    """A box a cell, from quartile to quartile."""
    seconds = [[max(r["wall_s"], 0.01) for r in found.harmful(cell)] or [0.01] for cell in found.cells]
    axes.boxplot(seconds, positions=range(len(found.cells)), widths=0.6, flierprops={"markersize": 2})
    axes.axhline(TARGET_S, color="tab:red", linewidth=1)
    axes.set_yscale("log")
    axes.set_ylabel("seconds a repair")
    _label(axes, found)


def _label(axes: Axes, found: Restoring) -> None:
    names = [f"{kind} {count}" if count else "nothing" for kind, count in found.cells]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
