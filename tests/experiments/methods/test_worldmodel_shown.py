"""The recorded plans of a language model that reads the model in words: replayed, and right at once."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from experiments.recordings import shelf
from experiments.run import main
from experiments.studies.worldmodel import SHOWN, SHOWN_METHODS, SHOWN_TASKS

RECORDING = "worldmodel-shown"


@pytest.mark.slow
def test_the_recorded_plans_were_right_at_once_so_that_no_advice_was_needed(tmp_path: Path) -> None:
    command = ["worldmodel", "--executor", "serial", "--env", *SHOWN, "--method", *SHOWN_METHODS]
    assert main([*command, "--recording", RECORDING, "--out", str(tmp_path)]) == 0
    with (tmp_path / "worldmodel.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {(row["method"], row["instruction"]): row for row in rows}
    assert len(found) == len(SHOWN_METHODS) * SHOWN_TASKS and {row["outcome"] for row in rows} == {"solved"}
    assert {row["told"] for row in rows} == {"–"}
    lengths = [int(found["plan-shown", str(n)]["plan_length"]) for n in range(1, SHOWN_TASKS + 1)]
    advised = [int(found["plan-shown-advised", str(n)]["plan_length"]) for n in range(1, SHOWN_TASKS + 1)]
    assert lengths == advised and min(lengths) >= 10


def test_the_recording_covers_four_worlds_by_three_methods() -> None:
    (recording,) = shelf(RECORDING)
    covers = {(cover.env, cover.method) for cover in recording.covers}
    worlds = {*SHOWN, *(f"{name}_ood+outlined" for name in ("grippers", "blocksworld", "miconic"))}
    assert covers == {(world, method) for world in worlds for method in SHOWN_METHODS}
    assert {cover.tasks for cover in recording.covers} == {SHOWN_TASKS}
