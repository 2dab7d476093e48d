"""docs/simulators.md as an engineer follows it: its files in an installed package, its commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documents import ROOT, commands_of

PAGE = ROOT / "docs" / "simulators.md"
TEXT = PAGE.read_text(encoding="utf-8")
_FILE = re.compile(r"`([\w.]+)`[^`\n]*:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ENTRIES = re.compile(
    r"^```toml\n\[project\.entry-points\.\"([\w.]+)\"\]\n(.*?)^```", re.MULTILINE | re.DOTALL
)
_PRINTED = re.compile(r"prints `([^`]+)`")
COMMANDS = [command for command in commands_of(PAGE) if "lift" in command.arguments]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The files of the page as an installed distribution."""
    files = dict(_FILE.findall(TEXT)) | {"lift_world.py": world_of_the_page()}
    assert set(files) == {"lift.py", "lift_world.py", "lift.pddl", "p01.pddl"}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    metadata = tmp_path / "lift-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lift\nVersion: 1.0\n", encoding="utf-8")
    ((group, lines),) = _ENTRIES.findall(TEXT)
    lines = lines.replace('"', "")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")
    return tmp_path


def world_of_the_page() -> str:
    (world,) = re.findall(r"`lift_world\.py` is a whole one:\n\n```python\n(.*?)^```", TEXT, re.M | re.S)
    return str(world)


def ran(package: Path, module: str, arguments: tuple[str, ...]) -> str:
    search = os.pathsep.join([str(package), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=package, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": search},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_world_takes_no_more_than_forty_lines() -> None:
    lines = [line for line in world_of_the_page().splitlines() if line.strip()]
    assert len(lines) <= 40


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_it_says(package: Path) -> None:
    assert [command.arguments[0] for command in COMMANDS] == ["check", "repair", "learn"]
    printed = "".join(ran(package, command.module, command.arguments) for command in COMMANDS)
    assert [text for text in _PRINTED.findall(TEXT) if text not in printed] == []
    assert "1.000 after" in printed and "0 not explained" in printed
    assert (package / "repaired" / "domain.pddl").is_file()
