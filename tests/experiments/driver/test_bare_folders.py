"""Folders with PDDL and nothing else: enough for all that ask no language model, and refused by the rest."""

from __future__ import annotations

import csv
import importlib
import json
import shutil
from pathlib import Path

import gymnasium
import pytest

import envs  # noqa: F401 (registers the ids)
from envs import pddlgym_suite
from envs.registry import WORLDS_FOLDER
from experiments.run import main
from experiments.worlds.__main__ import main as worlds

SERIAL = ["--executor", "serial"]
LIVE = ["--model", "m", "--dry-run"]


def bare_folder(target: Path, source: str) -> Path:
    """The PDDL of a built-in world, or of a pddlgym domain, under the names that a folder's files have."""
    target.mkdir()
    if source.startswith("pddlgym:"):
        name = source.removeprefix("pddlgym:")
        domain, problems = pddlgym_suite.domain_file(name), pddlgym_suite.problem_files(name)
    else:
        domain = WORLDS_FOLDER / source / "domain.pddl"
        problems = tuple(sorted(domain.parent.glob("p*.pddl")))
    shutil.copyfile(domain, target / "domain.pddl")
    for number, problem in enumerate(problems[:3], start=1):
        shutil.copyfile(problem, target / f"p{number:02}.pddl")
    return target


@pytest.fixture(params=["grippers", "pddlgym:ferry"])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return bare_folder(tmp_path / "bare", request.param)


@pytest.mark.slow
def test_operators_are_learned_and_rules_repaired(bare: Path, tmp_path: Path) -> None:
    small = ["--walks", "5", "--length", "8"]
    assert main(["learn", "--env", str(bare), *small, "--out", str(tmp_path / "learned")]) == 0
    repair = ["repair", "--env", str(bare), "--break", "1", "--tasks", "2", "--walks", "50"]
    assert main([*repair, "--out", str(tmp_path / "repaired")]) == 0
    report = json.loads((tmp_path / "repaired" / "repair.json").read_text(encoding="utf-8"))
    assert report


@pytest.mark.slow
def test_a_method_that_asks_nobody_solves_its_tasks(bare: Path, tmp_path: Path) -> None:
    flags = ["--env", str(bare), "--method", "learn", "--tasks", "2", "--walks", "20", *SERIAL]
    assert main([*flags, "--out", str(tmp_path / "run")]) == 0
    rows = list(csv.DictReader((tmp_path / "run" / "results.csv").open(encoding="utf-8")))
    assert [row["task"] for row in rows] == ["1", "2"]


def test_it_is_an_environment(bare: Path) -> None:
    env = gymnasium.make("groundwalk/PDDL-v0", path=bare)
    _, info = env.reset(seed=0)
    assert info["applicable"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "study",
    [
        ["study-removal", "--samples", "1", "--pairs", "2"],
        ["study-detection", "--mutants", "2", "--budget", "60"],
        ["study-repair", "--kinds", "removed", "--counts", "1", "--walks", "50", "--queries", "500"],
    ],
)
def test_studies_work_on_it(bare: Path, study: list[str], tmp_path: Path) -> None:
    assert main([*study, "--env", str(bare), *SERIAL, "--out", str(tmp_path / "study")]) == 0


def test_a_language_model_is_not_asked_about_what_nobody_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bare_folder(tmp_path / "bare", "grippers")
    assert main(["--env", str(folder), *LIVE]) == 2
    said = capsys.readouterr().err
    assert f"write {folder / 'domain.nl'}" in said and f"worlds describe {folder}" in said
    assert f"name it {folder}+undocumented" in said
    assert main(["--env", f"{folder}+undocumented", "--tasks", "2", *LIVE]) == 0
    (folder / "domain.nl").write_text("Robots carry balls.", encoding="utf-8")
    assert main(["--env", str(folder), *LIVE]) == 2
    said = capsys.readouterr().err
    assert f"write {folder / 'p01'}.nl" in said and f"name it {folder}+explicit" in said
    assert main(["--env", f"{folder}+explicit", "--tasks", "2", *LIVE]) == 0


def test_a_pddlgym_domain_can_be_asked_about_without_a_description(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--env", "pddlgym:ferry", *LIVE]) == 2
    assert "name it pddlgym:ferry+undocumented" in capsys.readouterr().err
    assert main(["--env", "pddlgym:ferry+undocumented", "--tasks", "2", *LIVE]) == 0


def test_tasks_of_a_world_are_made_where_it_is_not_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "worlds"
    (copied / "grippers").mkdir(parents=True)
    for name in ("domain.pddl", "p01.pddl"):
        shutil.copyfile(WORLDS_FOLDER / "grippers" / name, copied / "grippers" / name)
    # what is imported for the first time below would keep the other folder for the tests to come
    for module in ("envs.instructions", "envs.intermediate.knowledge", "experiments.worlds.make"):
        importlib.import_module(module)
    for module in ("envs.source", "envs.registry", "envs.tasks", "experiments.worlds.make"):
        monkeypatch.setattr(f"{module}.WORLDS_FOLDER", copied, raising=False)
    assert worlds(["make", "grippers", "--count", "1", "--out", str(tmp_path / "made")]) == 0
    names = {path.name for path in (tmp_path / "made").iterdir()}
    assert names == {"domain.pddl", "p01.pddl", "p01.nl"}
