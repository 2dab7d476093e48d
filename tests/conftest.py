"""What all tests share: how examples are drawn, worlds of one's own, interrupts wherever they are started."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from envs.registry import WORLDS_FOLDER
from envs.source import read_texts

CopyGrippers = Callable[[Path], Path]

# No clock is in either, as no test may depend on how busy the machine is. The usual one draws the same
# examples each time, so that a run that fails fails again; the wide one looks further, in
# `pytest -m hypothesis --hypothesis-profile wide`.
CLOCKLESS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("usual", CLOCKLESS, derandomize=True, max_examples=50)
settings.register_profile("wide", CLOCKLESS, max_examples=500)
settings.load_profile("usual")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was collected, which stays to the end, out of all later searches for garbage."""
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Have interrupts delivered: a shell starts its background jobs, and so their children, deaf to them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    keep_bytecode(config)


def keep_bytecode(config: pytest.Config) -> None:
    """Keep compiled modules in pytest's cache where the environment has them kept nowhere.

    Many tests start Python again, which would compile the whole package each time, as would each worker.
    """
    cache: pytest.Cache | None = getattr(config, "cache", None)  # None with `-p no:cacheprovider`
    if sys.dont_write_bytecode and cache is not None:
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(cache.mkdir("bytecode"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def comparisons_count_processor_time() -> Iterator[None]:
    """Deadlines of comparisons count the processor time of this process and its children, under any load."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("deadline", "goals.derive"):
            patch.setattr(f"envs.pddl.equivalence.{module}.monotonic", lambda: sum(os.times()[:4]))
        yield


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
