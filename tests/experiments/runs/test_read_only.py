"""A finished run lies where nothing can be written, and is shown all the same.

The folder is made read-only for real. Who may write everywhere (root) gives that right up first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.stub import StubServer
from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.records import Event

_POWERS = "-dac_override,-dac_read_search,-fowner"
#: Before a command, so that permissions hold for it.
BOUND = ("setpriv", f"--bounding-set={_POWERS}", f"--inh-caps={_POWERS}") if os.geteuid() == 0 else ()

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or (bool(BOUND) and shutil.which("setpriv") is None),
    reason="permissions do not hold for this user",
)


def sealed(folder: Path, allowed: bool) -> None:
    """Forbid writing to a folder and all that is in it, or allow it again."""
    for path in (folder, *folder.rglob("*")):
        path.chmod((0o755 if path.is_dir() else 0o644) if allowed else (0o555 if path.is_dir() else 0o444))


def shown(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*BOUND, sys.executable, "-m", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str]]]:
    out = tmp_path_factory.mktemp("finished") / "run"
    with StubServer(answer) as server:
        small = [
            "--env",
            "grippers",
            "--tasks",
            "1",
            "--np",
            "1",
            "--nd",
            "1",
            "--turns",
            "1",
            "--walks",
            "20",
        ]
        flags = [
            "--model",
            "stub",
            "--base-url",
            server.url,
            "--executor",
            "serial",
            "--out",
            str(out),
            *small,
        ]
        assert main(flags) == 0
    sealed(out, allowed=False)
    yield out, flags
    sealed(out, allowed=True)


def state(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_the_same_command_shows_it_and_touches_nothing(finished: tuple[Path, list[str]]) -> None:
    out, flags = finished
    before = state(out)
    found = shown("experiments.run", *flags)
    assert found.returncode == 0, found.stderr
    assert "everything is finished" in found.stdout and "Tasks by outcome" in found.stdout
    assert state(out) == before


@pytest.mark.slow
def test_a_report_is_shown_and_what_cannot_be_written_anew_is_left(finished: tuple[Path, list[str]]) -> None:
    out, _ = finished
    sealed(out, allowed=True)
    (out / "results.csv").write_text("of another version\n", encoding="utf-8")
    sealed(out, allowed=False)
    before = state(out)
    found = shown("experiments.report", str(out))
    assert found.returncode == 0, found.stderr
    assert "must not be written to" in found.stdout and "Tasks by outcome" in found.stdout
    assert state(out) == before


def test_a_study_is_opened_for_reading_alone(tmp_path: Path) -> None:
    with RunDirectory.open(tmp_path / "run", {"a": 1}, {}) as run:
        run.append(Event.UNIT, {"key": "k"})
        run.write("table.md", "table")
    sealed(tmp_path / "run", allowed=False)
    text = (
        "import sys\nfrom pathlib import Path\nfrom experiments.runs.directory import RunDirectory\n"
        "with RunDirectory.open(Path(sys.argv[1]), {'a': 1}, {}) as run:\n"
        "    run.write('table.md', 'table')\n"
        "    print(run.writable, [event['key'] for event in run.events()])\n"
        "    try:\n        run.write('table.md', 'another')\n"
        "    except PermissionError:\n        print('refused')\n"
    )
    command = [*BOUND, sys.executable, "-c", text, str(tmp_path / "run")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    sealed(tmp_path / "run", allowed=True)
    assert found.stdout.splitlines() == ["False ['k']", "refused"], found.stderr
