"""The endpoint table counts what a journal holds besides whole answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.llm.errors import CallFailure, ErrorKind
from agents.llm.interface import Completion, Finish, Message
from agents.llm.journal import Journal
from agents.llm.keys import Profile
from experiments.reporting.faults import endpoint_tables
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.frames import RunFrames

CHAT = (Message("user", "hi"),)


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory(tmp_path)


def journal_of(
    run: RunDirectory, *replies: dict[int, Completion], model: str = "m", warm: float = 0.7
) -> None:
    with Journal(run.journal_path) as journal:
        for seed, reply in enumerate(replies):
            journal.record(Profile("stub", model).request(CHAT, warm, seed), reply)


def rows(run: RunDirectory) -> list[dict[str, str]]:
    tables = endpoint_tables(RunFrames(run=run).calls)
    return [dict(zip(t.columns, row, strict=True)) for t in tables for row in t.rows]


def test_whole_answers_at_the_first_try_are_nothing_to_tell(run: RunDirectory) -> None:
    assert endpoint_tables(RunFrames(run=run).calls) == ()
    journal_of(run, {0: Completion("a"), 1: Completion("b")}, {0: Completion("a")})
    assert endpoint_tables(RunFrames(run=run).calls) == ()


def test_every_kind_of_trouble_has_its_column(run: RunDirectory) -> None:
    journal_of(
        run,
        {0: Completion("a", Finish.LENGTH, retries=2), 1: Completion("", Finish.EMPTY)},
        {0: Completion("", Finish.REFUSAL), 1: Completion("b", Finish.FILTER)},
        {0: Completion("a", truncated_prompt=True)},
        {0: Completion("same"), 1: Completion("same")},
    )
    (row,) = rows(run)
    assert row == {
        "model": "m", "samples": "7", "cut off": "1", "refused": "1", "withheld": "1", "empty": "1",
        "too long": "0", "request refused": "0", "cut prompt": "1", "all alike": "1",
        "retries": "2", "failed calls": "0",
    }  # fmt: skip


def test_failed_calls_are_told_by_kind_with_their_retries(run: RunDirectory) -> None:
    with Journal(run.journal_path) as journal:
        for kind, attempts in ((ErrorKind.TIMEOUT, 3), (ErrorKind.TIMEOUT, 3), (ErrorKind.QUOTA, 1)):
            request = Profile("stub", "m").request(CHAT, 0.7, attempts)
            journal.record_failure(request, 0, CallFailure(kind, "…", attempts=attempts))
    (row,) = rows(run)
    assert (row["failed calls"], row["retries"], row["samples"]) == (
        "1 insufficient_quota, 2 timeout",
        "4",
        "0",
    )


def test_equal_answers_at_temperature_0_and_one_sample_asked_for_twice_are_no_trouble(
    run: RunDirectory,
) -> None:
    journal_of(run, {0: Completion("same"), 1: Completion("same")}, warm=0.0)
    journal_of(run, {0: Completion("x")}, model="n")
    with Journal(run.journal_path) as journal:
        journal.record(Profile("stub", "n").request(CHAT, 0.7, 0), {0: Completion("x")})
    assert rows(run) == []


def test_only_models_with_something_to_tell_have_a_row(run: RunDirectory) -> None:
    journal_of(run, {0: Completion("a")}, model="good")
    journal_of(run, {0: Completion("", Finish.EMPTY)}, model="bad")
    assert [row["model"] for row in rows(run)] == ["bad"]


def test_a_file_that_is_no_journal_is_an_unreadable_run(run: RunDirectory) -> None:
    run.journal_path.write_text("no journal", encoding="utf-8")
    with pytest.raises(RunUnreadable, match="not a database"):
        endpoint_tables(RunFrames(run=run).calls)
