"""The registries of jobs, commands on worlds and subjects of the bench name what there is and load little."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from experiments.bench.__main__ import ALL, SUBJECTS, Subject
from experiments.jobs import JOBS
from experiments.worlds.__main__ import COMMANDS, main

ROOT = Path(__file__).parents[3]
#: What is loaded when a figure is drawn, an interval taken or a canonical form made.
IN_FUNCTIONS = {"igraph", "matplotlib", "pandas", "scipy"}


def test_every_subject_of_the_bench_is_measured_by_functions_that_there_are() -> None:
    assert tuple(SUBJECTS) == get_args(Subject) and set(ALL) <= set(SUBJECTS)
    for path in (path for several in SUBJECTS.values() for path in several):
        module, _, function = path.partition(":")
        parameters = inspect.signature(
            getattr(import_module(f"experiments.bench.{module}"), function)
        ).parameters
        needed = [p for p in parameters.values() if p.default is inspect.Parameter.empty]
        assert [p.annotation.removeprefix("measure.") for p in needed] == ["BenchSettings"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_on_worlds_lists_its_flags(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: python -m experiments.worlds {name} " in capsys.readouterr().out


def test_the_help_on_worlds_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"python -m experiments.worlds {name}" in shown for name in COMMANDS if name != "list")


def test_an_unknown_command_on_worlds_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shwo"]) == 2
    assert "did you mean show?" in capsys.readouterr().err


def test_jobs_are_imported_without_what_only_some_of_their_functions_need() -> None:
    program = f"""
import json, sys
from importlib.metadata import EntryPoint
jobs = [EntryPoint("job", point, "jobs").load() for point in {sorted(JOBS.values())}]
print(json.dumps([[str(job) for job in jobs if not callable(job)], [*sys.modules]]))
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    without_main, loaded = json.loads(ended.stdout)
    assert without_main == []
    assert set(loaded) & IN_FUNCTIONS == set()
