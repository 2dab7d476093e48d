"""Tables about world models: a model counts once, and what is not known is not counted as right."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from experiments.reporting.worldmodel_tables import (
    dialogues_table,
    models_of,
    models_table,
    worldmodel_csv,
    worldmodel_tables,
)
from experiments.runs.details import Built
from experiments.runs.frames import RunFrames
from experiments.runs.records import EpisodeRecord, Score, Spent, TaskOutcome, TaskRecord

BUILT = Built(
    {"missing effect": 2, "wrong type": 1}, {}, True, 0.5, 1.0, 3, "content", "", {"syntax": 4}, (), "()"
)  # fmt: skip
EPISODE = EpisodeRecord(
    "u", "logistics", "plan-by-model", 0, None, None, None, False, 0, 1, 2, Spent(), 0, 0.0, details=(BUILT,)
)
TASK = TaskRecord(
    "u", "logistics", "plan-by-model", 0, 1, TaskOutcome.SOLVED, Score(), 9, None, "", Spent(2, 30, 4), 0.0
)


def of(models: dict[tuple[str, int], Built]) -> pd.DataFrame:
    """Models as `models_of` gives them."""
    episodes = [
        replace(EPISODE, unit=f"{world}{seed}", env=world, seed=seed, details=(built,))
        for (world, seed), built in models.items()
    ]
    return models_of(RunFrames(episodes))


def test_a_model_counts_once_whatever_it_was_used_for() -> None:
    episodes = [
        EPISODE,
        replace(EPISODE, unit="v", method="plan-advised"),
        replace(EPISODE, unit="w", seed=1),
    ]
    found = models_of(RunFrames(episodes[::-1]))
    assert list(zip(found.world, found.seed, strict=True)) == [("logistics", 0), ("logistics", 1)]
    (row,) = models_table(found).rows
    assert row[0:2] == ("logistics", "2") and row[2].startswith("3.00") and row[-1] == "2"


def test_a_model_that_cannot_be_counted_or_walked_is_not_without_error() -> None:
    lost = replace(BUILT, before=None, after=None, exact=False, ew_before=None, ew_after=None)
    bare = replace(BUILT, unwritten=("load-truck",))
    table = models_table(of({("a", 0): lost, ("b", 0): bare}))
    assert [row[-1] for row in table.rows] == ["0", "0"]
    assert table.rows[0][2:6] == ("–", "–", "0.00", "0.00")
    assert "not proved: 1" in table.notes[0]


def test_a_model_that_is_not_walked_has_no_score() -> None:
    own = replace(BUILT, ew_before=None, ew_after=None, walked=False, unmet=("load-truck",))
    assert models_table(of({("a", 0): own})).rows[0][4:6] == ("–", "–")
    assert models_table(of({("a", 0): own, ("a", 1): BUILT})).rows[0][4:6] == ("0.50", "1.00")
    assert dialogues_table(of({("a", 0): own})).rows[0][-1] == "–"


def test_instructions_out_of_order_are_not_carried_out_and_are_told_apart() -> None:
    tasks = [
        TASK,
        replace(TASK, task=2, outcome=TaskOutcome.OUT_OF_ORDER, told={"unmet goal": 1}),
        replace(TASK, task=3, outcome=TaskOutcome.STEP_REJECTED, told={"unmet goal": 2}),
        replace(TASK, task=4, outcome=TaskOutcome.STEP_REJECTED),
    ]
    success, told = worldmodel_tables(RunFrames((), tasks))
    assert success.rows[0][2:] == (
        "4", "0.25 [0.05, 0.70]", "0 of 1", "1", "2 step_rejected",
    )  # fmt: skip
    assert told.rows[0][2:] == ("3 unmet goal", "8", "120", "16")
    assert worldmodel_csv(RunFrames((), tasks)).count("\n") == 5
    assert TaskRecord.from_json(tasks[1].to_json()) == tasks[1]


def test_runs_of_other_methods_have_no_such_tables() -> None:
    other = replace(TASK, method="chain")
    assert (
        worldmodel_tables(RunFrames((), [other])) == ()
        and worldmodel_csv(RunFrames((), [other])).count("\n") == 1
    )
