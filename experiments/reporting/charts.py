"""What a run's figures show, as plain data: drawn into files by `plots`, and into the page by `html.svg`.

A chart is made from records alone. To add one, write a function from a ledger to charts and put it into
`CHARTS`: it is then drawn as PNG and SVG and stands in the report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.reporting.budget_curves import KINDS, BudgetPoint, Kind, budget_points
from experiments.reporting.statistics import Estimate, rate
from experiments.runs.ledger import Ledger
from experiments.runs.marks import file_name, title
from experiments.runs.records import EpisodeRecord, NodeRecord, TaskRecord


@dataclass(frozen=True)
class Point:
    """A value, with its 95 % interval if there is one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """One thing that is followed: single values as `dots`, what they come to as a marked `line`."""

    label: str
    line: tuple[Point, ...] = ()  #: ascending in x
    dots: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Chart:
    """A figure whose y axis is a share from 0 to 1."""

    name: str  #: of its files
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    whole_x: bool = False  #: whether x counts something, so that only whole numbers are marked

    @property
    def points(self) -> Iterator[Point]:
        """All values, in order."""
        for series in self.series:
            yield from (*series.line, *series.dots)


def charts_of(ledger: Ledger) -> tuple[Chart, ...]:
    """Every chart for which the run has something to show."""
    return tuple(_marked(chart, ledger.simulated) for make in CHARTS for chart in make(ledger))


def _marked(chart: Chart, label: str) -> Chart:
    """A chart of simulated results says so in its title and in its files' names."""
    return replace(chart, title=title(chart.title, label), name=file_name(chart.name, label))


def ew_over_turns(ledger: Ledger) -> tuple[Chart, ...]:
    """One chart for each environment with a search: its methods side by side, or the seeds of its only one.

    Of a seed, every scored candidate is a dot and the best so far the line; a turn without a score has none.
    Of a method, the line is the mean over its seeds, where a search that has ended keeps what it had. Of
    several budgets the largest is shown: the smaller ones see a part of the same.
    """
    envs: dict[str, dict[str, list[EpisodeRecord]]] = {}
    for episode in sorted(_largest_budgets(ledger.scored_episodes), key=lambda e: (e.env, e.method, e.seed)):
        if episode.candidates:
            envs.setdefault(Path(episode.env).name, {}).setdefault(episode.method, []).append(episode)
    return tuple(_ew_chart(ledger, env, methods) for env, methods in envs.items())


def solve_rate_against_tokens(ledger: Ledger) -> tuple[Chart, ...]:
    """One chart: a series for each method, with a dot for each environment.

    x is what an episode spent on the average, y the share of its tasks that were solved. The marked point is
    over all environments, with Wilson's interval. Episodes that spent nothing have no place on the axis,
    and those with a budget have a chart of their own.
    """
    methods: dict[str, list[EpisodeRecord]] = {}
    for episode in sorted(ledger.scored_episodes, key=lambda e: (e.method, e.env, e.seed)):
        if episode.spent.tokens and episode.arm == episode.method:
            methods.setdefault(episode.method, []).append(episode)
    if not methods:
        return ()
    tasks: dict[str, list[TaskRecord]] = {}
    for task in ledger.scored_tasks:
        tasks.setdefault(task.unit, []).append(task)
    series = tuple(_paid(method, episodes, tasks) for method, episodes in methods.items())
    title = "Solve rate against tokens"
    y_label = "share of tasks solved"
    return (Chart("solve-rate-tokens", title, "tokens of an episode", y_label, series, log_x=True),)


def curves_against_budget(ledger: Ledger) -> tuple[Chart, ...]:
    """Two charts for each kind of budget, tasks solved and EW: a line for each method, with intervals over
    episodes."""
    points = budget_points(
        ledger.scored_episodes, {e.unit: ledger.nodes(e.unit) for e in ledger.scored_episodes}
    )
    kinds = [(kind, here) for kind in KINDS if (here := [p for p in points if p.kind == kind])]
    return tuple(make(kind, here) for kind, here in kinds for make in (_solved_chart, _budget_ew_chart))


#: Everything that is drawn of a run, in this order.
CHARTS: tuple[Callable[[Ledger], tuple[Chart, ...]], ...] = (
    curves_against_budget,
    solve_rate_against_tokens,
    ew_over_turns,
)


def _solved_chart(kind: Kind, points: Sequence[BudgetPoint]) -> Chart:
    series = _bought(points, lambda point: point.solved)
    title, y_label = f"Solve rate at equal {kind}", "share of tasks solved"
    return Chart(f"solve-rate-budget-{kind}", title, _spending(kind), y_label, series, log_x=True)


def _budget_ew_chart(kind: Kind, points: Sequence[BudgetPoint]) -> Chart:
    series = _bought(points, lambda point: point.ew)
    title, y_label = f"Best EW so far at equal {kind}", "EW on the first feedback task"
    return Chart(f"ew-budget-{kind}", title, _spending(kind), y_label, series, log_x=True)


def _spending(kind: Kind) -> str:
    return f"{kind} that a search could spend"


def _ew_chart(ledger: Ledger, env: str, methods: Mapping[str, Sequence[EpisodeRecord]]) -> Chart:
    climbs = {
        method: [_climb(f"seed {e.seed}", ledger.nodes(e.unit)) for e in episodes]
        for method, episodes in methods.items()
    }
    if len(climbs) > 1:
        series = [Series(method, _mean(seeds)) for method, seeds in climbs.items()]
        name, title, y_label = f"ew-{env}", env, "best EW score so far"
    else:
        ((method, series),) = climbs.items()
        name, title, y_label = f"ew-{env}-{method}", f"{env}, {method}", "EW score (line: best so far)"
    return Chart(name.replace(":", "_"), title, "turn", y_label, tuple(series), whole_x=True)


def _mean(seeds: Sequence[Series]) -> tuple[Point, ...]:
    """The mean of lines, from the turn on where all have begun; a line that has ended goes on level."""
    lines = [seed.line for seed in seeds if seed.line]
    if not lines:
        return ()
    first, last = max(line[0].x for line in lines), max(line[-1].x for line in lines)
    turns = range(int(first), int(last) + 1)
    return tuple(Point(turn, sum(_at(line, turn) for line in lines) / len(lines)) for turn in turns)


def _at(line: Sequence[Point], turn: int) -> float:
    return [p.y for p in line if p.x <= turn][-1]


def _bought(points: Sequence[BudgetPoint], value: Callable[[BudgetPoint], Estimate]) -> tuple[Series, ...]:
    """A line for each method."""
    lines: dict[str, list[Point]] = {}
    for point in points:
        found = value(point)
        lines.setdefault(point.method, []).append(
            Point(point.budget, found.mean or 0.0, found.low, found.high)
        )
    return tuple(Series(method, tuple(line)) for method, line in lines.items())


def _largest_budgets(episodes: Sequence[EpisodeRecord]) -> list[EpisodeRecord]:
    """Of each environment and method, the episodes with the largest budget."""

    def budget(episode: EpisodeRecord) -> tuple[float, float]:
        return episode.budget_tokens or math.inf, episode.budget_queries or math.inf

    largest: dict[tuple[str, str], tuple[float, float]] = {}
    for episode in episodes:
        pair = (episode.env, episode.method)
        largest[pair] = max(largest.get(pair, (0.0, 0.0)), budget(episode))
    return [e for e in episodes if budget(e) == largest[e.env, e.method]]


def _paid(method: str, episodes: Sequence[EpisodeRecord], tasks: dict[str, list[TaskRecord]]) -> Series:
    envs: dict[str, list[EpisodeRecord]] = {}
    for episode in episodes:
        envs.setdefault(episode.env, []).append(episode)
    dots = tuple(_solved(found, tasks) for found in envs.values()) if len(envs) > 1 else ()
    return Series(method, (_solved(episodes, tasks),), dots)


def _solved(episodes: Sequence[EpisodeRecord], tasks: dict[str, list[TaskRecord]]) -> Point:
    """Mean tokens of an episode, and the rate over the tasks of all."""
    tokens = sum(e.spent.tokens for e in episodes) / len(episodes)
    rows = [task for e in episodes for task in tasks.get(e.unit, ())]
    found = rate(sum(task.solved for task in rows), len(rows))
    return Point(tokens, found.mean or 0.0, found.low, found.high)


def _climb(label: str, nodes: Iterable[NodeRecord]) -> Series:
    made = [n for n in nodes if _turn(n) > 0]
    dots = tuple(Point(_turn(n), n.score.ew) for n in made if n.score.ew is not None)
    return Series(label, tuple(Point(turn, ew) for turn, ew in best_so_far(made)), dots)


def best_so_far(nodes: Sequence[NodeRecord]) -> list[tuple[int, float]]:
    """(turn, highest EW up to it) from the first turn that has a score."""
    found: list[tuple[int, float]] = []
    for turn in sorted({_turn(n) for n in nodes}):
        scores = [n.score.ew for n in nodes if _turn(n) == turn and n.score.ew is not None]
        if found:
            scores.append(found[-1][1])
        if scores:
            found.append((turn, max(scores)))
    return found


def _turn(node: NodeRecord) -> int:
    return node.id.count(".")
