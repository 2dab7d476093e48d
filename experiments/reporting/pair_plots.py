"""The figure of judged pairs: parseable, solvable, correct, by abstractness and by size, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from experiments.reporting.figures import new_figure, save
from experiments.reporting.pair_tables import MEASURES, Group, Judgement, by_size, by_style, groups_by
from experiments.runs.marks import file_name, title

_COLOURS = ("tab:blue", "tab:orange", "tab:green")
_WIDTH = 0.27


def draw_pairs(found: Sequence[Judgement], path: Path, mark: str = "") -> tuple[Path, ...]:
    """A panel each for all pairs, abstractness and size; arms beside each other. Returns the files.

    The figure and its files carry the mark of the simulated language model `mark`, if there is one.
    """
    panels = (
        ("world", groups_by(found, lambda pair: pair.world)),
        ("initial state to goal", by_style(found)),
        ("atoms", by_size(found)),
    )
    figure = new_figure(4.2 * len(panels), 4.2)
    for place, (label, groups) in enumerate(panels, start=1):
        _bars(
            figure.add_subplot(1, len(panels), place),
            label,
            groups,
            one_arm=len({g.arm for g in groups}) == 1,
        )
    if mark:
        figure.suptitle(title("Judged pairs", mark))
    return save(figure, path.with_name(file_name(path.name, mark)))


def _bars(axes: Axes, label: str, groups: Sequence[Group], *, one_arm: bool) -> None:
    """Three bars a group, with Wilson's intervals."""
    for shift, ((name, counts), colour) in enumerate(zip(MEASURES, _COLOURS, strict=True)):
        shares = [group.share(counts) for group in groups]
        means = [s.mean or 0.0 for s in shares]
        low = [mean - (s.low or 0.0) for mean, s in zip(means, shares, strict=True)]
        high = [(s.high or 0.0) - mean for mean, s in zip(means, shares, strict=True)]
        places = [place + (shift - 1) * _WIDTH for place in range(len(groups))]
        axes.bar(places, means, _WIDTH, yerr=[low, high], label=name, color=colour, alpha=0.8, capsize=2)
    names = [group.what if one_arm else f"{group.arm}\n{group.what}" for group in groups]
    axes.set_xticks(range(len(groups)), names, rotation=45, ha="right")
    axes.set_ylim(0, 1.03)
    axes.set(xlabel=label, ylabel="share of pairs")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(MEASURES), fontsize="small")
