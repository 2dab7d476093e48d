"""What is made once for all tests of this folder: pages of large runs, and each answer of the real planner.

Figures of runs are drawn for the tests that look at them, and for no others.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from pathlib import Path
from pkgutil import resolve_name

import pytest

from envs.pddl.planning.planner import Planner, PlanOutcome, PlanResult
from experiments.bench.runs import made_run
from experiments.reporting.html.page import page
from experiments.runs.directory import RunDirectory
from search.executors import SerialExecutor

#: Outcomes that no limit has caused: asked again, the planner says the same.
DECIDED = (PlanOutcome.SOLVED, PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.UNSOLVABLE_INCOMPLETE)

#: Where figures are drawn.
DRAWING = (
    "experiments.report.charts_of",
    "experiments.studies.goals.study.draw_goals",
    "experiments.studies.operators.study.draw_operators",
    "experiments.studies.planetarium.study.draw_pairs",
    "experiments.studies.planetarium.predictions.draw_pairs",
    "experiments.studies.detection.draw_detection",
    "experiments.studies.removal.study.draw_removal",
    "experiments.studies.repair.study.draw_repair",
)


@pytest.fixture(scope="session", params=[400, pytest.param(5000, marks=pytest.mark.slow)])
def large_page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The page of many candidates, and how many; with 400, one has as many children as with 5,000."""
    folder, count = tmp_path_factory.mktemp("large"), int(request.param)
    return RunDirectory(folder).write("report.html", page(*made_run(folder, count), ())), count


@pytest.fixture(scope="session", autouse=True)
def planned_once() -> Iterator[None]:
    """The installed planner answers each question once; it is deterministic, and most runs plan alike.

    It is asked again where the time of the answer would not have been enough, and where a limit decided.
    """
    plan, check = Planner.plan, Planner.check
    answers: dict[tuple[str, str, str, int], PlanResult] = {}

    @wraps(plan)
    def remembered(self: Planner, domain_text: str, problem_text: str) -> PlanResult:
        self._command()  # raises where the planner is missing
        question = (domain_text, problem_text, self.search, self.memory_mb)
        answer = answers.get(question) if self.path is None else None
        if answer is None or answer.wall_s > self.wall_s:
            answer = plan(self, domain_text, problem_text)
            if self.path is None and answer.outcome in DECIDED:
                answers[question] = answer
        return answer

    once = cache(check)

    def checked(self: Planner) -> str:
        self._command()
        return once(self) if self.path is None else check(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Planner, "plan", remembered)
        patch.setattr(Planner, "check", checked)
        yield


@pytest.fixture(autouse=True)
def calls_can_travel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs in this process by the serial executor could have been sent to a worker: it pickles."""
    submit = SerialExecutor.submit

    @wraps(submit)
    def sent(self: SerialExecutor, fn: Callable[..., object], /, *args: object) -> object:
        pickle.dumps((fn, args))
        return submit(self, fn, *args)

    monkeypatch.setattr(SerialExecutor, "submit", sent)


@pytest.fixture(scope="session")
def drawing() -> Mapping[str, Callable[..., object]]:
    """What runs and studies draw their figures with, by where they call it."""
    return {name: resolve_name(name) for name in DRAWING}


@pytest.fixture(scope="session", autouse=True)
def figures_left_out(drawing: Mapping[str, Callable[..., object]]) -> Iterator[None]:
    """Figures take as long as a small run; they are drawn where the fixture `figures` is asked for."""
    with pytest.MonkeyPatch.context() as patch:
        for name in drawing:
            patch.setattr(name, lambda *_, **__: ())
        yield


@pytest.fixture
def figures(drawing: Mapping[str, Callable[..., object]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and studies draw their figures, as they do for users."""
    for name, draw in drawing.items():
        monkeypatch.setattr(name, draw)


@pytest.fixture(scope="module")
def figures_of_shared_runs(drawing: Mapping[str, Callable[..., object]]) -> Iterator[None]:
    """So do all runs of a module, those that its tests share among them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, draw in drawing.items():
            patch.setattr(name, draw)
        yield
