"""The repair study's figure: what was restored, with the targets, and the seconds that it took."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from experiments.reporting.figures import new_figure, save
from experiments.studies.repair.tables import TARGET_S, TARGETS, Restoring


def draw_repair(found: Restoring, path: Path) -> tuple[Path, ...]:
    """Two panels over the cells of the study. Returns the files."""
    figure = new_figure(9.6, 4.0)
    _shares(figure.add_subplot(1, 2, 1), found)
    _seconds(figure.add_subplot(1, 2, 2), found)
    return save(figure, path)


def _shares(axes: Axes, found: Restoring) -> None:
    """A bar a cell with its interval; the target is a tick across it."""
    for place, cell in enumerate(found.cells):
        share = found.restored(cell)
        if share.mean is None or share.low is None or share.high is None:
            continue
        reach = [[share.mean - share.low], [share.high - share.mean]]
        axes.bar(place, share.mean, yerr=reach, color="tab:blue", alpha=0.7, capsize=3)
        if cell in TARGETS:
            axes.hlines(TARGETS[cell], place - 0.45, place + 0.45, color="tab:red", linewidth=1.5)
    axes.set_ylim(0, 1.03)
    axes.set_ylabel("share restored to EW 1 (red: target)")
    _label(axes, found)


def _seconds(axes: Axes, found: Restoring) -> None:
    """A box a cell, from quartile to quartile."""
    seconds = [[max(r["wall_s"], 0.01) for r in found.harmful(cell)] or [0.01] for cell in found.cells]
    axes.boxplot(seconds, positions=range(len(found.cells)), widths=0.6, flierprops={"markersize": 2})
    axes.axhline(TARGET_S, color="tab:red", linewidth=1)
    axes.set_yscale("log")
    axes.set_ylabel("seconds a repair")
    _label(axes, found)


def _label(axes: Axes, found: Restoring) -> None:
    names = [f"{kind} {count}" if count else "nothing" for kind, count in found.cells]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
