"""Every door of CONTRIBUTING: its files are put into a package, that is installed, and its command is run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documents import DOORS, ROOT, commands_in

from agents.llm.stub import StubServer

_FILE = re.compile(r"`([\w./-]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ENTRIES = re.compile(
    r"^```toml\n\[project\.entry-points\.\"([\w.]+)\"\]\n(.*?)^```", re.MULTILINE | re.DOTALL
)
_PRINTED = re.compile(r"prints `([^`]+)`")
#: Runs the commands of `asked.json` one after another.
PROGRAM = """
import contextlib, io, json
from experiments.run import main
ended = {}
for door, arguments in json.load(open("asked.json")).items():
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        try:
            code = main(arguments)
        except SystemExit as error:
            code = error.code
    ended[door] = code, out.getvalue()
json.dump(ended, open("ended.json", "w"))
"""
#: Where the examples find a language model, and what it answers.
SERVER, ANSWER = "http://localhost:8000/v1", "(plug-in)\n(switch-on)"


def files_of(door: str) -> dict[str, str]:
    """The files of a door's example, by name."""
    return dict(_FILE.findall(DOORS[door]))


def test_every_door_is_documented_and_needs_few_files() -> None:
    assert len(DOORS) == 7
    for door in DOORS:
        assert len(files_of(door)) <= 3, door


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of all doors, as an installed distribution with all their entry points."""
    folder = tmp_path_factory.mktemp("doors")
    entries: dict[str, list[str]] = {}
    for door, text in DOORS.items():
        for name, content in files_of(door).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
        for group, lines in _ENTRIES.findall(text):
            entries.setdefault(group, []).append(lines.replace('"', ""))
    metadata = folder / "doors-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: doors\nVersion: 1.0\n", encoding="utf-8")
    listed = "\n".join(f"[{group}]\n{''.join(lines)}" for group, lines in entries.items())
    (metadata / "entry_points.txt").write_text(listed, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ended(package: Path) -> dict[str, tuple[int, str]]:
    """Exit code and output of every door's command, in one new process, which knows what is installed."""
    with StubServer(lambda messages, index, seed: ANSWER) as stub:
        asked = {door: arguments_of(door, stub.url) for door in DOORS}
        (package / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
        search = os.pathsep.join([str(package), str(ROOT)])
        subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=package, check=True, env={**os.environ, "PYTHONPATH": search}
        )
    found: dict[str, tuple[int, str]] = json.loads((package / "ended.json").read_text(encoding="utf-8"))
    return found


def arguments_of(door: str, url: str) -> list[str]:
    """Those of a door's command, with the server of this test."""
    (command,) = (c for c in commands_in("CONTRIBUTING.md", DOORS[door]) if c.module == "experiments.run")
    arguments = [url if word == SERVER else word for word in command.arguments]
    return [*arguments, "--executor", "serial"] if arguments[0].startswith("--") else arguments


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_the_example_of_a_door_runs(door: str, ended: dict[str, tuple[int, str]]) -> None:
    code, printed = ended[door]
    assert code == 0, printed
    assert [text for text in _PRINTED.findall(DOORS[door]) if text not in printed] == []
