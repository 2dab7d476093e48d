"""Where pddlgym is not installed, what needs it says so, and what to do."""

from __future__ import annotations

import sys

import pytest

from envs import pddlgym_suite
from envs.pddlgym_live import open_live
from envs.source import WorldNotFound
from envs.world import open_world


@pytest.mark.parametrize(
    ("python", "advice"),
    [
        ((3, 12, 1), r"pip install pddlgym$"),
        ((3, 13, 0), r"cannot be under Python 3\.13.*pillow.*Python 3\.11 or 3\.12"),
        ((3, 14, 2), r"cannot be under Python 3\.14"),
    ],
)
def test_a_world_of_pddlgym_says_how_it_can_be_had(
    monkeypatch: pytest.MonkeyPatch, python: tuple[int, ...], advice: str
) -> None:
    monkeypatch.setattr(pddlgym_suite, "_folder", lambda: None)
    monkeypatch.setattr(sys, "version_info", python)
    for opening in (lambda: open_world("pddlgym:blocks"), lambda: open_live("blocks")):
        with pytest.raises(WorldNotFound, match=f"pddlgym is not installed.*{advice}"):
            opening()
    assert pddlgym_suite.domains() == ()
