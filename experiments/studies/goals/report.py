"""The goals study's records as tables and a figure: how often the goal was among the guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from experiments.reporting.figures import new_figure, save
from experiments.reporting.statistics import Estimate, rate
from experiments.reporting.tables import Table, write_csv
from experiments.studies.goals.tasks import KINDS
from experiments.studies.study import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Share of goals among three guesses in the paper. Source: Siegel et al. 2024, section 6.3 and Figure 5.
PAPER: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("four", "llm-actions"): 0.2065,
        ("four", "llm-operators"): 0.3587,
        ("four", "parsing-learned"): 0.6522,
        ("four", "parsing-true"): 0.9348,
        ("single", "llm-actions"): 0.7010,
        ("single", "llm-operators"): 0.8247,
        ("single", "parsing-learned"): 0.8969,
        ("single", "parsing-true"): 0.8866,
    }
)
#: The shares that are to be reached without a language model.
TARGETS: Mapping[tuple[str, str], float] = MappingProxyType(
    {("four", "ranking-learned"): 0.85, ("four", "ranking-true"): 0.93}
)
#: Kinds of tasks in words.
WORDS: Mapping[str, str] = MappingProxyType(
    {"four": "four subgoals, seen whole", "single": "one item, last three steps not seen"}
)
_COLUMNS = ("method", "kind", "number", "steps", "rank", "tokens")
_LABELS = {
    "llm-actions": "LLM,\nactions",
    "llm-operators": "LLM,\noperators",
    "parsing-learned": "parsing,\nlearned",
    "parsing-true": "parsing,\ntrue",
    "ranking-learned": "no LLM,\nlearned",
    "ranking-true": "no LLM,\ntrue",
}


class Guessing:
    """All that the study found, methods in the order of the units."""

    def __init__(self, records: Sequence[Record]):
        self.records = tuple(records)  #: as in `experiments.studies.goals.units.judged`
        self.methods: tuple[str, ...] = tuple(dict.fromkeys(r["method"] for r in self.records))
        self.kinds: tuple[str, ...] = tuple(k for k in KINDS if any(r["kind"] == k for r in self.records))

    def of(self, kind: str, method: str) -> list[Record]:
        """The tasks of a cell."""
        return [r for r in self.records if (r["kind"], r["method"]) == (kind, method)]

    def shared(self, kind: str) -> frozenset[int]:
        """The numbers of the tasks that every method with tasks of the kind has: these compare methods."""
        each = [{r["number"] for r in self.of(kind, method)} for method in self.methods]
        return frozenset.intersection(*(frozenset(numbers) for numbers in each if numbers))

    def share(
        self, kind: str, method: str, guesses: int = 3, among: frozenset[int] | None = None
    ) -> Estimate:
        """How often the goal is among so many first guesses, with Wilson's interval.

        Counted are all tasks of the method, or those with numbers `among` these.
        """
        found = [r for r in self.of(kind, method) if among is None or r["number"] in among]
        return rate(sum(r["rank"] is not None and r["rank"] <= guesses for r in found), len(found))


def goals_tables(found: Guessing) -> tuple[Table, ...]:
    """All tables."""
    return tuple(_kind(found, kind) for kind in found.kinds)


def goals_csv(found: Guessing) -> str:
    """`goals.csv`: one row a method and task; no rank if the goal was not among the guesses."""
    rows = [
        [
            *("" if r[c] is None else str(r[c]) for c in _COLUMNS),
            " ".join(r["wanted"]),
            "; ".join(" ".join(goal) for goal in r["guesses"]),
            r["fault"] or "",
        ]
        for r in found.records
    ]
    return write_csv((*_COLUMNS, "wanted", "guesses", "fault"), rows)


def _kind(found: Guessing, kind: str) -> Table:
    shared = found.shared(kind)
    rows = [
        (
            method, str(found.share(kind, method).n), str(found.share(kind, method)),
            str(found.share(kind, method, 1)), str(found.share(kind, method, among=shared)),
            _share(PAPER.get((kind, method))), _share(TARGETS.get((kind, method))),
            str(sum(r["fault"] is not None for r in found.of(kind, method))),
            str(sum(r["tokens"] for r in found.of(kind, method))),
        )
        for method in found.methods
        if found.of(kind, method)
    ]  # fmt: skip
    columns = (
        "method", "tasks", "Pass@3", "Pass@1", f"Pass@3, shared {len(shared)}", "paper", "target", "no guess",
        "tokens",
    )  # fmt: skip
    note = (
        "Pass@3: the goal is among three guesses, exactly. With Wilson's 95 % interval. Shared: on the tasks "
        "that every method was given, which alone compare methods. The paper's figures are of its own tasks "
        "and model."
    )
    return Table(f"Goals inferred: {WORDS[kind]}", columns, tuple(rows), (note,))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def draw_goals(found: Guessing, path: Path) -> tuple[Path, ...]:
    """Pass@3 with its interval; a cross is the paper's share, a red line a target. Returns the files."""
    figure = new_figure(5.2 * max(1, len(found.kinds)), 3.8)
    for number, kind in enumerate(found.kinds, start=1):
        axes = figure.add_subplot(1, len(found.kinds), number)
        _panel(axes, found, kind)
        axes.set_title(WORDS[kind], fontsize=10)
        if number == 1:
            axes.set_ylabel("Pass@3")
    return save(figure, path)


def _panel(axes: Axes, found: Guessing, kind: str) -> None:
    methods = [method for method in found.methods if found.of(kind, method)]
    for place, method in enumerate(methods):
        share = found.share(kind, method)
        mean, low, high = share.mean or 0.0, share.low or 0.0, 1.0 if share.high is None else share.high
        axes.bar(place, mean, width=0.6, color=f"C{place}", alpha=0.8)
        reach = [[max(0.0, mean - low)], [max(0.0, high - mean)]]
        axes.errorbar(place, mean, yerr=reach, color="black", capsize=3)
        if (kind, method) in PAPER:
            axes.plot(place, PAPER[kind, method], marker="x", color="black", linestyle="none")
        if (kind, method) in TARGETS:
            axes.hlines(TARGETS[kind, method], place - 0.35, place + 0.35, color="tab:red")
    axes.set_xticks(range(len(methods)), [_LABELS.get(method, method) for method in methods], fontsize=8)
    axes.set_ylim(0, 1.03)
