"""Retries end: by count, by time, or because asking again cannot help."""

import logging
import time

import pytest

from agents.llm.errors import CallFailure, ErrorKind, LLMError
from agents.llm.retry import Notice, RetryLimits, with_retries

QUICK = RetryLimits(retries=5, total_s=5, timeout_s=1, backoff_s=0.001, max_wait_s=0.004)


def run(failures, limits=QUICK, seed=0, result="done"):
    """Run against a list of failures, then success. Returns (outcome, time limits of the attempts)."""
    left, timeouts = list(failures), []

    def attempt(timeout_s):
        timeouts.append(timeout_s)
        if left:
            raise LLMError(left.pop(0))
        return result

    try:
        return with_retries(attempt, limits, seed, Notice("here")), timeouts
    except LLMError as error:
        return error, timeouts


def failure(kind, **fields):
    return CallFailure(kind, f"it failed: {kind}", **fields)


def test_a_passing_failure_passes():
    outcome, timeouts = run([failure(ErrorKind.RATE_LIMIT)] * 2)
    assert outcome == ("done", 2)
    assert len(timeouts) == 3


@pytest.mark.parametrize(
    "kind", [ErrorKind.AUTH, ErrorKind.QUOTA, ErrorKind.BAD_REQUEST, ErrorKind.NOT_FOUND, ErrorKind.CONFIG]
)
def test_a_lost_cause_ends_at_once_and_unchanged(kind):
    outcome, timeouts = run([failure(kind)] * 9)
    assert outcome.failure == failure(kind)
    assert len(timeouts) == 1


@pytest.mark.parametrize("kind", [ErrorKind.SERVER, ErrorKind.TIMEOUT, ErrorKind.BAD_REPLY])
def test_three_of_the_same_in_a_row_end_it(kind):
    outcome, timeouts = run([failure(kind, status=500)] * 9)
    assert (outcome.kind, outcome.failure.attempts, len(timeouts)) == (kind, 3, 3)
    assert "3 requests" in str(outcome)


def test_different_server_errors_are_not_in_a_row():
    mixed = [failure(ErrorKind.SERVER, status=s) for s in (500, 502, 500, 502)]
    assert run(mixed)[0] == ("done", 4)


def test_a_cut_prompt_may_be_chance_once_but_not_twice():
    assert run([failure(ErrorKind.TRUNCATED_PROMPT)])[0] == ("done", 1)
    outcome, timeouts = run([failure(ErrorKind.TRUNCATED_PROMPT)] * 2)
    assert (outcome.kind, len(timeouts)) == (ErrorKind.TRUNCATED_PROMPT, 2)


def test_the_count_bounds_rate_limits():
    outcome, timeouts = run([failure(ErrorKind.RATE_LIMIT)] * 99)
    assert (outcome.failure.attempts, len(timeouts)) == (6, 6)


def test_the_total_time_bounds_waits_before_they_begin():
    start = time.monotonic()
    outcome, timeouts = run([failure(ErrorKind.RATE_LIMIT, retry_after_s=3600.0)] * 2)
    assert (outcome.kind, len(timeouts)) == (ErrorKind.RATE_LIMIT, 1)
    assert time.monotonic() - start < 60


def test_the_last_attempts_get_only_the_time_that_is_left():
    _, timeouts = run([failure(ErrorKind.RATE_LIMIT)], RetryLimits(total_s=0.5, timeout_s=9, backoff_s=0.001))
    assert all(0 < t <= 0.5 for t in timeouts)
    assert timeouts[1] < timeouts[0]


def test_no_limits_mean_no_limits():
    assert run([], RetryLimits(total_s=None, timeout_s=None))[1] == [None]


def test_waits_grow_are_capped_and_are_the_same_in_every_run(monkeypatch):
    def waits(seed):
        slept = []
        clock = [0.0]
        monkeypatch.setattr(time, "sleep", lambda s: (slept.append(s), clock.__setitem__(0, clock[0] + s)))
        monkeypatch.setattr(time, "monotonic", lambda: clock[0])
        run([failure(ErrorKind.RATE_LIMIT)] * 6, RetryLimits(retries=6, backoff_s=1, max_wait_s=8), seed)
        monkeypatch.undo()
        return slept

    first = waits(1)
    assert first == waits(1) != waits(2)
    for wait, most in zip(first, (1, 2, 4, 8, 8, 8), strict=True):
        assert most / 2 <= wait < most


def test_the_servers_wish_to_wait_goes_before_our_own(monkeypatch):
    slept, clock = [], [0.0]
    monkeypatch.setattr(time, "sleep", lambda s: (slept.append(s), clock.__setitem__(0, clock[0] + s)))
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    run([failure(ErrorKind.RATE_LIMIT, retry_after_s=12.0)], RetryLimits(max_wait_s=1))
    assert sum(slept) == pytest.approx(12.0)


def test_waiting_is_said_once_in_thirty_seconds(monkeypatch, caplog):
    clock = [0.0]
    monkeypatch.setattr(time, "sleep", lambda s: clock.__setitem__(0, clock[0] + s))
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    waits = [failure(ErrorKind.RATE_LIMIT, retry_after_s=s) for s in (10.0, 10.0, 10.0, 100.0)]
    with caplog.at_level(logging.WARNING):
        run(waits, RetryLimits(retries=8, total_s=None))
    said = [r.getMessage() for r in caplog.records]
    assert len(said) == 5  # at 0, 30, 60, 90 and 120 s
    assert said[0].startswith("waiting on here, retry 1/8")
    assert said[1].startswith("waiting on here, retry 4/8")
