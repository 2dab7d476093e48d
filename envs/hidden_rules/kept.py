"""The cases that come with the package, as data: rules, and the places of their tasks.

Drawing takes the planner and up to a minute a case. What it came to is kept in `cases.json`, so that a case
opens at once, and is the same whatever the planner and its speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from envs.hidden_rules.rules import HiddenRule

FILE = Path(__file__).parent / "cases.json"


@dataclass(frozen=True)
class Drawn:
    """What the drawing of a case came to."""

    rule: HiddenRule | None  #: None for a control
    places: tuple[int, ...]  #: of the case's tasks among those that they were chosen from


@cache
def kept_cases() -> Mapping[str, Drawn]:
    """The kept cases by name, such as `grippers/quantified/0`."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Drawn])


def keep(drawn: Mapping[str, Drawn]) -> None:
    """Write these cases, and no other."""
    lines = (f'"{name}":{msgspec.json.encode(case).decode()}' for name, case in sorted(drawn.items()))
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
