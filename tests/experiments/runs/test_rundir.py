"""The run directory: nothing that was written is lost, nothing of another run is mixed in."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from experiments.runs.directory import (
    ConfigDrift,
    DirectoryLock,
    RunBusy,
    RunDirectory,
    RunUnreadable,
    differences,
)
from experiments.runs.records import Event

CONFIG = {"np": 2, "seeds": [0, 1], "model": None}


def opened(path: Path, config: dict[str, object] | None = None, *, fresh: bool = False) -> RunDirectory:
    """As a process has it that is the only one, and does not close it before it ends."""
    with RunDirectory.open(path, config or CONFIG, {"python": "3"}, fresh=fresh) as run:
        return run


def test_events_come_back_as_they_were_appended(tmp_path: Path) -> None:
    run = opened(tmp_path / "a" / "b")
    for number in range(3):
        run.append(Event.NODE, {"id": str(number), "text": "line\nbreak – ü"})
    assert [e["id"] for e in run.events()] == ["0", "1", "2"]
    assert next(run.events()) == {"event": "node", "id": "0", "text": "line\nbreak – ü"}


def test_a_torn_last_line_is_cut_off_and_the_next_one_is_whole(tmp_path: Path) -> None:
    run = opened(tmp_path)
    run.append(Event.NODE, {"id": "1"})
    with run.events_path.open("a", encoding="utf-8") as file:
        file.write('{"event": "node", "id": "2')
    assert len(list(run.events())) == 1
    again = opened(tmp_path)
    again.append(Event.NODE, {"id": "3"})
    assert [e["id"] for e in again.events()] == ["1", "3"]


def test_a_file_of_one_torn_line_becomes_empty(tmp_path: Path) -> None:
    run = opened(tmp_path)
    run.events_path.write_text('{"ev', encoding="utf-8")
    assert list(opened(tmp_path).events()) == [] and run.events_path.read_bytes() == b""


def test_threads_do_not_tear_each_others_lines(tmp_path: Path) -> None:
    run = opened(tmp_path)
    text = "x" * 5000

    def append() -> None:
        for _ in range(20):
            run.append(Event.TASK, {"text": text})

    threads = [threading.Thread(target=append) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [e["text"] for e in run.events()] == [text] * 80


def test_the_same_configuration_is_taken_up_again(tmp_path: Path) -> None:
    opened(tmp_path).append(Event.NODE, {"id": "1"})
    assert len(list(opened(tmp_path, {**CONFIG, "seeds": (0, 1)}).events())) == 1


def test_another_configuration_is_refused_with_the_keys_that_differ(tmp_path: Path) -> None:
    opened(tmp_path)
    with pytest.raises(ConfigDrift) as caught:
        opened(tmp_path, {"np": 3, "seeds": [0, 1], "new": True})
    assert [text.partition(":")[0] for text in caught.value.changed] == ["new", "np"]
    assert "np: was 2, now 3" in str(caught.value) and "--fresh" in str(caught.value)


def test_of_many_keys_that_differ_the_first_are_told(tmp_path: Path) -> None:
    opened(tmp_path, {f"key{number}": 0 for number in range(9)})
    with pytest.raises(ConfigDrift, match=r"key5: was 0, now 1; and 3 more\)") as caught:
        opened(tmp_path, {f"key{number}": 1 for number in range(9)})
    assert len(caught.value.changed) == 9 and "key6" not in str(caught.value)


def test_fresh_sets_the_old_run_aside(tmp_path: Path) -> None:
    for number in range(3):
        opened(tmp_path / "run", {"np": number}, fresh=True).append(Event.NODE, {"id": str(number)})
    found = {p.name: next(RunDirectory(p).events())["id"] for p in tmp_path.iterdir()}
    assert found == {"run.1": "0", "run.2": "1", "run": "2"}


def test_provenance_is_of_the_first_start(tmp_path: Path) -> None:
    opened(tmp_path)
    with RunDirectory.open(tmp_path, CONFIG, {"python": "4"}) as run:
        pass
    assert run.provenance() == {"python": "3"} and run.config() == json.loads(json.dumps(CONFIG))


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    run = opened(tmp_path)
    run.write("models/a.pddl", "one")
    assert run.write("models/a.pddl", "two").read_text(encoding="utf-8") == "two"
    assert [p.name for p in (tmp_path / "models").iterdir()] == ["a.pddl"]


def test_differences_are_sorted_and_missing_keys_are_none() -> None:
    assert differences({"b": 1, "a": 1}, {"b": 2, "c": (3,)}) == (
        "a: was 1, now null",
        "b: was 1, now 2",
        "c: was null, now [3]",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are set in another way there")
def test_a_line_that_does_not_fit_on_the_disk_leaves_no_half_of_it(tmp_path: Path) -> None:
    import resource

    run = opened(tmp_path)
    run.append(Event.NODE, {"id": "1"})
    before, limits = run.events_path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
    try:
        with pytest.raises(OSError, match=r"events\.jsonl"):
            run.append(Event.NODE, {"id": "2", "text": "x" * 200})
        assert run.events_path.read_bytes() == before
        run.append(Event.NODE, {"id": "3"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [e["id"] for e in run.events()] == ["1", "3"]


@pytest.mark.parametrize("line", ["garbage", "3", "{}", '{"event": "unheard of"}'])
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: str) -> None:
    run = opened(tmp_path)
    run.append(Event.NODE, {"id": "1"})
    with run.events_path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(RunUnreadable, match=r"events\.jsonl:2 is no event"):
        list(run.events())


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"config": 3}'])
def test_a_foreign_config_is_never_taken_for_a_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(RunUnreadable, match="--fresh"):
        opened(tmp_path)
    assert (tmp_path / "config.json").read_text(encoding="utf-8") == text


WRITER = """
import subprocess, sys, time
from pathlib import Path
from experiments.runs.directory import RunDirectory
with RunDirectory.open(Path(sys.argv[1]), {}, {}):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    print(child.pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock there")
def test_a_directory_has_one_writer_until_that_has_ended_however(tmp_path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", WRITER, tmp_path], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    child = int(writer.stdout.readline())
    try:
        for fresh in (False, True):
            with pytest.raises(RunBusy, match=rf"written by process {writer.pid} on .*another --out"):
                RunDirectory.open(tmp_path, {}, {}, fresh=fresh)
        assert RunDirectory(tmp_path).config() == {}
        writer.kill()
        writer.wait()
        with RunDirectory.open(tmp_path, {}, {}), pytest.raises(RunBusy, match=f"process {os.getpid()} on"):
            RunDirectory.open(tmp_path, {}, {})
    finally:
        os.kill(child, signal.SIGKILL)  # it outlived the writer, and did not keep the lock


def test_a_directory_that_is_not_taken_up_is_left_to_others(tmp_path: Path) -> None:
    opened(tmp_path)
    with pytest.raises(ConfigDrift) as kept:  # and with it the frame that asked
        RunDirectory.open(tmp_path, {"np": 3}, {})
    assert kept.value.path == tmp_path
    opened(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock there")
def test_a_file_system_without_locks_is_said_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no locks here")

    monkeypatch.setattr("experiments.runs.directory.fcntl.flock", unsupported)
    opened(tmp_path).append(Event.NODE, {"id": "1"})
    assert "no second run" in caplog.text


def test_the_file_of_a_lock_is_nothing_to_be_run(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path):
        assert not (tmp_path / "lock").stat().st_mode & 0o111
