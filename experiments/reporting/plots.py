"""The figures of a run as files: every chart of `charts` as PNG and as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.reporting.charts import Chart, Point, Series
from experiments.reporting.figures import new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One for each series, so that colour is never the only difference.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def draw_all(charts: Iterable[Chart], folder: Path) -> tuple[Path, ...]:
    """Draw every chart into `folder`; the files, PNG before SVG."""
    return tuple(path for chart in charts for path in draw(chart, folder))


def draw(chart: Chart, folder: Path) -> tuple[Path, Path]:
    """Draw one chart as `NAME.png` and `NAME.svg`."""
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(6.4, 4.0)
    axes = figure.add_subplot()
    for number, series in enumerate(chart.series):
        _series(axes, series, _MARKERS[number % len(_MARKERS)])
    if chart.log_x:
        axes.set_xscale("log")
    elif chart.whole_x:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(-0.03, 1.03)
    axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label)
    axes.legend(loc="lower right")
    return save(figure, folder / chart.name)


def _series(axes: Axes, series: Series, marker: str) -> None:
    xs = [p.x for p in series.line]
    (line,) = axes.plot(xs, [p.y for p in series.line], marker=marker, label=series.label)
    colour = line.get_color()
    axes.scatter(
        [p.x for p in series.dots], [p.y for p in series.dots], s=14, alpha=0.6, color=colour, marker=marker
    )
    sure = [p for p in series.line if p.low is not None and p.high is not None]
    if sure:
        axes.errorbar(
            [p.x for p in sure], [p.y for p in sure], yerr=_reach(sure), fmt="none", ecolor=colour, capsize=3
        )


def _reach(points: Iterable[Point]) -> tuple[list[float], list[float]]:
    """How far the intervals reach below and above their values."""
    pairs = [
        (p.y - (p.y if p.low is None else p.low), (p.y if p.high is None else p.high) - p.y) for p in points
    ]
    return [max(0.0, below) for below, _ in pairs], [max(0.0, above) for _, above in pairs]
