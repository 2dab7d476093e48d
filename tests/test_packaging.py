"""What pyproject.toml promises about dependencies, held against what is installed."""

from __future__ import annotations

import runpy
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIRED = [Requirement(line) for line in PROJECT["dependencies"]]


def needed(requirement: Requirement, python: str | None = None) -> bool:
    """Whether a requirement without extras holds here, or under another Python."""
    environment = {**default_environment(), "extra": ""}
    if python is not None:
        environment |= {"python_version": python, "python_full_version": f"{python}.0"}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def closure() -> dict[str, Requirement]:
    """Everything that an installation of ours installs, by name. Skips where this is another environment."""
    found: dict[str, Requirement] = {}
    queue = [requirement for requirement in REQUIRED if needed(requirement)]
    while queue:
        requirement = queue.pop()
        if requirement.name in found:
            continue
        try:
            there = distribution(requirement.name)
        except PackageNotFoundError:
            pytest.skip(f"this environment lacks {requirement}: pip install -e .")
        if not requirement.specifier.contains(there.version, prereleases=True):
            pytest.skip(
                f"this environment has {requirement.name} {there.version}, not {requirement.specifier}: "
                "pip install -e ."
            )
        found[requirement.name] = requirement
        queue += [inner for line in there.requires or () if needed(inner := Requirement(line))]
    return found


def test_no_dependency_of_ours_owns_a_top_level_fast_downward() -> None:
    for name in closure():
        tops = {Path(str(file)).parts[0] for file in distribution(name).files or ()}
        assert not tops & {"fast_downward", "fast_downward.py"}, name


def test_the_planner_s_wheel_is_older_than_the_ones_that_install_a_bare_fast_downward() -> None:
    (planner,) = (requirement for requirement in REQUIRED if requirement.name == "up-fast-downward")
    assert not planner.specifier.contains("1.0.0") and planner.specifier.contains("0.5.2")
    assert "fast-downward.translate" not in {requirement.name for requirement in REQUIRED}


def test_every_dependency_states_its_lowest_version() -> None:
    lowest = runpy.run_path(str(ROOT / ".ci" / "lowest.py"))["lowest"]
    for line, requirement in zip(PROJECT["dependencies"], REQUIRED, strict=True):
        name, _, version = lowest(line).partition("==")
        assert name == requirement.name and requirement.specifier.contains(version)


def test_every_claimed_python_can_install_what_is_required() -> None:
    claimed = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if ":: Python :: 3." in c]
    assert claimed == ["3.11", "3.12", "3.13"]
    (pddlgym,) = (requirement for requirement in REQUIRED if requirement.name == "pddlgym")
    assert [needed(pddlgym, python) for python in claimed] == [True, True, False]
