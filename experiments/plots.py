"""Figures of a run, drawn from its records alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.ledger import Ledger
from experiments.records import EpisodeRecord, NodeRecord


def draw_all(ledger: Ledger, folder: Path) -> tuple[Path, ...]:
    """One figure for each environment and method with a search: EW over turns. Returns the files."""
    groups: dict[tuple[str, str], list[EpisodeRecord]] = {}
    for episode in sorted(ledger.episodes, key=lambda e: (e.env, e.method, e.seed)):
        if episode.candidates:
            groups.setdefault((Path(episode.env).name, episode.method), []).append(episode)
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(
        _draw(f"{env}, {method}", episodes, ledger, folder / f"ew-{env.replace(':', '_')}-{method}.png")
        for (env, method), episodes in groups.items()
    )


def _draw(title: str, episodes: Sequence[EpisodeRecord], ledger: Ledger, path: Path) -> Path:
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for episode in episodes:
        _episode(axes, f"seed {episode.seed}", [n for n in ledger.nodes(episode.unit) if _turn(n) > 0])
    axes.set_title(title)
    axes.set_xlabel("turn")
    axes.set_ylabel("EW score")
    axes.set_ylim(-0.03, 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120, metadata={"Software": f"matplotlib {matplotlib.__version__}"})
    return path


def _episode(axes: Axes, label: str, nodes: Sequence[NodeRecord]) -> None:
    """Every scored candidate as a dot, the best so far as a line; a turn without a score has none."""
    scored = [(_turn(n), n.score.ew) for n in nodes if n.score.ew is not None]
    best = best_so_far(nodes)
    (line,) = axes.plot([turn for turn, _ in best], [ew for _, ew in best], label=f"best so far, {label}")
    axes.scatter([t for t, _ in scored], [ew for _, ew in scored], s=14, alpha=0.6, color=line.get_color())


def best_so_far(nodes: Sequence[NodeRecord]) -> list[tuple[int, float]]:
    """(turn, highest EW up to it) from the first turn that has a score."""
    found: list[tuple[int, float]] = []
    for turn in sorted({_turn(n) for n in nodes}):
        scores = [n.score.ew for n in nodes if _turn(n) == turn and n.score.ew is not None]
        if found:
            scores.append(found[-1][1])
        if scores:
            found.append((turn, max(scores)))
    return found


def _turn(node: NodeRecord) -> int:
    return node.id.count(".")
