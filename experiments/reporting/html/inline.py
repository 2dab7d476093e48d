"""Figures as SVG inside the page: its colours and no style of their own, so that they follow light and dark.

The page's security policy allows the one style sheet that it names, so every `style` of a figure becomes a
class, and its rule a part of that sheet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from ew.score.shown import shown
from experiments.reporting.charts import Chart, Point
from experiments.reporting.plots import COLOURS, DrawnChart

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: What stands for a figure's colours on the page: those of series, of its ground, of lines and letters.
_THEMED = {colour: f"var(--s{place})" for place, colour in enumerate(COLOURS)} | {
    "#ffffff": "var(--paper)", "#000000": "var(--quiet)", "#cccccc": "var(--rule)",
}  # fmt: skip


class InlineFigures:
    """Figures on their way into one page, and the style rules that they share."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._made = 0
        for prefix, uri in (("", _SVG), ("xlink", _XLINK)):
            ElementTree.register_namespace(prefix, uri)

    @property
    def style(self) -> str:
        """The rules of all figures so far."""
        rules = (f".{name} {{ {_themed(rule)} }}\n" for rule, name in self._rules.items())
        return "figure svg * { stroke-linejoin: round; stroke-linecap: butt }\n" + "".join(rules)

    def add(self, drawing: DrawnChart) -> str:
        """The figure as an element of the page: named in words, each point with its values."""
        root = ElementTree.fromstring(drawing.svg)
        prefix, self._made = f"f{self._made}-", self._made + 1
        for parent in list(root.iter()):
            for child in list(parent):
                if child.tag.rpartition("}")[2] in ("metadata", "style") or child.get("id") == "title":
                    parent.remove(child)
        for number, series in enumerate(drawing.chart.series):
            _titled(root, f"line-{number}", series.line)
            _titled(root, f"dots-{number}", series.dots)
        for element in root.iter():
            for name, value in list(element.attrib.items()):
                if name == "style":
                    del element.attrib[name]
                    element.set("class", self._rules.setdefault(value, f"m{len(self._rules)}"))
                elif name == "id":
                    element.set(name, prefix + value)
                else:
                    element.set(name, re.sub(r"^#|(?<=url\(#)", lambda at: at[0] + prefix, value))
        root.set("role", "img")
        root.set("aria-label", in_words(drawing.chart))
        return ElementTree.tostring(root, encoding="unicode")


def _titled(root: ElementTree.Element, group: str, points: Sequence[Point]) -> None:
    """Give the markers of a group the values of their points."""
    markers = root.findall(f".//{{{_SVG}}}g[@id='{group}']//{{{_SVG}}}use")
    for marker, point in zip(markers, points, strict=False):
        ElementTree.SubElement(marker, f"{{{_SVG}}}title").text = f"{short(point.x)}: {shown(point.y)}"


def _themed(rule: str) -> str:
    return re.sub(r"#[0-9a-f]{6}", lambda colour: _THEMED.get(colour[0], colour[0]), rule)


def in_words(chart: Chart) -> str:
    """The chart for readers who cannot see it: where each series ends."""
    ends = [f"{s.label} ends at {shown(s.line[-1].y)}" for s in chart.series if s.line]
    return f"{chart.title}: {chart.y_label} over {chart.x_label}. " + "; ".join(ends)


def short(x: float) -> str:
    """12000 as 12k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= size:
            return f"{x / size:.3g}{letter}"
    return f"{x:.4g}"
