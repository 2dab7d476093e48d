"""Asking again after a passing failure: bounded by count and by wall clock, and never for a lost cause.

A failure that asking again cannot mend (bad request, no key, no money) ends at once. A server error, timeout
or broken reply ends when it came three times in a row, a suspected cut prompt when it came twice (the sum
of tokens may be round by chance). Rate limits and lost connections go on until the count or the time is up.
Waits double from `backoff_s` to `max_wait_s`, shortened by a jitter that follows from the seed; a server's
Retry-After goes before that.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from .errors import CallFailure, ErrorKind, LLMError

_log = logging.getLogger(__name__)
T = TypeVar("T")

_NOTICE_EVERY_S = 30.0
#: After this many in a row there is no more asking.
_LONGEST_ROW: Mapping[ErrorKind, int] = {
    ErrorKind.SERVER: 3,
    ErrorKind.TIMEOUT: 3,
    ErrorKind.BAD_REPLY: 3,
    ErrorKind.TRUNCATED_PROMPT: 2,
}


@dataclass(frozen=True)
class RetryLimits:
    """How long to go on. Times in seconds; None is no limit."""

    retries: int = 8
    total_s: float | None = 900.0
    timeout_s: float | None = 180.0  #: of one attempt
    backoff_s: float = 1.0
    max_wait_s: float = 60.0


class Notice:
    """The line `waiting on ..., retry i/n`, at most every 30 s however many threads wait."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._last = -_NOTICE_EVERY_S

    def say(self, failure: CallFailure, retry: int, retries: int, wait_s: float) -> None:
        """Log the line if the last one is long enough ago."""
        with self._lock:
            now = time.monotonic()
            if now - self._last < _NOTICE_EVERY_S:
                return
            self._last = now
        _log.warning(
            "waiting on %s, retry %d/%d in %.0f s: %s", self._where, retry, retries, wait_s, failure.message
        )


def with_retries(
    attempt: Callable[[float | None], T], limits: RetryLimits, seed: int, notice: Notice
) -> tuple[T, int]:
    """(the result, how many retries it took) of `attempt(timeout in seconds)`. Raises the last LLMError."""
    start = time.monotonic()
    last, row = None, 0
    for retry in range(limits.retries + 1):
        try:
            return attempt(_timeout(limits, start)), retry
        except LLMError as error:
            failure = error.failure
        row = row + 1 if last is not None and _same(last, failure) else 1
        last = failure
        wait = _wait(failure, retry, limits, seed)
        if retry == limits.retries or not _worth_it(failure, row) or not _fits(wait, limits, start):
            raise _given_up(failure, retry + 1, time.monotonic() - start)
        _sleep(wait, partial(notice.say, failure, retry + 1, limits.retries))
    raise AssertionError("unreachable: the last round returns or raises")


def _same(one: CallFailure, other: CallFailure) -> bool:
    return (one.kind, one.status) == (other.kind, other.status)


def _worth_it(failure: CallFailure, row: int) -> bool:
    passing = failure.retryable or failure.kind is ErrorKind.TRUNCATED_PROMPT
    return passing and row < _LONGEST_ROW.get(failure.kind, row + 1)


def _timeout(limits: RetryLimits, start: float) -> float | None:
    """What is left for one attempt: its own limit, or less if the total time is nearly up."""
    bounds = [] if limits.timeout_s is None else [limits.timeout_s]
    if limits.total_s is not None:
        bounds.append(max(limits.total_s - (time.monotonic() - start), 0.001))
    return min(bounds) if bounds else None


def _wait(failure: CallFailure, retry: int, limits: RetryLimits, seed: int) -> float:
    if failure.retry_after_s is not None:
        return failure.retry_after_s
    return min(limits.backoff_s * 2.0**retry, limits.max_wait_s) * (0.5 + _jitter(seed, retry) / 2)


def _jitter(seed: int, retry: int) -> float:
    """In [0, 1), the same in every run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{retry}".encode()).digest()[:6], "big") / 2.0**48


def _fits(wait: float, limits: RetryLimits, start: float) -> bool:
    return limits.total_s is None or time.monotonic() - start + wait < limits.total_s


def _sleep(wait: float, notice: Callable[[float], None]) -> None:
    end = time.monotonic() + wait
    while (left := end - time.monotonic()) > 0:
        notice(left)
        time.sleep(min(left, _NOTICE_EVERY_S))


def _given_up(failure: CallFailure, attempts: int, elapsed_s: float) -> LLMError:
    if attempts == 1 and not failure.retryable:
        return LLMError(failure)
    message = f"{failure.message} (gave up after {attempts} requests in {elapsed_s:.0f} s)"
    return LLMError(replace(failure, message=message, attempts=attempts))
