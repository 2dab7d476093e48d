"""The figures of a run: what each shows, as plain data, and its drawing, for files and the page.

A chart is made from data frames alone. To add one, write a function from a run's frames to charts and put it
into `CHARTS`: it is then drawn once, as PNG and SVG files, and as the SVG that stands on the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.reporting.budget_curves import KINDS, BudgetPoint, Kind, budget_points
from experiments.reporting.display import Axes, Figure, new_figure, rendered
from experiments.reporting.results import ordered
from experiments.reporting.statistics import Estimate, share
from experiments.runs.frames import Column, DataFrame, RunFrames
from experiments.runs.marks import file_name, title


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
    """A figure whose y axis is a share from 0 to 1; it is drawn when it is first looked at, and then kept."""

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

    @cached_property
    def _figure(self) -> Figure:
        return _drawn(self)

    @cached_property
    def png(self) -> bytes:
        """The figure as PNG; equal charts give equal bytes."""
        return rendered(self._figure, "png")

    @cached_property
    def svg(self) -> str:
        """The figure as SVG; the points of series N are in the groups `line-N` and `dots-N`, in order."""
        from matplotlib import rc_context

        with rc_context({"svg.fonttype": "none"}):  # letters stay letters, which can be searched and read out
            return rendered(self._figure, "svg").decode("utf-8")


def charts_of(run: RunFrames) -> tuple[Chart, ...]:
    """Every chart for which the run has something to show; simulated results are marked as such."""
    made, label = (chart for make in CHARTS for chart in make(run)), run.simulated
    return tuple(replace(c, title=title(c.title, label), name=file_name(c.name, label)) for c in made)


def ew_over_turns(run: RunFrames) -> tuple[Chart, ...]:
    """One chart for each environment with a search: its methods side by side, or the seeds of its only one.

    Of a seed, every scored candidate is a dot and the best so far the line; a turn without a score has none.
    Of a method, the line is the mean over its seeds, where a search that has ended keeps what it had. Of
    several budgets the largest is shown: the smaller ones see a part of the same.
    """
    episodes = ordered(_largest_budgets(run.answered.episodes), ["env", "method", "seed"])
    searched = episodes[episodes.candidates > 0]
    return tuple(
        _ew_chart(str(env), found, run.nodes) for env, found in searched.groupby("world", sort=False)
    )


def solve_rate_against_tokens(run: RunFrames) -> tuple[Chart, ...]:
    """One chart: a series for each method, with a dot for each environment.

    x is what an episode spent on the average, y the share of its tasks that were solved. The marked point is
    over all environments, with Wilson's interval. Episodes that spent nothing have no place on the axis,
    and those with a budget have a chart of their own.
    """
    found = run.answered.episodes
    paid = found[(found.tokens > 0) & (found.condition == found.method)]
    series = []
    for method, episodes in paid.groupby("method"):
        envs = [_solved(of_env, run.tasks) for _, of_env in episodes.groupby("env")]
        line = (_solved(episodes, run.tasks),)
        series.append(Series(str(method), line, tuple(envs) if len(envs) > 1 else ()))
    heading, y_label = "Solve rate against tokens", "share of tasks solved"
    made = Chart("solve-rate-tokens", heading, "tokens of an episode", y_label, tuple(series), log_x=True)
    return (made,) if series else ()


def curves_against_budget(run: RunFrames) -> tuple[Chart, ...]:
    """Two charts for each kind of budget, tasks solved and EW: a line for each method, with intervals over
    episodes."""
    points = budget_points(run)
    kinds = [(kind, here) for kind in KINDS if (here := [p for p in points if p.kind == kind])]
    return tuple(chart for kind, here in kinds for chart in _budget_charts(kind, here))


#: Everything that is drawn of a run, in this order.
CHARTS: tuple[Callable[[RunFrames], tuple[Chart, ...]], ...] = (
    curves_against_budget,
    solve_rate_against_tokens,
    ew_over_turns,
)


def _budget_charts(kind: Kind, points: Sequence[BudgetPoint]) -> tuple[Chart, Chart]:
    x_label = f"{kind} that a search could spend"
    solved, ew = (_bought(points, value) for value in (lambda p: p.solved, lambda p: p.ew))
    return (
        Chart(
            f"solve-rate-budget-{kind}", f"Solve rate at equal {kind}", x_label, "share of tasks solved",
            solved, log_x=True,
        ),
        Chart(
            f"ew-budget-{kind}", f"Best EW so far at equal {kind}", x_label,
            "EW on the first feedback task", ew, log_x=True,
        ),
    )  # fmt: skip


def _bought(points: Sequence[BudgetPoint], value: Callable[[BudgetPoint], Estimate]) -> tuple[Series, ...]:
    """A line for each method."""
    lines: dict[str, list[Point]] = {}
    for point in points:
        lines.setdefault(point.method, []).append(_estimated(point.budget, value(point)))
    return tuple(Series(method, tuple(line)) for method, line in lines.items())


def _estimated(x: float, found: Estimate) -> Point:
    return Point(x, found.mean or 0.0, found.low, found.high)


def _solved(episodes: DataFrame, tasks: DataFrame) -> Point:
    """Mean tokens of an episode, and the rate over the tasks of all."""
    tokens = episodes.tokens.sum() / len(episodes)
    return _estimated(float(tokens), share(tasks.solved[tasks.unit.isin(episodes.unit)]))


def _largest_budgets(episodes: DataFrame) -> DataFrame:
    """Of each environment and method, the episodes with the largest budget; none is larger than any."""
    caps = [f"budget_{kind}" for kind in KINDS]
    whole = episodes.assign(**{cap: episodes[cap].astype("float64").fillna(math.inf) for cap in caps})
    pairs = ["env", "method"]
    largest = whole.sort_values(caps).drop_duplicates(pairs, keep="last")[[*pairs, *caps]]
    return whole.merge(largest, on=[*pairs, *caps])


def _ew_chart(env: str, episodes: DataFrame, nodes: DataFrame) -> Chart:
    """`episodes` of one environment, sorted by method and seed."""
    methods = {str(method): found for method, found in episodes.groupby("method", sort=False)}
    if len(methods) > 1:
        series = [Series(method, _mean(found, nodes)) for method, found in methods.items()]
        name, heading, y_label = f"ew-{env}", env, "best EW score so far"
    else:
        ((method, found),) = methods.items()
        series = [
            _climb(f"seed {seed}", nodes[nodes.unit == unit])
            for seed, unit in zip(found.seed, found.unit, strict=True)
        ]
        name, heading, y_label = f"ew-{env}-{method}", f"{env}, {method}", "EW score (line: best so far)"
    return Chart(name.replace(":", "_"), heading, "turn", y_label, tuple(series), whole_x=True)


def _climb(label: str, nodes: DataFrame) -> Series:
    scored = nodes[(nodes.turn > 0) & nodes.ew.notna()]
    dots = map(Point, scored.turn.tolist(), scored.ew.tolist())
    return Series(label, _points(best_so_far(nodes)), tuple(dots))


def _points(line: Column) -> tuple[Point, ...]:
    return tuple(map(Point, line.index.tolist(), line.tolist()))


def best_so_far(nodes: DataFrame) -> Column:
    """The highest EW up to each turn, by turn, from the first turn that has a score."""
    return nodes[nodes.turn > 0].groupby("turn").ew.max().cummax().ffill().dropna()


def _mean(episodes: DataFrame, nodes: DataFrame) -> tuple[Point, ...]:
    """The mean of lines, from the turn on where all have begun; a line that has ended goes on level."""
    mine = nodes[nodes.unit.isin(episodes.unit) & (nodes.turn > 0)]
    best = mine.groupby(["turn", "unit"]).ew.max().unstack().dropna(axis=1, how="all").cummax().ffill()
    return _points(best.dropna().mean(axis=1)) if best.size else ()


#: A colour, marker and dash for each series, so that colour is never the only difference; the colours are
#: those that `html/report.css` has for light pages.
COLOURS = ("#0b5fa5", "#b4480f", "#00745a", "#8a3d7a", "#6e5a00", "#a12c3a", "#3d5a6c", "#333333")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES = ("-", "--", ":", "-.", (0, (4, 2)), (0, (12, 4)), (0, (1, 2)), (0, (6, 2, 1, 2)))


def write_all(charts: Iterable[Chart], folder: Path) -> tuple[Path, ...]:
    """Write every figure into `folder`; the files, PNG before SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for chart in charts:
        for suffix, data in ((".png", chart.png), (".svg", chart.svg.encode("utf-8"))):
            made.append(folder / (chart.name + suffix))
            made[-1].write_bytes(data)
    return tuple(made)


def _drawn(chart: Chart) -> Figure:
    from matplotlib import rc_context
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    with rc_context({"text.parse_math": False}):  # a `$` in a name is no formula
        figure = new_figure(6.4, 4.0)
        axes = figure.add_subplot()
        for number, series in enumerate(chart.series):
            _draw(axes, series, number)
        if chart.log_x:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))  # the usual one writes formulas
        elif chart.whole_x:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(chart.title, gid="title")
        axes.set(xlabel=chart.x_label, ylabel=chart.y_label)
        axes.legend(loc="lower right")
        figure.draw_without_rendering()  # lay it out now, or its first form would decide where things are
        figure.set_layout_engine("none")
    return figure


def _draw(axes: Axes, series: Series, number: int) -> None:
    place = number % len(COLOURS)
    look: dict[str, Any] = {"marker": _MARKERS[place], "color": COLOURS[place]}
    axes.plot(
        *_places(series.line), linestyle=_DASHES[place], label=series.label, gid=f"line-{number}", **look
    )
    axes.plot(*_places(series.dots), linestyle="", markersize=4, alpha=0.6, gid=f"dots-{number}", **look)
    sure = [p for p in series.line if p.low is not None and p.high is not None]
    reach = [(max(0.0, p.y - (p.low or 0.0)), max(0.0, (p.high or 0.0) - p.y)) for p in sure]
    if sure:
        ends = tuple(zip(*reach, strict=True))
        axes.errorbar(*_places(sure), yerr=ends, fmt="none", ecolor=COLOURS[place], capsize=3)


def _places(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    return [p.x for p in points], [p.y for p in points]
