"""Tables of translations: what is counted, what stands beside it, and what is left empty."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

import pandas as pd

from experiments.reporting.tic_tables import (
    AS_GIVEN,
    PAPER_METHODS,
    PAPER_WORLDS,
    VARIED,
    faults_table,
    stages_table,
    tic_csv,
    tic_tables,
    translations,
)
from experiments.runs.details import JudgedTranslation
from experiments.runs.frames import RunFrames
from experiments.runs.records import Score, Spent, TaskOutcome, TaskRecord

RIGHT = JudgedTranslation("translated", "a.", "(define)", "equivalent", meaning="equivalent", names_kept=True)
WRONG = JudgedTranslation(
    "translated", "a.", "(define)", "different", "goal", "(on a b) has no partner", "different"
)
CORRECT = replace(WRONG, meaning="equivalent")
RENAMED = replace(RIGHT, names_kept=False)
OPEN = replace(WRONG, meaning="unsupported", notes="no predicate up")
NONE = JudgedTranslation("contradiction", "a.")


def task(env: str, method: str, number: int, found: JudgedTranslation | None, seed: int = 0) -> TaskRecord:
    outcome = TaskOutcome.SOLVED if found is RIGHT else TaskOutcome.NO_PROBLEM
    length = None if found is NONE else 3
    return TaskRecord(
        f"{env}-{method}-{seed}", env, method, seed, number, outcome, Score(), length, None, "",
        Spent(1, 10, 5), 0.1, details=(found,) if found else (),
    )  # fmt: skip


TASKS = (
    task("storage+narrative", "tic-ic", 2, WRONG, seed=1),
    task("storage+narrative", "tic-ic", 1, RIGHT),
    task("barman+compact", "tic-g1", 1, NONE),
    task("barman+compact", "llm+p", 1, RIGHT),
    task("termes", "chain", 1, None),
)


def frames(tasks: Sequence[TaskRecord]) -> RunFrames:
    return RunFrames(task_records=tasks)


def of(tasks: Sequence[TaskRecord]) -> pd.DataFrame:
    return translations(frames(tasks))


def test_every_cell_counts_how_far_its_tasks_came() -> None:
    rows = stages_table(of(TASKS)).rows
    assert [row[:3] for row in rows] == [
        ("barman", "compact", "llm+p"),
        ("barman", "compact", "tic-g1"),
        ("storage", "narrative", "tic-ic"),
    ]
    # n, translated, right, plan found, plan valid
    assert [(*row[3:6], *row[9:11]) for row in rows] == [
        ("1", "1", "1", "1", "1"),
        ("1", "0", "0", "0", "0"),
        ("2", "2", "1", "2", "1"),
    ]
    assert rows[2][-3:] == ("2", "20", "10")


def test_shares_stand_beside_the_published_ones_of_their_texts() -> None:
    compact, narrative, _, _ = tic_tables(frames(TASKS))
    assert compact.columns == ("world", "llm+p", "published", "tic-g1", "published")
    assert compact.rows == (("barman", "100.0 [21, 100] n 1", "100.0", "0.0 [0, 79] n 1", "98.3"),)
    assert narrative.rows == (("storage", "50.0 [9, 91] n 2", "100.0"),)
    assert set(AS_GIVEN) == set(VARIED) == set(PAPER_WORLDS)
    assert {len(row) for row in (*AS_GIVEN.values(), *VARIED.values())} == {len(PAPER_METHODS)}


def test_cells_without_a_translation_are_empty_and_worlds_are_pooled() -> None:
    table, *_ = tic_tables(frames((*TASKS, task("dimhollow+compact", "tic-g1", 1, RIGHT))))
    assert table.rows[1] == ("dimhollow", "–", "–", "100.0 [21, 100] n 1", "–")
    assert table.rows[2] == ("all", "100.0 [21, 100] n 1", "100.0", "50.0 [9, 91] n 2", "98.3")


def test_what_is_not_right_is_told_by_kind() -> None:
    assert faults_table(of(TASKS)).rows == (
        ("barman", "compact", "tic-g1", "1 contradiction"),
        ("storage", "narrative", "tic-ic", "1 different in goal"),
    )


def test_the_csv_has_a_row_for_each_translation_whatever_the_order() -> None:
    rows = list(csv.DictReader(StringIO(tic_csv(frames(TASKS)))))
    assert [(row["world"], row["run"], row["task"], row["equality"]) for row in rows] == [
        ("barman", "0", "1", "equivalent"),
        ("barman", "0", "1", ""),
        ("storage", "0", "1", "equivalent"),
        ("storage", "1", "2", "different"),
    ]
    assert tic_csv(frames(TASKS[::-1])) == tic_csv(frames(TASKS))


def test_right_correct_and_named_are_told_apart() -> None:
    found = [task("barman", "tic-ic", n, t) for n, t in enumerate((RIGHT, RENAMED, CORRECT, OPEN, WRONG), 1)]
    table = stages_table(of(found))
    assert table.rows[0][4:8] == ("5", "2", "1", "3") and "not counted: 1." in table.notes[0]
    assert faults_table(of(found)).rows[0][-1] == (
        "1 different in goal, 1 different in goal, equivalent in meaning, "
        "1 different in goal, unsupported in meaning"
    )
    assert RENAMED.judgement == "equivalent under other names"
    rows = list(csv.DictReader(StringIO(tic_csv(frames(found)))))
    assert [row["names"] for row in rows] == ["kept", "changed", "", "", ""]
    assert [row["meaning"] for row in rows[2:]] == ["equivalent", "unsupported", "different"]
    assert rows[3]["notes"] == "no predicate up"


def test_a_run_without_translations_has_no_such_tables() -> None:
    assert tic_tables(frames(TASKS[-1:])) == ()


def test_a_record_keeps_its_translation() -> None:
    assert TaskRecord.from_json(TASKS[0].to_json()) == TASKS[0]
    assert TaskRecord.from_json(TASKS[-1].to_json()) == TASKS[-1]
