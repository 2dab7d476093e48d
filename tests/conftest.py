"""Worlds of one's own, for the tests of what folders can do; interrupts wherever the tests are started."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from envs.registry import WORLDS_FOLDER
from envs.source import read_texts

CopyGrippers = Callable[[Path], Path]


def pytest_configure() -> None:
    """Have interrupts delivered: a shell starts its background jobs, and so their children, deaf to them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def copy_grippers() -> CopyGrippers:
    """Makes a folder of grippers and two of its tasks, with the tasks' texts, which no built-in world has."""

    def copy(target: Path) -> Path:
        target.mkdir(parents=True)
        for name in ("domain.pddl", "domain.nl", "words.json", "p01.pddl", "p02.pddl"):
            shutil.copyfile(WORLDS_FOLDER / "grippers" / name, target / name)
        for stem in ("p01", "p02"):
            text = read_texts("grippers", stem).task
            (target / f"{stem}.nl").write_text(text, encoding="utf-8")
        return target

    return copy


@pytest.fixture
def folder(tmp_path: Path, copy_grippers: CopyGrippers) -> Path:
    """Such a folder."""
    return copy_grippers(tmp_path / "mine")
