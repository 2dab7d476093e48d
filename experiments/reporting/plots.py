"""The figures of a run, each drawn once: as PNG and SVG files, and as the SVG that stands on its page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.reporting.charts import Chart, Point, Series
from experiments.reporting.display import Axes, Figure, new_figure, rendered

#: A colour, marker and dash for each series, so that colour is never the only difference; the colours are
#: those that `html/report.css` has for light pages.
COLOURS = ("#0b5fa5", "#b4480f", "#00745a", "#8a3d7a", "#6e5a00", "#a12c3a", "#3d5a6c", "#333333")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES = ("-", "--", ":", "-.", (0, (4, 2)), (0, (12, 4)), (0, (1, 2)), (0, (6, 2, 1, 2)))


@dataclass(frozen=True)
class DrawnChart:
    """A chart and its figure; each form of it is made when it is first looked at and then kept."""

    chart: Chart

    @cached_property
    def _figure(self) -> Figure:
        return _drawn(self.chart)

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


def write_all(drawings: Iterable[DrawnChart], folder: Path) -> tuple[Path, ...]:
    """Write every figure into `folder`; the files, PNG before SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for drawing in drawings:
        for suffix, data in ((".png", drawing.png), (".svg", drawing.svg.encode("utf-8"))):
            made.append(folder / (drawing.chart.name + suffix))
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
