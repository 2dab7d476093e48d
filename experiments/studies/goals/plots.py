"""The goals study's figure: a panel for each kind of task, a bar for each method, the paper beside."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from experiments.reporting.figures import new_figure, save
from experiments.studies.goals.tables import PAPER, TARGETS, WORDS, Guessing

_LABELS = {
    "llm-actions": "LLM,\nactions",
    "llm-operators": "LLM,\noperators",
    "parsing-learned": "parsing,\nlearned",
    "parsing-true": "parsing,\ntrue",
    "ranking-learned": "no LLM,\nlearned",
    "ranking-true": "no LLM,\ntrue",
}


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
    methods = [method for method in found.methods if found.of(kind, method)]
    for place, method in enumerate(methods):
        share = found.share(kind, method)
        mean, low, high = share.mean or 0.0, share.low or 0.0, 1.0 if share.high is None else share.high
        axes.bar(place, mean, width=0.6, color=f"C{place}", alpha=0.8)
        reach = [[max(0.0, mean - low)], [max(0.0, high - mean)]]
        axes.errorbar(place, mean, yerr=reach, color="black", capsize=3)
        if (kind, method) in PAPER:
            axes.plot(place, PAPER[kind, method], marker="x", color="black", linestyle="none")
        if (kind, method) in TARGETS:
            axes.hlines(TARGETS[kind, method], place - 0.35, place + 0.35, color="tab:red")
    axes.set_xticks(range(len(methods)), [_LABELS.get(method, method) for method in methods], fontsize=8)
    axes.set_ylim(0, 1.03)
