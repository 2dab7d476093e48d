"""The repair study's records as shares, tables and a figure.

Shares are among the cases that walks or plans distinguish from the truth: harmless ones are counted apart.
What a unit without a fault comes to is the most that any repair could; it stands in the row of 0 faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median
from types import MappingProxyType
from typing import Any, Literal

from agents.repair.repaired import RepairVerdict
from ew.score.shown import shown
from experiments.reporting.display import bar, new_figure, save
from experiments.reporting.statistics import Estimate, share
from experiments.reporting.tables import NOTHING, Columns, Table, write_csv
from experiments.studies.repair.cases import PlanFate
from experiments.studies.study import Record

#: A kind of fault, or None for all of them, and how many.
Cell = tuple[str | None, int]
#: The share of cases that is to be restored, by the number of faults.
TARGETS: Mapping[int, float] = MappingProxyType({1: 0.97, 3: 0.97, 5: 0.97, 10: 0.90})
#: Seconds of CPU that one repair may take; what takes longer counts as not restored.
TARGET_CPU_S = 30.0
#: Of the CSV, what a record has by that name.
_COLUMNS = (
    "env", "kind", "count", "seed", "out_of_reach", "unread", "verdict", "goal", "ew_before", "ew", "exact",
    "world_queries", "rounds", "wall_s", "unexplained", "unknowable",
)  # fmt: skip
#: And of the tasks, seen and unseen.
_OF_TASKS = ("task", "ew_before", "ew", "plan", "true_plan")


class Restoring:
    """All that the study found, cells and worlds in the order of the units."""

    def __init__(self, records: Sequence[Record]):
        self.records = tuple(records)  #: as in `experiments.studies.repair.study.work`
        self.cells: tuple[Cell, ...] = tuple(dict.fromkeys((r["kind"], r["count"]) for r in self.records))
        self.envs: tuple[str, ...] = tuple(dict.fromkeys(r["env"] for r in self.records))

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of faults, ascending."""
        return tuple(sorted({count for _, count in self.cells}))

    def of(self, cell: Cell, env: str | None = None) -> list[Record]:
        """All records of a cell, or those of one world."""
        kind, count = cell
        return [
            r
            for r in self.records
            if kind in (None, r["kind"]) and r["count"] == count and env in (None, r["env"])
        ]

    def harmful(self, cell: Cell, env: str | None = None) -> list[Record]:
        """Those that walks or plans distinguish from the truth; all of them where nothing was broken."""
        return [r for r in self.of(cell, env) if not is_harmless(r)]

    def faulty(self, env: str | None) -> list[Record]:
        """The harmful ones with faults, of all worlds or of one."""
        return [r for count in self.counts if count for r in self.harmful((None, count), env)]

    def restored(self, cell: Cell, env: str | None = None) -> Estimate:
        """The share restored, among the harmful ones of worlds that have unseen tasks."""
        return share(is_restored(r) for r in self.harmful(cell, env) if r["unseen"])

    def knowable(self, cell: Cell) -> Estimate:
        """The same without those of which it is proved that no repair could have known better."""
        return share(is_restored(r) for r in self.harmful(cell) if r["unseen"] and not r["unknowable"])

    def below(self) -> list[Record]:
        """The cases that were not restored."""
        return [r for r in self.records if not is_harmless(r) and r["unseen"] and not is_restored(r)]


def is_harmless(record: Record) -> bool:
    """Whether faults were made that neither walks nor plans show in any task."""
    return bool(record["faults"]) and all(is_right(task, "_before") for task in _tasks(record))


def is_damaged(record: Record) -> bool:
    """Whether a harmless case is none any more after the repair."""
    return is_harmless(record) and not all(map(is_right, _tasks(record)))


def is_restored_where_seen(record: Record) -> bool:
    """Whether the model is of EW 1, after the repair, in the tasks that it was repaired in."""
    return all(task["ew"] == 1.0 for task in record["seen"])


def is_restored(record: Record) -> bool:
    """Whether the repair ended in time, with a model of EW 1 in every unseen task, whose plans work there."""
    in_time = record["verdict"] != RepairVerdict.OUT_OF_TIME and record["cpu_s"] <= TARGET_CPU_S
    return in_time and all(map(is_right, record["unseen"]))


def goals_lost(record: Record, where: Literal["seen", "unseen"]) -> int:
    """Tasks whose goal cannot be reached in a model that is said to agree, but can in the world."""
    lost = [task for task in record[where] if task["plan"] == PlanFate.UNREACHABLE and _can(task)]
    return len(lost) if record["agrees"] else 0


def _tasks(record: Record) -> list[Record]:
    return [*record["seen"], *record["unseen"]]


def _works(task: Record, when: Literal["", "_before"] = "") -> bool:
    return bool(task[f"plan{when}"] == PlanFate.WORKS)


def is_right(task: Record, when: Literal["", "_before"] = "") -> bool:
    """Whether a model is of EW 1 in a task, and its plan works there if one of the true rules does."""
    return task[f"ew{when}"] == 1.0 and (_works(task, when) or not _can(task))


def _can(task: Record) -> bool:
    """Whether the planner solves the task by the world's own rules."""
    return bool(task["true_plan"] == PlanFate.WORKS)


def repair_tables(found: Restoring) -> tuple[Table, ...]:
    """All tables of the study."""
    tables = (_share_table, _task_table, _cost_table, _world_table, _below_table)
    return tuple(table(found) for table in tables)


def repair_csv(found: Restoring) -> str:
    """One row a case."""
    of_tasks = [(where, name) for where in ("seen", "unseen") for name in _OF_TASKS]
    named = [f"{where}_{name}" for where, name in of_tasks]
    rows = [
        (
            *(r[column] for column in _COLUMNS),
            f"{sum(map(_works, r['unseen']))}/{len(r['unseen'])}",
            "; ".join(r["faults"]),
            "; ".join(r["edits"]),
            r["cpu_s"],
            *(judge(r) for judge in (is_harmless, is_restored_where_seen, is_restored)),
            *(_of_tasks(r[where], name) for where, name in of_tasks),
        )
        for r in found.records
    ]
    further = ("cpu_s", "harmless", "restored_seen", "restored_unseen", *named)
    return write_csv((*_COLUMNS, "solved", "faults", "edits", *further), rows)


def _of_tasks(tasks: Iterable[Record], name: str) -> str:
    return " ".join(str(task[name]) for task in tasks)


_CELL: Columns = {
    "kind": lambda cell: (cell[0] or "all") if cell[1] else "nothing", "faults": lambda cell: cell[1]
}  # fmt: skip


def _share_table(found: Restoring) -> Table:
    """One row a cell, then one for each number of faults of whatever kind: what was restored."""
    columns: Columns = {
        **_CELL,
        "cases": lambda cell: len(found.of(cell)),
        "harmless": lambda cell: len(found.of(cell)) - len(found.harmful(cell)),
        "damaged": lambda cell: sum(map(is_damaged, found.of(cell))),
        "task seen": lambda cell: share(map(is_restored_where_seen, found.harmful(cell))),
        "tasks unseen": found.restored,
        "not knowable": lambda cell: sum(bool(r["unknowable"]) for r in found.harmful(cell)),
        "of knowable": found.knowable,
        "target": lambda cell: TARGETS.get(cell[1], ""),
        "plans": lambda cell: _solved(found.harmful(cell)),
        "exact": lambda cell: share(r["exact"] for r in found.harmful(cell)),
    }
    pooled = [(None, count) for count in found.counts if count]
    notes = (
        "Task seen: restored to EW 1 on fresh walks in each task that the domain was repaired in. Tasks "
        "unseen: to EW 1 in each of the tasks, with other objects, that it was not repaired in, with plans "
        f"that work wherever those of the true rules do, within {TARGET_CPU_S:.0f} seconds of CPU. Plans: of "
        "unseen tasks.",
        "Shares (95 % interval) leave out harmless cases, which are of EW 1 in all of these tasks from the "
        "beginning, with plans that work. Damaged: those of them that are not after the repair.",
        "Not knowable: of EW below 1 or plans that fail in unseen tasks, and no repair could have known "
        "better, as is proved: another task reads the same in the broken words and allows other walks, or "
        "the model and the world are the same in all states of the tasks seen, and in what they say of the "
        "goal. Of knowable: the share without them.",
    )
    title = f"Repair of broken domains, {len(found.envs)} worlds"
    return Table.of(title, [*found.cells, *pooled], columns, notes)


def _solved(records: Iterable[Record]) -> Estimate:
    """The share of unseen tasks solved, of those that the true rules solve."""
    return share(_works(task) for r in records for task in r["unseen"] if _can(task))


def _task_table(found: Restoring) -> Table:
    """One row a cell: the unseen tasks solved, by what walks in the seen ones could and did find out."""

    def restored(cell: Cell, *, unread: bool) -> Estimate:
        return _solved(
            r for r in found.harmful(cell) if is_restored_where_seen(r) and bool(r["unread"]) == unread
        )

    columns: Columns = {
        **_CELL,
        "restored": lambda cell: restored(cell, unread=False),
        "restored, unread": lambda cell: restored(cell, unread=True),
        "not restored": lambda cell: _solved(r for r in found.harmful(cell) if not is_restored_where_seen(r)),
    }
    notes = (
        "Unread: with a fault in an effect on a predicate that no action tests. Only goals read it, and "
        "walks show nothing of it.",
    )
    return Table.of(
        "Share of unseen tasks solved, by what was restored where it was seen", found.cells, columns, notes
    )


def _cost_table(found: Restoring) -> Table:
    """One row a cell: what it took, and how the repairs ended."""

    def of(cell: Cell, name: str) -> list[Any]:
        return [r[name] for r in found.harmful(cell)]

    def verdicts(cell: Cell) -> str:
        return ", ".join(f"{name} {n}" for name, n in sorted(Counter(of(cell, "verdict")).items()))

    columns: Columns = {
        **_CELL,
        "queries": lambda cell: f"{median(of(cell, 'world_queries')):.0f}",
        "seconds": lambda cell: f"{median(of(cell, 'cpu_s')):.2f}",
        "longest": lambda cell: f"{max(of(cell, 'cpu_s')):.1f}",
        "edits": lambda cell: f"{fmean(map(len, of(cell, 'edits'))):.1f}",
        "goals lost": lambda cell: sum(goals_lost(r, "seen") for r in found.of(cell)),
        "unseen": lambda cell: sum(goals_lost(r, "unseen") for r in found.of(cell)),
        "verdicts": verdicts,
    }
    notes = (
        "Queries and seconds of CPU are medians, edits are means.",
        "Goals lost: seen tasks, and unseen ones, whose goal cannot be reached in a model that is said to "
        "agree, but can in the world.",
    )
    return Table.of("What the repairs took", filter(found.harmful, found.cells), columns, notes)


def _world_table(found: Restoring) -> Table:
    """One row a world: how many were restored, by the number of faults."""
    columns = ("world", "tasks", "task seen", *(f"unseen, {count}" for count in found.counts))
    rows = tuple(
        (
            env or "all",
            _tasks_shown(found, env) if env else "",
            _count(share(map(is_restored_where_seen, found.faulty(env)))),
            *(_count(found.restored((None, count), env)) for count in found.counts),
        )
        for env in (*found.envs, None)
    )
    notes = ("Tasks: seen and unseen ones. Unseen: by the number of faults.",)
    return Table("Restored, of so many cases that are not harmless", columns, rows, notes)


def _tasks_shown(found: Restoring, env: str) -> str:
    first = next(r for r in found.records if r["env"] == env)
    return f"{len(first['seen'])} + {len(first['unseen'])}"


def _count(found: Estimate) -> str:
    return NOTHING if found.mean is None else f"{round(found.mean * found.n)}/{found.n}"


def _below_table(found: Restoring) -> Table:
    """Every case that was not restored."""

    def least(where: str, when: str) -> Callable[[Record], str]:
        return lambda r: shown(min((t[when] for t in r[where]), key=lambda ew: ew or 0.0), 5)

    columns: Columns = {
        "world": itemgetter("env"), "kind": lambda r: r["kind"] if r["count"] else "nothing",
        "faults": itemgetter("count"), "seed": itemgetter("seed"), "verdict": itemgetter("verdict"),
        "CPU s": lambda r: f"{r['cpu_s']:.1f}", "EW before": least("seen", "ew_before"),
        "EW seen": least("seen", "ew"), "EW unseen": least("unseen", "ew"),
        "plans unseen": lambda r: _of_tasks(r["unseen"], "plan"), "edits": lambda r: len(r["edits"]),
        "not knowable": itemgetter("unknowable"),
    }  # fmt: skip
    notes = ("EW is the least of the tasks.",)
    return Table.of("Not restored", found.below(), columns, notes)


def draw_repair(found: Restoring, path: Path) -> tuple[Path, ...]:
    """Two panels over the cells of the study. Returns the files."""
    figure = new_figure(9.6, 4.0)
    shares, seconds = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    for place, cell in enumerate(found.cells):
        bar(shares, place, found.restored(cell), TARGETS.get(cell[1]), color="tab:blue")
    shares.set_ylim(0, 1.03)
    shares.set_ylabel("share restored in unseen tasks (red: target)")
    # a box a cell, from quartile to quartile
    spent = [[max(r["cpu_s"], 0.01) for r in found.harmful(cell)] or [0.01] for cell in found.cells]
    seconds.boxplot(spent, positions=range(len(found.cells)), widths=0.6, flierprops={"markersize": 2})
    seconds.axhline(TARGET_CPU_S, color="tab:red", linewidth=1)
    seconds.set_yscale("log")
    seconds.set_ylabel("seconds of CPU a repair")
    names = [f"{kind} {count}" if count else "nothing" for kind, count in found.cells]
    for axes in (shares, seconds):
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
    return save(figure, path)
