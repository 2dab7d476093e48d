"""A method out of a package of one's own: found by its entry point, and tried offline on a recording."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from experiments.methods.registry import METHODS, is_method
from experiments.run import main

CONTRIBUTING = Path(__file__).parents[3] / "CONTRIBUTING.md"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of CONTRIBUTING as an installed distribution, and a broken one beside it."""
    site = tmp_path / "site"
    metadata = site / "patient-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: patient\nVersion: 1.0\n", "utf-8")
    entries = "patient-chain = patient_method:PatientChain\nbroken = patient_method:Absent\nodd = json:loads"
    (metadata / "entry_points.txt").write_text(f"[groundwalk.methods]\n{entries}\n", "utf-8")
    blocks = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text("utf-8"), re.DOTALL)
    (code,) = (block for block in blocks if "class PatientChain" in block)
    (site / "patient_method.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(str(site))


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_a_method_that_shares_the_requests_of_a_recording_is_tried_offline_on_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    flags = ["--method", "patient-chain", "--env", "grippers_ood+undocumented", "--tasks", "1"]
    assert main([*flags, "--executor", "serial", "--out", str(out)]) == 0
    rows = list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))
    assert [(row["method"], row["outcome"]) for row in rows] == [("patient-chain", "solved")]


@pytest.mark.usefixtures("installed")
def test_installed_methods_are_known_by_name_after_those_of_the_project(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert list(METHODS)[-3:] == ["broken", "odd", "patient-chain"] and is_method("patient-chain")
    assert main(["--method", "broken", "--model", "m", "--dry-run"]) == 2
    assert "method 'broken' (patient_method:Absent) cannot be loaded" in capsys.readouterr().err
    assert main(["--method", "odd", "--model", "m", "--dry-run"]) == 2
    assert "method 'odd' (json:loads)" in capsys.readouterr().err


def test_what_is_not_installed_is_no_method() -> None:
    assert not is_method("patient-chain")
