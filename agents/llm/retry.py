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
from dataclasses import replace
from typing import TypeVar

from .endpoint import Endpoint
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


class Retries:
    """The retries of one endpoint's requests. Thread-safe.

    While requests wait, a line `waiting on ..., retry i` is logged, at most every 30 s however many threads
    wait. Once `halt` is set nothing is waited for any more.
    """

    def __init__(self, endpoint: Endpoint, clock: Clock | None = None) -> None:
        self._limits = endpoint
        self._clock = clock or Clock()
        self.halt = threading.Event()
        self._lock = threading.Lock()
        self._noticed = self._clock.now() - _NOTICE_EVERY_S

    def until_answered(self, attempt: Callable[[float | None], T], seed: int) -> tuple[T, int]:
        """(the result, how many retries it took) of `attempt(timeout in seconds)`.

        Raises the last LLMError. Waits are shortened by a jitter that follows from the seed.
        """
        limits = self._limits
        first: float | None = None
        last, row, retry = None, 0, 0
        while True:
            try:
                return attempt(limits.timeout_s), retry
            except LLMError as error:
                failure = error.failure
            now = self._clock.now()
            first = now if first is None else first
            row = row + 1 if last is not None and _same(last, failure) else 1
            last, wait = failure, _wait(failure, retry, limits, seed)
            retry += 1
            in_time = limits.total_s is None or now - first + wait < limits.total_s
            if _worth_it(failure, row) and in_time:
                self._sleep(wait, failure, retry)
                if not self.halt.is_set():
                    continue
            raise _given_up(failure, retry, now - first)

    def _sleep(self, wait_s: float, failure: CallFailure, retry: int) -> None:
        end = self._clock.now() + wait_s
        while (left := end - self._clock.now()) > 0 and not self.halt.is_set():
            if self._notice_is_due():
                _log.warning(
                    "waiting on %s, retry %d in %.0f s: %s", self._limits.url, retry, left, failure.message
                )
            self._clock.sleep(min(left, _NOTICE_EVERY_S), self.halt)

    def _notice_is_due(self) -> bool:
        with self._lock:
            now = self._clock.now()
            due = now - self._noticed >= _NOTICE_EVERY_S
            self._noticed = now if due else self._noticed
            return due


def _same(one: CallFailure, other: CallFailure) -> bool:
    return (one.kind, one.status) == (other.kind, other.status)


def _worth_it(failure: CallFailure, row: int) -> bool:
    passing = failure.retryable or failure.kind is ErrorKind.TRUNCATED_PROMPT
    return passing and row < _LONGEST_ROW.get(failure.kind, row + 1)


def _wait(failure: CallFailure, retry: int, limits: Endpoint, seed: int) -> float:
    if failure.retry_after_s is not None and failure.retry_after_s >= limits.backoff_s:
        return failure.retry_after_s
    longest = limits.backoff_s * 2.0 ** min(retry, _MOST_DOUBLINGS)
    return min(longest, limits.max_wait_s) * (0.5 + _jitter(seed, retry) / 2)


def _jitter(seed: int, retry: int) -> float:
    """In [0, 1), the same in every run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{retry}".encode()).digest()[:6], "big") / 2.0**48


def _given_up(failure: CallFailure, attempts: int, waited_s: float) -> LLMError:
    if attempts == 1 and not failure.retryable:
        return LLMError(failure)
    requests = f"{attempts} request{'' if attempts == 1 else 's'}"
    message = f"{failure.message} (gave up after {requests}, {waited_s:.0f} s after the first failure)"
    return LLMError(replace(failure, message=message, attempts=attempts))
