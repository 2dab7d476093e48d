"""A user's own world, for the tests of what folders can do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from envs.registry import WORLDS_FOLDER
from envs.source import read_texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """grippers and two of its tasks in another folder, with the tasks' texts, that no built-in world has."""
    target = tmp_path / "mine"
    target.mkdir()
    for name in ("domain.pddl", "domain.nl", "words.json", "p01.pddl", "p02.pddl"):
        shutil.copyfile(WORLDS_FOLDER / "grippers" / name, target / name)
    for stem in ("p01", "p02"):
        (target / f"{stem}.nl").write_text(read_texts("grippers", stem).task, encoding="utf-8")
    return target
