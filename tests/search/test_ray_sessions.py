"""Ray's session folders: those of drivers that have ended are removed before the next one begins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from search import ray_connection


@pytest.mark.skipif(os.name != "posix", reason="processes are told by signals")
def test_sessions_of_ended_drivers_are_removed_and_no_other_folder_is(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = tmp_path / f"session_2026-01-02_03-04-05_678901_{ended.pid}"
    kept = tmp_path / f"session_2026-01-02_03-04-05_678901_{os.getpid()}"
    for folder in (gone / "logs", kept / "logs", tmp_path / "session_of_mine"):
        folder.mkdir(parents=True)
    (tmp_path / "session_latest").symlink_to(kept)
    assert ray_connection._swept(str(tmp_path)) == str(tmp_path)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([kept.name, "session_latest", "session_of_mine"]) and (kept / "logs").is_dir()
    assert ray_connection._swept(None) is None
