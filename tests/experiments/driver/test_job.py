"""Several episodes at a time: the same results as one after another, and one way to end."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

import pytest
from gripper_answers import answer

from agents.llm.faults import Behaviour, Fault
from agents.llm.stub import StubServer
from experiments.run import main
from experiments.runs.directory import DirectoryLock
from search.executors import SerialExecutor

T = TypeVar("T")

SMALL = (
    "--env", "grippers", "--np", "1", "--nd", "3", "--turns", "2", "--tasks", "1", "--walks", "20",
    "--t-max", "5", "--seeds", "0", "1", "2",
)  # fmt: skip
#: Recorded episodes that take little.
FEW = ["--env", "grippers", "grippers_ood", "--method", "chain", "--tasks", "1"]
#: Those of the main job in one of its two environments, by search and by repair.
SEARCHED = ["--env", "grippers_ood+undocumented", "--tasks", "1"]


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(answer, Behaviour(delay_s=0.05)) as server:
        yield server


def live(server: StubServer, out: Path, at_once: int, executor: str = "serial") -> int:
    episodes = ["--episodes", str(at_once), "--executor", executor, "--workers", "2"]
    return main(["--base-url", server.url, "--out", str(out), *episodes, *SMALL])


def calls(out: Path) -> list[tuple[str, int]]:
    with sqlite3.connect(out / "calls.sqlite") as journal:
        return sorted(journal.execute("SELECT key, sample FROM calls WHERE served"))


def events(out: Path, kind: str) -> list[dict[str, object]]:
    lines = map(json.loads, (out / "events.jsonl").read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["event"] == kind]


@pytest.mark.parametrize("part", [FEW, pytest.param(SEARCHED, marks=pytest.mark.slow)])
def test_packaged_recordings_give_the_same_bytes_for_any_number_of_episodes_at_once(
    tmp_path: Path, part: list[str]
) -> None:
    found = set()
    for at_once in (1, 2):
        out = tmp_path / str(at_once)
        assert main(["--executor", "serial", "--episodes", str(at_once), *part, "--out", str(out)]) == 0
        found.add((out / "results.csv").read_bytes())
    assert len(found) == 1


@pytest.fixture(scope="module")
def shared() -> Iterator[StubServer]:
    """A server of its own for `whole` and what is held against it."""
    with StubServer(answer, Behaviour(delay_s=0.05)) as server:
        yield server


@pytest.fixture(scope="module")
def whole(shared: StubServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one episode after another, the first in which the server is asked."""
    out = tmp_path_factory.mktemp("whole") / "run"
    assert live(shared, out, 1) == 0 and shared.seen.most_in_flight <= 2
    return out


@pytest.mark.slow
@pytest.mark.parametrize(("at_once", "executor"), [(2, "serial"), (3, "process")])
def test_episodes_at_once_ask_and_find_what_they_do_one_by_one(
    shared: StubServer, whole: Path, tmp_path: Path, at_once: int, executor: str
) -> None:
    assert live(shared, tmp_path, at_once, executor) == 0
    assert (tmp_path / "results.csv").read_bytes() == (whole / "results.csv").read_bytes()
    assert calls(tmp_path) == calls(whole)


@pytest.mark.slow
def test_a_language_model_that_fails_ends_the_run_and_keeps_what_the_others_had_under_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    healthy = [Fault.NONE] * 4
    with StubServer(answer, Behaviour([*healthy, Fault.QUOTA], delay_s=0.1)) as server:
        assert live(server, tmp_path / "run", 3) == 3
        assert "insufficient_quota" in capsys.readouterr().err
        kept = calls(tmp_path / "run")
        assert len(kept) == server.seen.samples and len(events(tmp_path / "run", "fault")) == 1
        assert live(server, tmp_path / "run", 3) == 0
        assert len(calls(tmp_path / "run")) == server.seen.samples
        assert live(server, tmp_path / "whole", 1) == 0
    assert (tmp_path / "run" / "results.csv").read_bytes() == (
        tmp_path / "whole" / "results.csv"
    ).read_bytes()
    assert set(kept) < set(calls(tmp_path / "whole"))


def test_workers_are_started_by_the_thread_that_runs_the_job(
    stub: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []

    class Watched(SerialExecutor):
        def start(self) -> None:
            seen.append(("start", threading.current_thread() is threading.main_thread()))

        def submit(self, fn: Callable[..., T], /, *args: object) -> Future[T]:
            seen.append(("submit", threading.current_thread() is threading.main_thread()))
            return super().submit(fn, *args)

    monkeypatch.setattr("experiments.run.make_executor", lambda _: Watched())
    assert live(stub, tmp_path, 3) == 0
    assert seen[0] == ("start", True) and set(seen[1:]) == {("submit", False)}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock there")
def test_a_second_run_of_the_same_directory_is_told_who_writes(
    stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(stub, tmp_path, 3) == 0
    (tmp_path / "events.jsonl").write_text("", encoding="utf-8")
    with DirectoryLock(tmp_path):
        assert live(stub, tmp_path, 3) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith(f"error: {tmp_path} is being written by process {os.getpid()} on ")
    assert live(stub, tmp_path, 3) == 0
