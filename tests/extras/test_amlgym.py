"""The comparison with the learners that AMLGym has, on two of its domains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.studies.amlgym.study import main

pytestmark = pytest.mark.extras


@pytest.mark.parametrize("condition", [[], ["--flipped", "0.05"], ["--hidden", "0.5"]])
def test_ours_is_at_least_as_precise_as_the_published_learners(tmp_path: Path, condition: list[str]) -> None:
    pytest.importorskip("amlgym")
    others = ["offlam"] if "--hidden" in condition else ["offlam", "nolam", "sam"]
    others = ["nolam"] if "--flipped" in condition else others
    domains = ["--domain", "npuzzle", "ferry", "--learner", "groundwalk", *others]
    assert main([*domains, *condition, "--walks", "50", "--out", str(tmp_path / "out")]) == 0
    rows = json.loads((tmp_path / "out" / "amlgym.json").read_text(encoding="utf-8"))["rows"]
    ours = {row["domain"]: row for row in rows if row["learner"] == "groundwalk"}
    assert set(ours) == {"npuzzle", "ferry"} and not any(row["failure"] for row in rows)
    assert all(ours[row["domain"]]["precision"] >= row["precision"] for row in rows)
    assert all(row["recall"] == 1 for row in ours.values())
