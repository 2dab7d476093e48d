"""Draws `docs/figures/loop.svg`, the picture of the loop in the README.

python docs/figures/loop.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 860, 330


@dataclass(frozen=True)
class Box:
    """A part of the loop: its left upper corner and size in pixels, its name and what it is, a line each."""

    x: int
    y: int
    name: str
    lines: tuple[str, ...]
    width: int = 200
    height: int = 84

    def svg(self) -> str:
        """The box with its texts in the middle."""
        middle = self.x + self.width // 2
        size = f'width="{self.width}" height="{self.height}"'
        drawn = f'<rect class="box" x="{self.x}" y="{self.y}" {size} rx="8"/>'
        texts = [f'<text class="name" x="{middle}" y="{self.y + 30}">{escape(self.name)}</text>']
        texts += [
            f'<text x="{middle}" y="{self.y + 52 + 18 * row}">{escape(line)}</text>'
            for row, line in enumerate(self.lines)
        ]
        return "\n".join([drawn, *texts])


@dataclass(frozen=True)
class Arrow:
    """From one point to another, with a caption of some lines at a third."""

    points: tuple[tuple[int, int], ...]
    at: tuple[int, int]
    caption: tuple[str, ...]

    def svg(self) -> str:
        """The line, its head and its caption."""
        path = " L ".join(f"{x} {y}" for x, y in self.points)
        x, y = self.at
        words = [
            f'<text class="said" x="{x}" y="{y + 16 * row}">{escape(line)}</text>'
            for row, line in enumerate(self.caption)
        ]
        return "\n".join([f'<path class="arrow" d="M {path}" marker-end="url(#head)"/>', *words])


BOXES = (
    Box(20, 30, "language model", ("proposes, and corrects", "when it gets feedback")),
    Box(330, 30, "PDDL model", ("a domain, and a problem", "of each task")),
    Box(640, 30, "planner", ("Fast Downward", "finds a plan in the model")),
    Box(640, 216, "environment", ("can be stepped;", "its rules stay hidden")),
    Box(330, 216, "Exploration Walks", ("random walks in each, run", "in the other: the EW score")),
    Box(20, 216, "repair", ("the fewest edits that", "explain all walks")),
)
ARROWS = (
    Arrow(((220, 72), (326, 72)), (273, 62), ("proposal",)),
    Arrow(((530, 72), (636, 72)), (583, 62), ("EW = 1",)),
    Arrow(((740, 114), (740, 212)), (774, 168), ("plan",)),
    Arrow(((640, 258), (534, 258)), (587, 248), ("walks",)),
    Arrow(((430, 114), (430, 212)), (466, 168), ("walks",)),
    Arrow(((360, 216), (200, 118)), (356, 150), ("shortest", "counterexample")),
    Arrow(((330, 258), (224, 258)), (277, 248), ("all walks",)),
    Arrow(((120, 216), (120, 165), (240, 165), (326, 108)), (170, 186), ("edits",)),
)

STYLE = """
  text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: #24292f }
  .name { font-weight: 600; font-size: 15px }
  .said { font-style: italic; fill: #57606a }
  .box { fill: #f6f8fa; stroke: #57606a; stroke-width: 1.2 }
  .arrow { fill: none; stroke: #0969da; stroke-width: 1.6 }
  .paper { fill: #ffffff }
"""


def picture() -> str:
    """The whole picture as SVG text."""
    head = (
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" fill="#0969da"/></marker></defs>'
    )
    opened = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="A language model proposes a PDDL model, walks compare it with the environment">'
    )
    paper = f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>'
    drawn = [part.svg() for part in (*ARROWS, *BOXES)]
    return "\n".join([opened, f"<style>{STYLE}</style>", head, paper, *drawn, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("loop.svg").write_text(picture(), encoding="utf-8")
