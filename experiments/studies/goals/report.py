"""The goals study's records as tables and a figure: how often the goal was among the guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from experiments.reporting.display import Axes, bar, new_figure, save
from experiments.reporting.statistics import Estimate, share
from experiments.reporting.tables import Columns, Table, write_csv
from experiments.studies.goals.tasks import KINDS
from experiments.studies.study import Record

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
_NOTE = (
    "Pass@3: the goal is among three guesses, exactly. With Wilson's 95 % interval. Shared: on the tasks "
    "that every method was given, which alone compare methods. The paper's figures are of its own tasks "
    "and model."
)


class Guessing:
    """All that the study found, methods in the order of the units."""

    def __init__(self, records: Sequence[Record]):
        self.records = tuple(records)  #: as in `experiments.studies.goals.study.judged`
        self.methods: tuple[str, ...] = tuple(dict.fromkeys(r["method"] for r in self.records))
        self.kinds: tuple[str, ...] = tuple(k for k in KINDS if any(r["kind"] == k for r in self.records))

    def of(self, kind: str, method: str) -> list[Record]:
        """The tasks of a cell."""
        return [r for r in self.records if (r["kind"], r["method"]) == (kind, method)]

    def methods_of(self, kind: str) -> list[str]:
        """The methods with tasks of the kind."""
        return [method for method in self.methods if self.of(kind, method)]

    def shared(self, kind: str) -> frozenset[int]:
        """The numbers of the tasks that every method with tasks of the kind has: these compare methods."""
        return frozenset.intersection(
            *(frozenset(r["number"] for r in self.of(kind, method)) for method in self.methods_of(kind))
        )

    def share(
        self, kind: str, method: str, guesses: int = 3, among: frozenset[int] | None = None
    ) -> Estimate:
        """How often the goal is among so many first guesses, with Wilson's interval.

        Counted are all tasks of the method, or those with numbers `among` these.
        """
        found = [r for r in self.of(kind, method) if among is None or r["number"] in among]
        return share(r["rank"] is not None and r["rank"] <= guesses for r in found)


def goals_tables(found: Guessing) -> tuple[Table, ...]:
    """A table for each kind of tasks."""
    return tuple(_table(found, kind) for kind in found.kinds)


def goals_csv(found: Guessing) -> str:
    """`goals.csv`: one row a method and task; no rank if the goal was not among the guesses."""
    rows = [
        (
            *(r[column] for column in _COLUMNS),
            " ".join(r["wanted"]),
            "; ".join(" ".join(goal) for goal in r["guesses"]),
            r["fault"],
        )
        for r in found.records
    ]
    return write_csv((*_COLUMNS, "wanted", "guesses", "fault"), rows)


def _table(found: Guessing, kind: str) -> Table:
    shared = found.shared(kind)
    columns: Columns = {
        "method": str,
        "tasks": lambda method: len(found.of(kind, method)),
        "Pass@3": lambda method: found.share(kind, method),
        "Pass@1": lambda method: found.share(kind, method, 1),
        f"Pass@3, shared {len(shared)}": lambda method: found.share(kind, method, among=shared),
        "paper": lambda method: PAPER.get((kind, method)),
        "target": lambda method: TARGETS.get((kind, method)),
        "no guess": lambda method: sum(r["fault"] is not None for r in found.of(kind, method)),
        "tokens": lambda method: sum(r["tokens"] for r in found.of(kind, method)),
    }
    return Table.of(f"Goals inferred: {WORDS[kind]}", found.methods_of(kind), columns, (_NOTE,))


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
    methods = found.methods_of(kind)
    for place, method in enumerate(methods):
        bar(axes, place, found.share(kind, method), TARGETS.get((kind, method)), color=f"C{place}")
        if (kind, method) in PAPER:
            axes.plot(place, PAPER[kind, method], marker="x", color="black", linestyle="none")
    axes.set_xticks(range(len(methods)), [_LABELS.get(method, method) for method in methods], fontsize=8)
    axes.set_ylim(0, 1.03)
