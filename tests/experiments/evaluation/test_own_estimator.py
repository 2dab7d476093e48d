"""An estimator of another package: scores ground and lifted models, in the main job and in a study."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from ew.lifted.sampled import GroundSystem, LiftedSystem
from ew.lifted.sampled_score import sampled_score
from ew.score.config import EWConfig
from ew.score.exact import exact_ew
from ew.score.registry import ESTIMATORS
from ew.score.score import ew_score

ROOT = Path(__file__).parents[3]
#: The example of CONTRIBUTING.md.
OWN = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)
RUN = (
    *(
        "--model",
        "simulated:weak",
        "--method",
        "chain",
        "--env",
        "movie",
        "--tasks",
        "1",
        "--seeds",
        "0",
    ),
    *("--turns", "1", "--walks", "12", "--t-max", "5", "--executor", "serial", "--estimator", "walk-means"),
)


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimator as an installed distribution with its entry point, for this process and its children."""
    site = tmp_path / "site"
    metadata = site / "means-1.0.dist-info"
    metadata.mkdir(parents=True)
    (example,) = (block for block in OWN if "(Estimator)" in block)
    (site / "means_of_walks.py").write_text(example, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: means\nVersion: 1.0\n", "utf-8")
    entry = "[groundwalk.estimators]\nwalk-means = means_of_walks:WalkMeans\n"
    (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))


def grippers(wrong: bool) -> Problem:
    texts = read_texts("grippers", 1)
    domain = texts.domain.replace(" (free ?r ?g))\n", ")\n", 1) if wrong else texts.domain
    return read_problem(texts.problem, read_domain(domain))


def test_it_scores_ground_and_lifted_models_alike() -> None:
    assert list(ESTIMATORS) == ["paper", "prefix", "survival", "walk-means"] and "thirds" not in ESTIMATORS
    world, model = compile_task(grippers(False)), grippers(True)
    config = EWConfig(400, 4, estimator="walk-means")
    exact = exact_ew(world, compile_task(model), 4).score
    ground = ew_score(world, compile_task(model), np.random.default_rng(0), config)
    lifted = sampled_score(GroundSystem(world), LiftedSystem(model), np.random.default_rng(0), config)
    for found in (ground, lifted):
        assert found.score == pytest.approx(exact, abs=4 * (found.stderr or 0.0))


def test_its_least_number_of_walks_is_kept_and_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'walk-means' needs t_max >= 1, walks >= 4"):
        EWConfig(3, 5, estimator="walk-means")
    with pytest.raises(ValueError, match="unknown estimator 'thirds'; there is: paper"):
        EWConfig(estimator="thirds")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "experiments.run", *arguments]
    return subprocess.run(run, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_main_job_and_a_study_take_it_by_its_flag(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = command(*RUN, "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"estimator": "walk-means"' in (out / "config.json").read_text(encoding="utf-8")
    again = command("replay", str(out), "--out", str(tmp_path / "again"), "--executor", "serial")
    assert again.returncode == 0, again.stdout + again.stderr
    refused = command(*RUN[:-1], "thirds", "--out", str(tmp_path / "other"))
    assert refused.returncode == 2 and "invalid choice 'thirds'" in refused.stderr
