"""Asking again after a passing failure: bounded by time, and never for a lost cause.

A failure that asking again cannot fix (refused request, no key, no money) ends at once. A server that is busy
or broken (429, 5xx, 529) or cannot be reached is waited for, however often it says so, until `total_s` have
passed since the request's first failure. A timeout or a broken reply ends it when it came three times in a
row, a suspected cut prompt when it came twice (the sum of tokens may be round by chance).

Waits double from `backoff_s` to `max_wait_s`, shortened by a jitter that follows from the seed. A server's
Retry-After goes before that, unless it asks for less than `backoff_s`: a server that says 0, or a date that
has passed, is not asked again at once. Time is that of a `Clock`, so waits of minutes are tested in no time.
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
#: Doubling ends long before; it keeps the power from becoming too large a number.
_MOST_DOUBLINGS = 30
#: After this many in a row there is no more asking. Other kinds are waited for by time alone.
_LONGEST_ROW: Mapping[ErrorKind, int] = {
    ErrorKind.TIMEOUT: 3,
    ErrorKind.BAD_REPLY: 3,
    ErrorKind.TRUNCATED_PROMPT: 2,
}


class Clock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since some fixed moment; never falls."""
        return time.monotonic()

    def sleep(self, seconds: float, until: threading.Event) -> None:
        """Return after that time, or at once when `until` is set."""
        until.wait(seconds)


class PassingClock(Clock):
    """A clock for tests: time passes by sleeping alone, and that takes none. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0.0
        self.slept: list[float] = []  #: every wait, in order

    def now(self) -> float:
        """The sum of all waits."""
        return self._now

    def sleep(self, seconds: float, until: threading.Event) -> None:
        """Let that time pass."""
        with self._lock:
            self._now += seconds
            self.slept.append(seconds)


@dataclass(frozen=True)
class RetryLimits:
    """How long to go on. Times in seconds; None is no limit."""

    total_s: float | None = 900.0  #: from the first failure of a request to its last attempt
    timeout_s: float | None = 180.0  #: of one attempt
    backoff_s: float = 1.0
    max_wait_s: float = 60.0


class Notice:
    """The line `waiting on ..., retry i`, at most every 30 s however many threads wait."""

    def __init__(self, where: str, clock: Clock | None = None) -> None:
        self._where = where
        self._clock = clock or Clock()
        self._lock = threading.Lock()
        self._last = self._clock.now() - _NOTICE_EVERY_S

    def say(self, failure: CallFailure, retry: int, wait_s: float) -> None:
        """Log the line if the last one is long enough ago."""
        with self._lock:
            now = self._clock.now()
            if now - self._last < _NOTICE_EVERY_S:
                return
            self._last = now
        _log.warning("waiting on %s, retry %d in %.0f s: %s", self._where, retry, wait_s, failure.message)


def with_retries(
    attempt: Callable[[float | None], T],
    limits: RetryLimits,
    seed: int,
    notice: Notice,
    clock: Clock | None = None,
    halt: threading.Event | None = None,
) -> tuple[T, int]:
    """(the result, how many retries it took) of `attempt(timeout in seconds)`. Raises the last LLMError.

    Once `halt` is set nothing is waited for any more.
    """
    clock, halt = clock or Clock(), halt or threading.Event()
    first: float | None = None
    last, row, retry = None, 0, 0
    while True:
        try:
            return attempt(limits.timeout_s), retry
        except LLMError as error:
            failure = error.failure
        now = clock.now()
        first = now if first is None else first
        row = row + 1 if last is not None and _same(last, failure) else 1
        last, wait = failure, _wait(failure, retry, limits, seed)
        retry += 1
        if _worth_it(failure, row) and _fits(now - first + wait, limits):
            _sleep(wait, partial(notice.say, failure, retry), clock, halt)
            if not halt.is_set():
                continue
        raise _given_up(failure, retry, now - first)


def _same(one: CallFailure, other: CallFailure) -> bool:
    return (one.kind, one.status) == (other.kind, other.status)


def _worth_it(failure: CallFailure, row: int) -> bool:
    passing = failure.retryable or failure.kind is ErrorKind.TRUNCATED_PROMPT
    return passing and row < _LONGEST_ROW.get(failure.kind, row + 1)


def _wait(failure: CallFailure, retry: int, limits: RetryLimits, seed: int) -> float:
    if failure.retry_after_s is not None and failure.retry_after_s >= limits.backoff_s:
        return failure.retry_after_s
    longest = limits.backoff_s * 2.0 ** min(retry, _MOST_DOUBLINGS)
    return min(longest, limits.max_wait_s) * (0.5 + _jitter(seed, retry) / 2)


def _jitter(seed: int, retry: int) -> float:
    """In [0, 1), the same in every run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{retry}".encode()).digest()[:6], "big") / 2.0**48


def _fits(until: float, limits: RetryLimits) -> bool:
    return limits.total_s is None or until < limits.total_s


def _sleep(wait: float, notice: Callable[[float], None], clock: Clock, halt: threading.Event) -> None:
    end = clock.now() + wait
    while (left := end - clock.now()) > 0 and not halt.is_set():
        notice(left)
        clock.sleep(min(left, _NOTICE_EVERY_S), halt)


def _given_up(failure: CallFailure, attempts: int, waited_s: float) -> LLMError:
    if attempts == 1 and not failure.retryable:
        return LLMError(failure)
    requests = f"{attempts} request{'' if attempts == 1 else 's'}"
    message = f"{failure.message} (gave up after {requests}, {waited_s:.0f} s after the first failure)"
    return LLMError(replace(failure, message=message, attempts=attempts))
