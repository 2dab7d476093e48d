"""Errors of language models: one exception that carries plain data, so that it crosses process borders whole.

A failed call is the machine's or the configuration's fault, never the model's answer: truncated, refused
and empty answers are finish reasons of a `Completion`, not errors. A request that the server refuses is an
error of the client's; whether it is that request's own fate or a setting's is decided in `journaled.py`.
Every message says what happened, where, and how to fix it; none ever holds an API key.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ErrorKind(StrEnum):
    """What went wrong with a call."""

    AUTH = "auth"  #: no key, or the server refused it
    QUOTA = "insufficient_quota"  #: the account has no money left
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    CONNECTION = "connection"  #: refused, reset, or a body that broke off
    SERVER = "server"  #: 5xx
    BAD_REPLY = "bad_reply"  #: a 200 whose body is no chat completion
    CONTEXT = "context_length"  #: the request is refused, as it does not fit the model's context
    FILTERED = "content_filter"  #: the request is refused by a content filter
    BAD_REQUEST = "bad_request"  #: other 4xx
    NOT_FOUND = "not_found"  #: wrong URL or unknown model
    TRUNCATED_PROMPT = "truncated_prompt"  #: the server cut the prompt to its context
    REPLAY_MISS = "replay_miss"  #: the call is not in the recording, and no call may be made
    CONFIG = "config"  #: the settings cannot work
    JOURNAL = "journal"  #: the call journal or recording cannot be read or written


#: Kinds that may pass when the same request is sent again.
_PASSING = frozenset(
    {ErrorKind.RATE_LIMIT, ErrorKind.TIMEOUT, ErrorKind.CONNECTION, ErrorKind.SERVER, ErrorKind.BAD_REPLY}
)

#: Kinds with which a server refuses the request itself.
REFUSALS = frozenset({ErrorKind.CONTEXT, ErrorKind.FILTERED, ErrorKind.BAD_REQUEST})


@dataclass(frozen=True)
class CallFailure:
    """Why a call failed, as plain data."""

    kind: ErrorKind
    message: str  #: what, where, how to repair it
    status: int | None = None  #: HTTP status, if there was one
    parameter: str | None = None  #: the request parameter that the server refused
    retry_after_s: float | None = None  #: how long the server asked to wait
    attempts: int = 1  #: requests sent before giving up

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in _PASSING


class LLMError(Exception):
    """A call to a language model failed. Survives pickling: its only argument is a `CallFailure`."""

    def __init__(self, failure: CallFailure) -> None:
        super().__init__(failure)
        self.failure = failure

    @property
    def kind(self) -> ErrorKind:
        """What went wrong."""
        return self.failure.kind

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.failure.retryable

    def __str__(self) -> str:
        return f"[{self.failure.kind}] {self.failure.message}"


def failed(kind: ErrorKind, message: str) -> LLMError:
    """An LLMError that no HTTP reply stands behind."""
    return LLMError(CallFailure(kind, message))
