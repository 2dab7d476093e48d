"""Retries end: by time, or because asking again cannot help."""

import logging
import threading
from dataclasses import replace

import pytest
from passing_clock import PassingClock

from agents.llm.endpoint import Endpoint
from agents.llm.errors import CallFailure, ErrorKind, LLMError
from agents.llm.retry import Retries

HERE = Endpoint("m", "http://here/v1")
#: Kinds that are waited for by time alone.
WAITED = [ErrorKind.RATE_LIMIT, ErrorKind.SERVER, ErrorKind.CONNECTION]


def run(failures, limits=None, seed=0, result="done", takes_s=0.0):
    """Run against failures, then success. Returns (outcome, time limits of the attempts, the clock).

    An attempt takes `takes_s`; the clock lists that among the waits.
    """
    left, timeouts, clock = iter(failures), [], PassingClock()

    def attempt(timeout_s):
        timeouts.append(timeout_s)
        if takes_s:
            clock.sleep(takes_s, threading.Event())
        found = next(left, None)
        if found is not None:
            raise LLMError(found)
        return result

    try:
        outcome = Retries(limits or HERE, clock).until_answered(attempt, seed)
    except LLMError as error:
        outcome = error
    return outcome, timeouts, clock


def failure(kind, **fields):
    return CallFailure(kind, f"it failed: {kind}", **fields)


def for_ever(kind, **fields):
    while True:
        yield failure(kind, **fields)


def test_a_passing_failure_passes():
    outcome, timeouts, _ = run([failure(ErrorKind.RATE_LIMIT)] * 2)
    assert outcome == ("done", 2)
    assert len(timeouts) == 3


@pytest.mark.parametrize(
    "kind",
    [
        ErrorKind.AUTH,
        ErrorKind.QUOTA,
        ErrorKind.BAD_REQUEST,
        ErrorKind.CONTEXT,
        ErrorKind.FILTERED,
        ErrorKind.NOT_FOUND,
        ErrorKind.CONFIG,
    ],
)
def test_a_lost_cause_ends_at_once_and_unchanged(kind):
    outcome, timeouts, _ = run([failure(kind)] * 9)
    assert outcome.failure == failure(kind)
    assert len(timeouts) == 1


@pytest.mark.parametrize("kind", [ErrorKind.TIMEOUT, ErrorKind.BAD_REPLY])
def test_three_of_the_same_in_a_row_end_it(kind):
    outcome, timeouts, _ = run([failure(kind, status=500)] * 9)
    assert (outcome.kind, outcome.failure.attempts, len(timeouts)) == (kind, 3, 3)
    assert "3 requests" in str(outcome)


def test_a_cut_prompt_may_be_chance_once_but_not_twice():
    assert run([failure(ErrorKind.TRUNCATED_PROMPT)])[0] == ("done", 1)
    outcome, timeouts, _ = run([failure(ErrorKind.TRUNCATED_PROMPT)] * 2)
    assert (outcome.kind, len(timeouts)) == (ErrorKind.TRUNCATED_PROMPT, 2)


@pytest.mark.parametrize("kind", WAITED)
def test_a_server_that_is_busy_or_broken_is_waited_for_by_time_not_by_count(kind):
    outcome, timeouts, clock = run([failure(kind, status=503)] * 14)
    assert outcome == ("done", 14) and len(timeouts) == 15
    assert 300 < clock.now() < 900
    outcome, _, clock = run(for_ever(kind, status=503))
    assert outcome.kind is kind and 900 - 60 < clock.now() < 900
    assert "s after the first failure" in str(outcome)


@pytest.mark.parametrize("kind", WAITED)
@pytest.mark.parametrize("said", [0.0, 1e-9, 0.3])
def test_a_server_that_says_not_to_wait_is_not_asked_again_at_once(kind, said):
    outcome, timeouts, clock = run([failure(kind, retry_after_s=said)])
    assert outcome == ("done", 1) and clock.now() >= 0.5
    outcome, timeouts, _ = run(for_ever(kind, retry_after_s=said))
    assert outcome.kind is kind and len(timeouts) < 40


def test_the_total_time_bounds_waits_before_they_begin():
    outcome, timeouts, clock = run([failure(ErrorKind.RATE_LIMIT, retry_after_s=3600.0)] * 2)
    assert (outcome.kind, len(timeouts), clock.slept) == (ErrorKind.RATE_LIMIT, 1, [])


def test_the_time_counts_from_the_first_failure_so_that_a_slow_answer_takes_none_of_it():
    slow = replace(HERE, total_s=100, timeout_s=900)
    outcome, timeouts, _ = run([failure(ErrorKind.SERVER)], slow, takes_s=90.0)
    assert outcome == ("done", 1) and timeouts == [900, 900]


def test_no_limits_mean_no_limits():
    endless = replace(HERE, total_s=None, timeout_s=None)
    assert run([], endless)[1] == [None]
    outcome, _, clock = run([failure(ErrorKind.SERVER)] * 2000, endless)
    assert outcome == ("done", 2000) and clock.now() > 30_000


def test_waits_grow_are_capped_and_are_the_same_in_every_run():
    def waits(seed):
        limits = replace(HERE, backoff_s=1, max_wait_s=8)
        return run([failure(ErrorKind.RATE_LIMIT)] * 6, limits, seed)[2].slept

    first = waits(1)
    assert first == waits(1) != waits(2)
    for wait, most in zip(first, (1, 2, 4, 8, 8, 8), strict=True):
        assert most / 2 <= wait < most


def test_the_servers_wish_to_wait_goes_before_our_own():
    _, _, clock = run([failure(ErrorKind.RATE_LIMIT, retry_after_s=12.0)], replace(HERE, max_wait_s=1))
    assert sum(clock.slept) == pytest.approx(12.0)


def test_a_wait_ends_when_nobody_wants_to_wait_any_more():
    retries, asked = Retries(HERE), []

    def attempt(timeout_s):
        asked.append(timeout_s)
        threading.Timer(0.01, retries.halt.set).start()
        raise LLMError(failure(ErrorKind.SERVER, retry_after_s=600.0))

    with pytest.raises(LLMError, match="gave up after 1 request"):  # in much less than ten minutes
        retries.until_answered(attempt, 0)
    assert len(asked) == 1


def test_waiting_is_said_once_in_thirty_seconds(caplog):
    waits = [failure(ErrorKind.RATE_LIMIT, retry_after_s=s) for s in (10.0, 10.0, 10.0, 100.0)]
    with caplog.at_level(logging.WARNING):
        run(waits, replace(HERE, total_s=None))
    said = [r.getMessage() for r in caplog.records]
    assert len(said) == 5  # at 0, 30, 60, 90 and 120 s
    assert said[0].startswith("waiting on http://here/v1, retry 1 in 10 s")
    assert said[1].startswith("waiting on http://here/v1, retry 4")
