"""Charts as SVG of our own: coloured by the page's style sheet, so that they follow its light and dark.

Series differ by marker and dash as well as by colour; their classes are s0, s1, … in `report.css`. No style
stands in the SVG itself, as the page's security policy allows none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ew.score.shown import shown
from experiments.reporting.charts import Chart, Point, Series
from experiments.reporting.html.markup import Markup, el, joined

WIDTH, HEIGHT = 440, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 16, 12, 42
#: How many classes the style sheet has.
_STYLES = 8
#: Outlines around (0, 0), about 8 units wide.
_MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",  # circle
    "M-3.6 -3.6h7.2v7.2h-7.2z",  # square
    "M0 -4.6l4.4 7.8h-8.8z",  # triangle
    "M0 -5l5 5l-5 5l-5 -5z",  # diamond
    "M0 4.6l4.4 -7.8h-8.8z",  # triangle on its tip
    "M-4.6 -1.5h3.1v-3.1h3v3.1h3.1v3h-3.1v3.1h-3v-3.1h-3.1z",  # cross
    "M-5 -3.5h10v7h-10z",  # bar
    "M0 -5l1.5 3.5l3.5 1.5l-3.5 1.5l-1.5 3.5l-1.5 -3.5l-3.5 -1.5l3.5 -1.5z",  # star
)


@dataclass(frozen=True)
class _Scale:
    """Where x values stand on the page."""

    low: float
    high: float
    log: bool

    def __call__(self, x: float) -> float:
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, x))
        return _LEFT + (at - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)


def figure(chart: Chart) -> Markup:
    """A chart with its title and legend."""
    scale = _scale(chart)
    drawn = [_series(series, number, scale) for number, series in enumerate(chart.series)]
    box = f"0 0 {WIDTH} {HEIGHT}"
    axes = [*_y_axis(chart.y_label), *_x_axis(chart, scale)]
    svg = el("svg", *axes, *drawn, viewBox=box, role="img", aria_label=_in_words(chart))
    return el("figure", el("figcaption", chart.title), svg, _legend(chart))


def _scale(chart: Chart) -> _Scale:
    """All values with some room beside them; one value alone stands in the middle."""
    xs = [p.x for p in chart.points] or [1.0]
    low, high = min(xs), max(xs)
    if chart.log_x:
        return _Scale(low / 1.3, high * 1.3, True)
    room = 0.04 * (high - low) or 0.5
    return _Scale(low - room, high + room, False)


def _y(share: float) -> float:
    return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)


def _series(series: Series, number: int, scale: _Scale) -> Markup:
    marker = _MARKERS[number % len(_MARKERS)]
    steps = [(scale(p.x), _y(p.y)) for p in series.line]
    line = el("path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in steps), class_="line")
    parts = [
        *(_marked(p, scale, marker, "dot") for p in series.dots),
        *([line] if len(steps) > 1 else []),
        *(_interval(p, scale) for p in series.line if p.low is not None and p.high is not None),
        *(_marked(p, scale, marker, "mark") for p in series.line),
    ]
    return el("g", *parts, class_=f"s{number % _STYLES}")


def _marked(point: Point, scale: _Scale, marker: str, kind: str) -> Markup:
    where = f"translate({scale(point.x):.1f} {_y(point.y):.1f})"
    told = el("title", f"{_short(point.x)}: {shown(point.y)}")
    return el("g", told, el("path", d=marker), class_=kind, transform=where)


def _interval(point: Point, scale: _Scale) -> Markup:
    x, low, high = scale(point.x), _y(point.low or 0.0), _y(point.high or 0.0)
    ends = "".join(f"M{x - 4:.1f} {y:.1f}h8" for y in (low, high))
    return el("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}{ends}", class_="interval")


def _y_axis(label: str) -> Iterator[Markup]:
    for step in range(0, 5):
        y = _y(step / 4)
        yield el("path", d=f"M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}", class_="grid")
        yield el("text", f"{step / 4:.2f}", x=_LEFT - 6, y=f"{y + 4:.1f}", class_="end")
    middle = _y(0.5)
    yield el("text", label, transform=f"translate(13 {middle:.1f}) rotate(-90)", class_="middle")


def _x_axis(chart: Chart, scale: _Scale) -> Iterator[Markup]:
    base = HEIGHT - _BOTTOM
    for x in _ticks(scale):
        at = f"{scale(x):.1f}"
        yield el("path", d=f"M{at} {base}v5", class_="tick")
        yield el("text", _short(x), x=at, y=base + 18, class_="middle")
    centre = (_LEFT + WIDTH - _RIGHT) / 2
    yield el("text", chart.x_label, x=f"{centre:.1f}", y=HEIGHT - 6, class_="middle")


def _ticks(scale: _Scale) -> list[float]:
    """Round numbers inside the scale, at most about eight."""
    if not scale.log:
        step = max(1, math.ceil((scale.high - scale.low) / 8))
        return [x for x in range(math.ceil(scale.low), math.floor(scale.high) + 1) if x % step == 0]
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    decades = [float(10**e) for e in range(first, last + 1)]
    for marks in (range(1, 10), (1, 2, 5), (1,)):
        found = [m * d for d in decades for m in marks if scale.low <= m * d <= scale.high]
        if len(found) <= 8:
            break
    return found


def _legend(chart: Chart) -> Markup:
    return el("ul", *(_key(s, n) for n, s in enumerate(chart.series)), class_="legend")


def _key(series: Series, number: int) -> Markup:
    marker = el(
        "g", el("path", d=_MARKERS[number % len(_MARKERS)]), class_="mark", transform="translate(12 7)"
    )
    line = el("path", d="M0 7h24", class_="line")
    symbol = el("svg", line, marker, viewBox="0 0 24 14", aria_hidden="true")
    return el("li", symbol, series.label, class_=f"s{number % _STYLES}")


def _in_words(chart: Chart) -> str:
    """What a reader who cannot see the chart is told: where each series ends."""
    ends = [f"{s.label} ends at {shown(s.line[-1].y)}" for s in chart.series if s.line]
    return f"{chart.title}: {chart.y_label} over {chart.x_label}. " + "; ".join(ends)


def _short(x: float) -> str:
    """12000 as 12k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= size:
            return f"{x / size:.3g}{letter}"
    return f"{x:.4g}"


def gallery(charts: Sequence[Chart]) -> Markup:
    """Charts side by side."""
    return el("div", joined(*map(figure, charts)), class_="gallery")
