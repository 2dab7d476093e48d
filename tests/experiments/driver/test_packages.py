"""Packages of others by our names are named before anything is imported from them, with what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from wide import wide

from experiments.packages import PACKAGES, foreign_packages

ROOT = Path(__file__).resolve().parents[3]
RUN, DOCTOR = ("experiments.run", "--print-config"), ("experiments.doctor",)
OURS = (*PACKAGES, "experiments")


def run(folder: Path, *command: str, path: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_our_own_packages_are_ours() -> None:
    assert list(foreign_packages()) == []


@pytest.mark.parametrize(
    ("name", "job"),
    wide(
        list(product(["agents", "envs", "search"], [RUN, DOCTOR])),
        *(("agents", RUN), ("envs", DOCTOR), ("search", RUN)),
    ),
)
def test_a_package_of_the_user_s_by_our_name_is_named_in_a_line(
    tmp_path: Path, name: str, job: tuple[str, ...]
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('never imported')\n", encoding="utf-8")
    found = run(tmp_path, "-m", *job)
    assert found.returncode == 2 and found.stdout == ""
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"error: the package `{name}` at {tmp_path / name} is not groundwalk's: ")
    assert "start from another folder" in line


def test_a_module_and_a_folder_without_init_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()  # a folder of files is no package where there is a real one
    assert run(tmp_path, "-m", "experiments.run", "--help").returncode == 0
    (tmp_path / "agents.py").write_text("", encoding="utf-8")
    assert "the package `agents` at " in run(tmp_path, "-m", "experiments.run", "--help").stderr


def test_files_of_another_distribution_written_into_ours_are_named_with_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in OURS:
        shutil.copytree(ROOT / name, site / name, ignore=lambda *_: ["recordings", "worlds", "__pycache__"])
    (site / "agents" / "__init__.py").write_text('"""Somebody else\'s."""\n', encoding="utf-8")
    info = site / "other_agents-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: other-agents\nVersion: 1.0\n", encoding="utf-8")
    (info / "top_level.txt").write_text("agents\n", encoding="utf-8")
    (info / "RECORD").write_text("agents/__init__.py,,\n", encoding="utf-8")
    found = run(tmp_path, "-m", "experiments.run", "--help", path=site)
    assert found.returncode == 2
    assert "of the distribution other-agents: uninstall other-agents" in found.stderr
    imported = run(tmp_path, "-c", "import experiments", path=site)
    assert "ForeignPackage: the package `agents`" in imported.stderr
