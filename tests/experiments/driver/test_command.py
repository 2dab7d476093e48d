"""What every command shares: signals, and output that cannot fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.driver.command import STOP_SIGNALS, interruptible

ROOT = Path(__file__).parents[3]
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")


@pytest.fixture
def kept() -> Iterator[None]:
    """The handlers of this process are afterwards what they were."""
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def nobody(number: int, frame: object) -> None:
    raise AssertionError("nobody sends this")


@posix
@pytest.mark.parametrize("found", [signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler, nobody])
@pytest.mark.parametrize("sent", [None, *STOP_SIGNALS])
def test_the_handlers_are_afterwards_those_that_were_found(
    kept: None, found: object, sent: signal.Signals | None
) -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, found)  # type: ignore[arg-type]
    told: list[str] = []
    try:
        with interruptible(lambda: told.append("outer")), interruptible(lambda: told.append("inner")):
            if sent is not None:
                signal.raise_signal(sent)
    except KeyboardInterrupt:
        told.append("raised")
    assert {signal.getsignal(number) for number in STOP_SIGNALS} == {found}
    assert told == ([] if sent is None else ["inner", "raised"])


@posix
def test_after_the_first_signal_sigterm_raises_nothing_any_more(kept: None) -> None:
    told: list[str] = []
    with interruptible(lambda: told.append("outer")):
        with pytest.raises(KeyboardInterrupt), interruptible(lambda: told.append("inner")):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # on the way out
    assert told == ["inner"]


def test_in_another_thread_nothing_changes() -> None:
    before = [signal.getsignal(number) for number in STOP_SIGNALS]
    seen: list[object] = []

    def inside() -> None:
        with interruptible(lambda: None):
            seen.extend(signal.getsignal(number) for number in STOP_SIGNALS)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert seen == before


#: Prints `ready`, works until it is stopped, and then takes its time.
SLOW = """
import sys, time
from experiments.driver.command import run_command

def main():
    try:
        print("ready", flush=True)
        time.sleep(600)
    finally:
        print("ending", flush=True)
        sys.stdin.readline()
        print("ended", flush=True)

run_command(main)
"""


@posix
@pytest.mark.parametrize("first", STOP_SIGNALS)
def test_a_command_is_ended_in_order_by_the_first_signal_and_sigterm_after_it_changes_nothing(
    first: signal.Signals,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=ROOT, stdin=-1, stdout=-1, stderr=-1, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(first)
    assert process.stdout.readline() == "ending\n"
    process.send_signal(signal.SIGTERM)
    said, errors = process.communicate("go\n", timeout=60)
    assert (process.returncode, said, errors) == (130, "ended\n", "error: stopped\n")


@posix
def test_a_second_ctrl_c_ends_a_command_at_once_without_a_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=ROOT, stdin=-1, stdout=-1, stderr=-1, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "ending\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.communicate() == ("", "")


LINES = """
from experiments.driver.command import run_command
from rich.console import Console
from rich.table import Table

def main():
    table = Table("a – b")
    table.add_row("≤ 1 ·")
    for _ in range({lines}):
        print("plain – line")
        Console().print(table)
    open({done!r}, "w").close()
    return 5

run_command(main)
"""


def test_output_that_cannot_encode_a_character_prints_a_replacement(tmp_path: Path) -> None:
    done = tmp_path / "done"
    printed = subprocess.run(
        [sys.executable, "-c", LINES.format(lines=1, done=str(done))],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert printed.returncode == 5 and done.exists() and printed.stderr == b""
    assert b"plain ? line" in printed.stdout and b"? 1 ?" in printed.stdout


@pytest.mark.slow
@posix
@pytest.mark.parametrize("errors_too", [False, True])
def test_a_command_whose_reader_has_gone_goes_on_to_its_end_and_says_so_once(
    tmp_path: Path, errors_too: bool
) -> None:
    done = tmp_path / "done"
    process = subprocess.Popen(
        [sys.executable, "-c", LINES.format(lines=2000, done=str(done))],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors_too else subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    errors = b"" if process.stderr is None else process.stderr.read()
    assert process.wait(60) == 5 and done.exists()
    assert errors.count(b"nobody reads the output") == (0 if errors_too else 1)
    assert b"Traceback" not in errors


@pytest.mark.slow  # a smaller command prints such characters above
def test_the_main_job_ends_well_where_the_output_is_ascii(tmp_path: Path) -> None:
    command = ["--executor", "serial", "--env", "termes", "--method", "llm-once+repair", "--tasks", "1"]
    ended = subprocess.run(
        [sys.executable, "-m", "experiments.run", *command, "--out", str(tmp_path / "run")],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert ended.returncode == 0 and b"Traceback" not in ended.stderr, ended.stderr
    assert ended.stdout.isascii() and (tmp_path / "run" / "report.html").exists()
