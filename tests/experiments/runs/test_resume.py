"""A run may be stopped at any point: the same command again ends with the same results.

`test_killed` states it of runs that are killed.

Here the job runs in processes of its own, against a stub endpoint in this one.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.faults import Behaviour
from agents.llm.interface import Completion, Message
from agents.llm.stub import StubServer
from experiments.run import main

FLAGS = (
    "--env", "grippers", "--np", "1", "--nd", "3", "--turns", "2", "--tasks", "2", "--walks", "20",
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
    assert main(["--base-url", stub.url, "--out", str(out), "--executor", "serial", *FLAGS]) == 0
    return out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent in another way there")
def test_an_interrupt_within_a_request_ends_the_run_in_good_order_and_it_goes_on_later(
    uninterrupted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, so that it is fast; those of their own are slow."""
    out, sent = tmp_path / "run", threading.Event()

    def interrupting(messages: Sequence[Message], index: int, seed: int) -> Completion:
        if server.seen.requests > 1 and not sent.is_set():
            sent.set()
            main_thread = threading.main_thread().ident
            assert main_thread is not None
            signal.pthread_kill(main_thread, signal.SIGINT)
        return answer(messages, index, seed)

    with StubServer(interrupting) as server:
        command = ["--base-url", server.url, "--out", str(out), "--executor", "serial", *FLAGS]
        assert main(command) == 130
        assert "cancelled" in capsys.readouterr().out and sent.is_set()
        assert '"event": "cancelled"' in (out / "events.jsonl").read_text(encoding="utf-8")
        before = len(calls(out))
        assert 0 < before < len(calls(uninterrupted))
        assert main(command) == 0
    assert (out / "results.csv").read_bytes() == (uninterrupted / "results.csv").read_bytes()
    assert len(calls(out)) == len(set(calls(out))) == len(calls(uninterrupted))


@pytest.mark.slow
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


@pytest.mark.slow  # test_command sends two to a smaller command
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
@pytest.mark.slow  # test_command sends it to a smaller command
@pytest.mark.parametrize("executor", ["process", "ray"])
def test_sigterm_to_the_whole_group_twice_as_timeout_sends_it_ends_in_good_order(
    stub: StubServer, uninterrupted: Path, tmp_path: Path, executor: str
) -> None:
    """All of this run is the workers', under another seed of hashes: what it finds depends on neither."""
    out = tmp_path / "run"
    process = started(stub, out, executor, "1", start_new_session=True)
    wait_for(out, 5, process)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGTERM)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 130 and "cancelled" in said and "Traceback" not in said, said
    assert '"event": "cancelled"' in (out / "events.jsonl").read_text(encoding="utf-8")
    assert '"event": "fault"' not in (out / "events.jsonl").read_text(encoding="utf-8")
    finished(started(stub, out, executor, "1"))
    assert (out / "results.csv").read_bytes() == (uninterrupted / "results.csv").read_bytes()
    assert calls(out) == calls(uninterrupted)


def test_a_finished_run_starts_no_workers(
    stub: StubServer, uninterrupted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = stub.seen.requests
    monkeypatch.setattr("search.ray_executor.RayExecutor.start", lambda self: pytest.fail("it is started"))
    where = ["--base-url", stub.url, "--out", str(uninterrupted), "--executor", "ray"]
    assert main([*where, *FLAGS]) == 0
    assert "everything is finished" in capsys.readouterr().out
    assert stub.seen.requests == asked
