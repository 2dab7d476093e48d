"""Figures that are the same bytes whenever they are drawn from the same data, as PNG and SVG.

matplotlib is loaded when something is drawn, as most of what a command can do draws nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Write `path` with .png and with .svg behind it; parent folders are made. Returns the two files."""
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    png, svg = path.with_name(path.name + ".png"), path.with_name(path.name + ".svg")
    figure.savefig(png, dpi=120, metadata={"Software": f"matplotlib {matplotlib.__version__}"})
    # A fixed salt and no date, or every drawing would be another file.
    with matplotlib.rc_context({"svg.hashsalt": "groundwalk"}):
        figure.savefig(svg, metadata={"Date": None})
    return png, svg
