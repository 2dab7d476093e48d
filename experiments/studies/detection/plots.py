"""The detection study's figure: the share of wrong mutations exposed, over world queries."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from experiments.reporting.figures import new_figure, save
from experiments.studies.detection.tables import BUDGETS, By, Detection
from experiments.studies.detection.units import WAYS

#: Queries at which the curves are drawn.
_QUERIES = sorted({round(10 ** (i / 12)) for i in range(37)})


def draw_detection(found: Detection, path: Path) -> tuple[Path, ...]:
    """Two panels: exposed by what walks choose, and by listing all that is applicable. Returns the files."""
    figure = new_figure(9.6, 4.0)
    _panel(figure.add_subplot(1, 2, 1), found, "chosen", "a chosen operator is refused")
    axes = figure.add_subplot(1, 2, 2)
    _panel(axes, found, "listed", "the applicable operators differ")
    axes.legend(loc="lower right", fontsize=8)
    return save(figure, path)


def _panel(axes: Axes, found: Detection, by: By, title: str) -> None:
    for way in WAYS:
        shares = [found.share(way, by, queries).mean or 0.0 for queries in _QUERIES]
        axes.plot(_QUERIES, shares, label=way, linestyle="--" if way == "paper" else "-")
    for budget in BUDGETS:
        axes.axvline(budget, color="0.85", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("world queries")
    axes.set_ylabel("share of wrong domains exposed")
    axes.set_title(title)
