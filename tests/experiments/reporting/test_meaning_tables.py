"""How many of the problems that tasks were solved with are right."""

from __future__ import annotations

from experiments.reporting.results import meaning_tables
from experiments.runs.frames import RunFrames
from experiments.runs.records import Score, Spent, TaskOutcome, TaskRecord


def task(number: int, meaning: str, outcome: TaskOutcome = TaskOutcome.SOLVED) -> TaskRecord:
    return TaskRecord(
        "u",
        "/some/where/termes",
        "tree",
        0,
        number,
        outcome,
        Score(),
        1,
        None,
        "",
        Spent(),
        0.0,
        meaning=meaning,
    )


def test_solved_and_right_are_counted_apart() -> None:
    tasks = [
        task(1, "equivalent"),
        task(2, "equivalent", TaskOutcome.TIMEOUT),
        task(3, "different"),
        task(4, "different", TaskOutcome.GOAL_NOT_REACHED),
        task(5, "unsupported"),
        task(6, "timeout"),
        task(7, "", TaskOutcome.NO_PROBLEM),
    ]
    (table,) = meaning_tables(RunFrames(task_records=tasks[::-1]))
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        "env": "termes", "method": "tree", "tasks": "7", "solved": "4", "correct": "2", "different": "2",
        "undecided": "2", "solved, different": "1",
    }  # fmt: skip


def test_where_nothing_was_compared_there_is_no_table() -> None:
    assert meaning_tables(RunFrames(task_records=[task(1, "")])) == ()
