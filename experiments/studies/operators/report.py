"""The operators study's records as tables and a figure: what demonstrations recover, and what not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from ew.score.several_tasks import ew_over_tasks
from ew.score.shown import shown
from experiments.reporting.display import new_figure, save
from experiments.reporting.statistics import Estimate, mean
from experiments.reporting.tables import NOTHING, Columns, Table, write_csv
from experiments.studies.study import Record

#: Share of operators recovered in the paper, by method. Source: Siegel et al. 2024, section 6.3 and Figure 4.
PAPER: Mapping[str, float] = MappingProxyType({"symbolic": 0.08, "guided": 0.80, "guided-resampled": 0.92})
#: The share that is to be recovered with arguments known, from 100 demonstrations.
TARGET = 0.95
#: Actions that are named where something is wrong; the records name all.
_TOLD = 6
_COLUMNS = (
    "method", "count", "repeat", "steps", "operators", "actions", "recovered", "unseen", "unjudged",
    "undetermined",
)  # fmt: skip
_WORDS = {
    "symbolic": "by name (published)",
    "guided": "by name, completed",
    "guided-resampled": "by name, completed, resampled",
    "known": "arguments known",
}


class Recovering:
    """All that the study found, methods and counts in the order of the units."""

    def __init__(self, records: Sequence[Record]):
        self.records = tuple(records)  #: as in `experiments.studies.operators.study.work`
        self.methods: tuple[str, ...] = tuple(dict.fromkeys(r["method"] for r in self.records))
        self.counts: tuple[int, ...] = tuple(sorted({r["count"] for r in self.records}))

    def of(self, method: str, count: int) -> list[Record]:
        """The repeats of a cell."""
        return [r for r in self.records if (r["method"], r["count"]) == (method, count)]


def recovered(repeats: Sequence[Record]) -> Estimate:
    """The share of all actions that was recovered, averaged over repeats."""
    return mean(r["recovered"] / r["actions"] for r in repeats)


def ew(repeats: Sequence[Record]) -> Estimate:
    """EW with the true domain on fresh walks: over tasks, then the mean of repeats. Empty without any."""
    return mean(score for r in repeats if (score := over_tasks(r)) is not None)


def over_tasks(record: Record) -> float | None:
    """The EW over the tasks of one repeat that have a score, Equation 2; None without any."""
    known = [(pair[0], pair[1]) for pair in record["directions"] if pair is not None]
    return ew_over_tasks(known).score if known else None


def operator_tables(found: Recovering) -> tuple[Table, ...]:
    """All tables."""
    return _shares(found), _wrong(found)


def operators_csv(found: Recovering) -> str:
    """`operators.csv`: one row a unit; `ew` is task by task, `ew_over_tasks` Equation 2."""
    rows = []
    for record in found.records:
        scores = ["-" if score is None else shown(score, 6) for score in record["ew"]]
        whole = over_tasks(record)
        values = (record[column] for column in _COLUMNS)
        rows.append((*values, " ".join(scores), "" if whole is None else shown(whole, 6)))
    return write_csv((*_COLUMNS, "ew", "ew_over_tasks"), rows)


def _shares(found: Recovering) -> Table:
    cells = [cell for m in found.methods for count in found.counts if (cell := found.of(m, count))]
    columns: Columns = {
        "method": lambda cell: cell[0]["method"],
        "demonstrations": lambda cell: cell[0]["count"],
        "recovered": recovered,
        "EW": lambda cell: ew(cell).cut(),
        "paper": lambda cell: PAPER.get(cell[0]["method"]),
        "asked": partial(_sum, "asked"),
        "kept": partial(_sum, "kept"),
        "tokens": partial(_sum, "tokens"),
    }
    note = (
        "Recovered: same effects and, in states on and off held-out demonstrations, the same objects that "
        "it runs with, up to renaming. Mean over repeats with a 95 % bootstrap interval. EW: on fresh walks, "
        "over tasks of the world by Equation 2; there is none for operators whose parameters are not the "
        "world's. Asked: questions to the language model; kept: operators that stay as learned by name, as "
        "no proposal stood."
    )
    return Table.of("Operators recovered", cells, columns, (note,))


def _sum(what: str, repeats: Sequence[Record]) -> str | None:
    """Over all repeats; guided methods alone have such numbers."""
    numbers = [record[what] for record in repeats if what in record]
    return f"{sum(numbers):,}" if numbers else None


def _wrong(found: Recovering) -> Table:
    """What is not recovered from the most demonstrations, and why."""
    rows = []
    for method in found.methods:
        records = found.of(method, found.counts[-1])
        for why in ("wrong_effects", "wrong_conditions"):
            actions = Counter(action for r in records for action in r[why])
            words = [f"{action} ({n})" for action, n in sorted(actions.items())]
            more = [f"and {len(words) - _TOLD} more"] if len(words) > _TOLD else []
            rows.append((method, why.replace("_", " "), ", ".join([*words[:_TOLD], *more]) or NOTHING))
        rows.append((method, "never seen, in all", str(sum(r["unseen"] for r in records))))
    title = f"Not recovered from {found.counts[-1]} demonstrations (repeats)" if found.counts else "Nothing"
    return Table(title, ("method", "why", "actions"), tuple(rows))


def draw_operators(found: Recovering, path: Path) -> tuple[Path, ...]:
    """A line a method with its interval; what the paper reports is dotted. Returns the files."""
    figure = new_figure(6.4, 4.0)
    axes = figure.add_subplot(1, 1, 1)
    for number, method in enumerate(found.methods):
        counts = [count for count in found.counts if found.of(method, count)]
        shares = [recovered(found.of(method, count)) for count in counts]
        means = [share.mean or 0.0 for share in shares]
        axes.plot(counts, means, marker="o", color=f"C{number}", label=_WORDS.get(method, method))
        low, high = zip(*(share.ends for share in shares), strict=True)
        axes.fill_between(counts, low, high, color=f"C{number}", alpha=0.2)
    for method, share in PAPER.items():
        axes.axhline(share, color="grey", linestyle=":", linewidth=1)
        axes.text(1, share + 0.01, f"paper: {method}", fontsize=7, color="grey")
    axes.axhline(TARGET, color="tab:red", linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("demonstrations")
    axes.set_ylabel("share of operators recovered (red: target)")
    axes.legend(loc="center right")
    return save(figure, path)
