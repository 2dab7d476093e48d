"""A run may be killed or stopped at any point: the same command again ends with the same results.

Here the job runs in processes of its own, against a stub endpoint in this one.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.faults import Behaviour
from agents.llm.stub import StubServer

FLAGS = (
    "--env", "grippers", "--np", "2", "--nd", "3", "--turns", "2", "--tasks", "3", "--walks", "20",
    "--t-max", "5",
)  # fmt: skip


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    with StubServer(answer, Behaviour(delay_s=0.1)) as server:
        yield server


def started(
    stub: StubServer, out: Path, executor: str = "serial", hash_seed: str = "0", **how: bool
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "experiments.run", "--base-url", stub.url, "--out", str(out)]
    return subprocess.Popen(
        [*command, "--executor", executor, *FLAGS],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        **how,
    )


def finished(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    return said


def wait_for(out: Path, lines: int, process: subprocess.Popen[str]) -> None:
    """Until the run has written so many events, or has ended."""
    events = out / "events.jsonl"
    while process.poll() is None:
        if events.exists() and events.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.005)


def calls(out: Path) -> list[tuple[str, int]]:
    with sqlite3.connect(out / "calls.sqlite") as journal:
        return sorted(journal.execute("SELECT key, sample FROM calls"))


@pytest.fixture(scope="module")
def uninterrupted(stub: StubServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("uninterrupted") / "run"
    finished(started(stub, out))
    return out


def test_kills_at_any_point_lose_nothing_and_pay_nothing_twice(
    stub: StubServer, uninterrupted: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    for lines in (1, 4, 8, 13, 16):
        process = started(stub, out)
        wait_for(out, lines, process)
        process.kill()
        process.communicate()
    finished(started(stub, out))
    assert (out / "results.csv").read_bytes() == (uninterrupted / "results.csv").read_bytes()
    assert calls(out) == calls(uninterrupted)


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent in another way there")
def test_an_interrupt_ends_in_good_order_and_the_run_goes_on_later(
    stub: StubServer, uninterrupted: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    process = started(stub, out)
    wait_for(out, 5, process)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "cancelled" in said and "Traceback" not in said
    assert '"event": "cancelled"' in (out / "events.jsonl").read_text(encoding="utf-8")
    finished(started(stub, out))
    assert (out / "results.csv").read_bytes() == (uninterrupted / "results.csv").read_bytes()
    assert calls(out) == calls(uninterrupted)


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent in another way there")
def test_a_second_interrupt_ends_the_run_at_once(tmp_path: Path) -> None:
    with StubServer(answer, Behaviour(delay_s=60)) as slow:
        process = started(slow, tmp_path / "run")
        wait_for(tmp_path / "run", 1, process)
        while slow.seen.requests == 0:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert any("ctrl-C again exits now" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
@pytest.mark.parametrize(
    "executor", ["serial", *(pytest.param(name, marks=pytest.mark.slow) for name in ("process", "ray"))]
)
def test_sigterm_to_the_whole_group_twice_as_timeout_sends_it_ends_in_good_order(
    stub: StubServer, uninterrupted: Path, tmp_path: Path, executor: str
) -> None:
    out = tmp_path / "run"
    process = started(stub, out, executor, start_new_session=True)
    wait_for(out, 5, process)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGTERM)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 130 and "cancelled" in said and "Traceback" not in said, said
    assert '"event": "cancelled"' in (out / "events.jsonl").read_text(encoding="utf-8")
    assert '"event": "fault"' not in (out / "events.jsonl").read_text(encoding="utf-8")
    finished(started(stub, out, executor))
    assert (out / "results.csv").read_bytes() == (uninterrupted / "results.csv").read_bytes()
    assert calls(out) == calls(uninterrupted)


@pytest.mark.parametrize(("executor", "hash_seed"), [("process", "1"), ("ray", "1")])
def test_results_do_not_depend_on_executor_or_hash_seed(
    stub: StubServer, uninterrupted: Path, tmp_path: Path, executor: str, hash_seed: str
) -> None:
    finished(started(stub, tmp_path / "run", executor, hash_seed))
    assert (tmp_path / "run" / "results.csv").read_bytes() == (uninterrupted / "results.csv").read_bytes()


def test_a_finished_run_starts_no_workers(stub: StubServer, uninterrupted: Path) -> None:
    asked = stub.seen.requests
    said = finished(started(stub, uninterrupted, "ray"))
    assert "everything is finished" in said and "Started a local Ray" not in said
    assert stub.seen.requests == asked
