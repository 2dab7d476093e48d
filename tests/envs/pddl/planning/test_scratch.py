"""Temporary folders: gone with the block that made them, and after a kill at the next sweep, never before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from envs.pddl.scratch import PREFIX, scratch_folder, sweep
from experiments.run import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="without locks nothing is swept")


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


HOLDING = """
import sys
from envs.pddl.scratch import scratch_folder
with scratch_folder() as folder:
    open(folder + "/file", "w").close()
    print(folder, flush=True)
    sys.stdin.read()
"""


def holding() -> tuple[subprocess.Popen[str], Path]:
    """A process that has a folder, and the folder."""
    command = [sys.executable, "-c", HOLDING]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_is_there_and_empty_and_then_gone(own_place: Path) -> None:
    with scratch_folder() as folder:
        assert os.listdir(folder) == [] and Path(folder).parent == own_place
        (Path(folder) / "deep" / "er").mkdir(parents=True)
        assert sweep() == 0 and Path(folder).is_dir()
    assert list(own_place.iterdir()) == []


def test_the_folder_of_a_killed_process_is_swept_and_that_of_a_living_one_is_not(own_place: Path) -> None:
    (killed, left), (living, used) = holding(), holding()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert (left / "file").exists()
    assert sweep() == 1
    assert not left.exists() and (used / "file").exists()
    living.communicate("")
    assert living.returncode == 0 and list(own_place.iterdir()) == []


def test_the_next_start_of_a_run_sweeps(own_place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    process, left = holding()
    process.kill()
    process.wait()
    assert main(["no-such-job"]) == 2
    assert not left.exists()


def test_what_is_not_ours_stays(own_place: Path) -> None:
    (own_place / "groundwalk-ray-0").mkdir()
    (own_place / f"{PREFIX}file").write_text("kept")
    (own_place / f"{PREFIX}link").symlink_to(own_place / "groundwalk-ray-0")
    assert sweep() == 0
    assert len(list(own_place.iterdir())) == 3


def test_sweeping_all_the_time_takes_no_folder_from_who_makes_one(own_place: Path) -> None:
    stop = threading.Event()

    def sweeping() -> None:
        while not stop.is_set():
            sweep()

    sweeper = threading.Thread(target=sweeping)
    sweeper.start()
    try:
        for _ in range(300):
            with scratch_folder() as folder:
                (Path(folder) / "file").write_text("mine")
                assert (Path(folder) / "file").read_text() == "mine"
    finally:
        stop.set()
        sweeper.join()
