"""The detection study's records as shares and tables.

A mutation is wrong if walks can show it: some way exposed it, or the search through pairs of states did. All
shares are among wrong ones. A saturated candidate counts once for each repetition.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from envs.pddl.mutation.mutate import MutationKind
from ew.counterexample.difference import Kind
from experiments.reporting.statistics import Estimate, rate
from experiments.reporting.tables import Table, write_csv
from experiments.studies.detection.units import WAYS, Pool
from experiments.studies.study import Record

#: World queries at which shares are given.
BUDGETS = (100, 300, 1000)
#: What exposes: a refused operator that the walk chose, or any difference of the sets of applicable ones.
By = Literal["chosen", "listed"]


class Detection:
    """All that the study found."""

    def __init__(self, records: Sequence[Record]):
        self.records = tuple(
            records
        )  #: as in `experiments.studies.detection.units.work`, in the order of the units
        self.sample = tuple(r for r in self.records if r["pool"] == Pool.SAMPLE)
        self.wrong = tuple(r for r in self.sample if r.get("difference") == Kind.EXECUTABLE)
        self.saturated = tuple(r for r in self.records if "ways" in r and r["ew"] == 1.0 and not r["works"])

    def share(self, way: str, by: By, queries: int, records: Sequence[Record] | None = None) -> Estimate:
        """The share of wrong mutations (or of `records`) exposed within so many queries."""
        runs = [run for r in (self.wrong if records is None else records) for run in r["ways"][way]]
        return rate(sum(run[by] is not None and run[by] <= queries for run in runs), len(runs))

    @property
    def recommended(self) -> str:
        """The way that exposes most by choosing within 300 queries; of equals, the most within 100."""

        def merit(way: str) -> list[float]:
            return [self.share(way, "chosen", queries).mean or 0.0 for queries in (300, 100)]

        return max(WAYS, key=merit)


def detection_tables(found: Detection) -> tuple[Table, ...]:
    """All tables of the study."""
    seen = tuple(r for r in found.saturated if r["difference"] == Kind.EXECUTABLE)
    return (
        _share_table(found),
        _group_table(found, "kind", [kind.value for kind in MutationKind]),
        _group_table(found, "env", list(dict.fromkeys(r["env"] for r in found.wrong))),
        _count_table(found),
        _ways_table(found, seen),
        _saturated_table(found),
    )


def detection_csv(found: Detection) -> str:
    """One row for each mutation, way and repetition."""
    columns = ("env", "pool", "kind", "mutation", "outcome", "works", "ew", "difference")
    rows = [
        [
            *(str(r[column]) for column in columns),
            way,
            str(number),
            *map(_or_blank, (run["chosen"], run["listed"])),
        ]
        for r in found.records
        if "ways" in r
        for way, runs in r["ways"].items()
        for number, run in enumerate(runs)
    ]
    return write_csv((*columns, "way", "repeat", "chosen", "listed"), rows)


def _share_table(found: Detection) -> Table:
    rows = [
        (way, *(str(found.share(way, by, queries)) for by in ("chosen", "listed") for queries in BUDGETS))
        for way in WAYS
    ]
    columns = ("way", *(f"{by} {queries}" for by in ("chosen", "listed") for queries in BUDGETS))
    title = f"Share of {len(found.wrong)} wrong mutations exposed, by world queries"
    return Table(title, columns, tuple(rows))


def _group_table(found: Detection, field: str, groups: Sequence[str]) -> Table:
    """Shares at 300 queries in groups of mutations."""
    rows = []
    for group in groups:
        records = [r for r in found.wrong if r[field] == group]
        shares = [found.share(way, "chosen", 300, records) for way in WAYS]
        rows.append((group, str(len(records)), *(_percent(share) for share in shares)))
    title = (
        f"Percent exposed by chosen operators within 300 queries, by {'world' if field == 'env' else field}"
    )
    return Table(title, (field, "wrong", *WAYS), tuple(rows))


def _count_table(found: Detection) -> Table:
    """What the sample consists of."""
    by_kind = Counter("too large to ground" if r["exploded"] else r["difference"] for r in found.sample)
    saturated = sum(r["pool"] == Pool.SAMPLE for r in found.saturated)
    rows = [(name, str(count)) for name, count in sorted(by_kind.items())]
    rows.append(("EW 1 and task not solved", str(saturated)))
    return Table(
        f"The sample: {len(found.sample)} mutations, by how they differ", ("difference", "n"), tuple(rows)
    )


def _ways_table(found: Detection, seen: Sequence[Record]) -> Table:
    """The saturated candidates that walks can expose at all, together."""
    rows = [
        (way, *(_percent(found.share(way, by, q, seen)) for by in ("chosen", "listed") for q in BUDGETS))
        for way in WAYS
    ]
    columns = ("way", *(f"{by} {queries}" for by in ("chosen", "listed") for queries in BUDGETS))
    return Table(
        f"Percent of runs that expose one of {len(seen)} saturated candidates, by world queries",
        columns,
        tuple(rows),
    )


def _saturated_table(found: Detection) -> Table:
    """Every saturated candidate: for each way, how many of its runs exposed it and the median price."""
    rows = [
        (r["env"], r["mutation"], r["outcome"], r["difference"], *(_runs(r["ways"][way]) for way in WAYS))
        for r in found.saturated
    ]
    columns = ("world", "mutation", "planner", "difference", *WAYS)
    title = "Saturated candidates: EW 1, task not solved; share of runs that expose them (median queries)"
    return Table(title, columns, tuple(rows))


def _runs(runs: Sequence[Record], by: By = "chosen") -> str:
    prices = [run[by] for run in runs if run[by] is not None]
    if not prices:
        return "–"
    return f"{len(prices)}/{len(runs)} ({statistics.median(prices):.0f})"


def _or_blank(value: int | None) -> str:
    return "" if value is None else str(value)


def _percent(share: Estimate) -> str:
    return "–" if share.mean is None else f"{100 * share.mean:.0f}"
