"""A pytest plugin with two uses: write the map of which test runs which line, or run chosen tests in order.

`GROUNDWALK_MAP=FOLDER` measures, `GROUNDWALK_CHOSEN=FILE` (a JSON list of test ids, cheapest first) chooses.
Under both, hypothesis draws the same examples in every run, keeps none, and does not shrink: what kills a
mutant once kills it always.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

ROOT = Path.cwd()
DEAR_S = 4.0
CASES = 6


def pytest_configure(config: pytest.Config) -> None:
    """Measure or choose, as the environment says."""
    if folder := os.environ.get("GROUNDWALK_MAP"):
        config.pluginmanager.register(Measuring(Path(folder)))
    elif chosen := os.environ.get("GROUNDWALK_CHOSEN"):
        config.pluginmanager.register(Choosing(json.loads(Path(chosen).read_text(encoding="utf-8"))))


def pytest_sessionstart() -> None:
    """The same examples in every run; after the conftest files, which may set a profile."""
    settings.register_profile(
        "mutants",
        derandomize=True,
        max_examples=int(os.environ.get("GROUNDWALK_EXAMPLES", "100")),
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutants")


class Choosing:
    """Keeps the chosen tests only, in the order of the choice."""

    def __init__(self, chosen: list[str]):
        self._place = {test: place for place, test in enumerate(chosen)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Runs after the marks have been applied, so that what is slow stays out."""
        items[:] = sorted((i for i in items if i.nodeid in self._place), key=lambda i: self._place[i.nodeid])


class Measuring:
    """Lines by test (`coverage` with a context for each), and each test's CPU seconds, fixtures and outcome.

    What a fixture of a wider scope than one test runs is booked on the fixture, and so on all tests that ask
    for it. Every cache of a function is emptied before each test, or only the first test that fills it would
    seem to run it.
    """

    def __init__(self, folder: Path):
        import coverage

        self._folder = folder
        self._tests: dict[str, dict[str, Any]] = {}
        self._contexts = [""]
        source = json.loads(os.environ["GROUNDWALK_SOURCES"])
        self._coverage = coverage.Coverage(str(folder / "lines.sqlite"), config_file=False, include=source)
        self._coverage.start()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of a test with many cases some are enough, from all over the list; none that starts a cluster."""
        cases: dict[str, list[pytest.Item]] = {}
        for item in items:
            if "[ray" in item.nodeid or "ray_cluster" in getattr(item, "fixturenames", ()):
                continue
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        items[:] = [item for own in cases.values() for item in own[:: -(-len(own) // CASES)]]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Book the lines on the test."""
        for clear in caches():
            clear()
        fixtures = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009 (no public name)
        wide = [context(f) for found in fixtures.values() for f in found if f.scope != "function"]
        self._tests[item.nodeid] = {"fixtures": wide, "passed": True, "seconds": 0.0}
        self._contexts.append(f"test {item.nodeid}")
        self._coverage.switch_context(self._contexts[-1])
        before = cpu_seconds()
        result = yield
        self._tests[item.nodeid]["seconds"] = round(cpu_seconds() - before, 3)
        self._contexts.pop()
        self._coverage.switch_context(self._contexts[-1])
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """End a test that is too dear to run for each of many mutants; it fails, and so is no candidate."""
        before = signal.signal(signal.SIGPROF, too_dear)
        signal.setitimer(signal.ITIMER_PROF, DEAR_S)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
        """Book the lines on the fixture if several tests share it."""
        if fixturedef.scope == "function":
            return (yield)
        self._contexts.append(context(fixturedef))
        self._coverage.switch_context(self._contexts[-1])
        try:
            return (yield)
        finally:
            self._contexts.pop()
            self._coverage.switch_context(self._contexts[-1])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails or is skipped here kills nothing."""
        if not report.passed:
            self._tests[report.nodeid]["passed"] = False

    def pytest_sessionfinish(self) -> None:
        """Write both files."""
        self._coverage.stop()
        self._coverage.save()
        (self._folder / "tests.json").write_text(json.dumps(self._tests, indent=1), encoding="utf-8")


def too_dear(number: int, frame: FrameType | None) -> None:
    """The handler of the timer. Waits a moment where `coverage` may hold its lock."""
    if frame is not None and f"{os.sep}coverage{os.sep}" in frame.f_code.co_filename:
        signal.setitimer(signal.ITIMER_PROF, 0.02)
        return
    raise TimeoutError(f"over {DEAR_S} seconds of CPU")


def context(fixture: pytest.FixtureDef[Any]) -> str:
    """The name under which a fixture's lines are booked."""
    return f"fixture {fixture.baseid}::{fixture.argname}"


def cpu_seconds() -> float:
    """Of this process and of those it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def caches() -> Iterator[Callable[[], None]]:
    """How to empty every `functools` cache of the modules in this tree, of functions and of methods."""
    for module in list(sys.modules.values()):
        if not str(getattr(module, "__file__", None) or "").startswith(str(ROOT)):
            continue
        for value in list(vars(module).values()):
            inner = vars(value).values() if isinstance(value, type) else ()
            for found in (value, *inner):
                clear = getattr(getattr(found, "__func__", found), "cache_clear", None)
                if callable(clear) and not isinstance(found, type):
                    yield clear
