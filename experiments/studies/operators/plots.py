"""The operators study's figure: the share recovered against the number of demonstrations."""

from __future__ import annotations

from pathlib import Path

from experiments.reporting.figures import new_figure, save
from experiments.studies.operators.tables import PAPER, TARGET, Recovering

_WORDS = {
    "symbolic": "by name (published)",
    "guided": "by name, completed",
    "guided-resampled": "by name, completed, resampled",
    "known": "arguments known",
}


def draw_operators(found: Recovering, path: Path) -> tuple[Path, ...]:
    """A line a method with its interval; what the paper reports is dotted. Returns the files."""
    figure = new_figure(6.4, 4.0)
    axes = figure.add_subplot(1, 1, 1)
    for number, method in enumerate(found.methods):
        counts = [count for count in found.counts if found.of(method, count)]
        shares = [found.share(method, count) for count in counts]
        means = [share.mean or 0.0 for share in shares]
        lows = [share.mean if share.low is None else share.low for share in shares]
        highs = [share.mean if share.high is None else share.high for share in shares]
        colour = f"C{number}"
        axes.plot(counts, means, marker="o", color=colour, label=_WORDS.get(method, method))
        axes.fill_between(
            counts, [x or 0.0 for x in lows], [x or 0.0 for x in highs], color=colour, alpha=0.2
        )
    for method, share in PAPER.items():
        axes.axhline(share, color="grey", linestyle=":", linewidth=1)
        axes.text(1, share + 0.01, f"paper: {method}", fontsize=7, color="grey")
    axes.axhline(TARGET, color="tab:red", linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("demonstrations")
    axes.set_ylabel("share of operators recovered (red: target)")
    axes.legend(loc="center right")
    return save(figure, path)
