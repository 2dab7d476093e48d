"""The ways in which the stub endpoint can misbehave, and what they look like on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Fault(StrEnum):
    """What may be wrong with one answer."""

    NONE = "none"
    # instead of an answer
    RATE_LIMIT = "rate_limit"
    RATE_LIMIT_RETRY_AFTER = "rate_limit_retry_after"
    QUOTA = "quota"
    AUTH = "auth"  #: the message repeats the key that was sent
    SERVER_ERROR = "server_error"
    UNSUPPORTED_PARAMETER = "unsupported_parameter"
    ONE_CHOICE_ONLY = "one_choice_only"  #: refuses n > 1
    OVERLOADED = "overloaded"  #: 529
    BUSY_NO_WAIT = "busy_no_wait"  #: 503 with Retry-After: 0
    BUSY_PAST_DATE = "busy_past_date"  #: 500 with a date in Retry-After that has passed
    BAD_REQUEST = "bad_request"  #: 400, and no reason
    CONTEXT_LENGTH = "context_length"  #: 400, as the conversation is too long
    CONTENT_FILTER = "content_filter"  #: 400, as the conversation is not wanted
    UNKNOWN_MODEL = "unknown_model"  #: 404
    HTML_ERROR = "html_error"  #: 400 with a page for people
    REDIRECT_LOOP = "redirect_loop"  #: to itself
    ENDLESS_HEADERS = "endless_headers"  #: a header line every tenth of `stall_s`, without end
    LARGE_ERROR = "large_error"  #: 500 with a body of `large` bytes
    LARGE_BODY = "large_body"  #: 200 with such a body
    GZIP_BOMB = "gzip_bomb"  #: 200 with a small body that becomes one of `large` bytes
    GZIP_BOMB_ERROR = "gzip_bomb_error"  #: 500 with such a body
    GZIP = "gzip"  #: an answer, compressed without being asked for
    STALL = "stall"  #: no byte for `stall_s`
    TRICKLE = "trickle"  #: a byte every tenth of `stall_s`, without end
    DROP = "drop"  #: the connection ends before any byte
    TRUNCATED_BODY = "truncated_body"  #: the connection ends in the middle of the body
    GARBAGE = "garbage"  #: 200, but no JSON
    NO_CHOICES = "no_choices"
    ERROR_IN_BODY = "error_in_body"  #: 200 with an error object
    # an answer, but
    EMPTY = "empty"
    REFUSAL = "refusal"
    FILTER = "filter"
    LENGTH = "length"
    THINK = "think"
    THINK_OPEN = "think_open"  #: cut off while it was thinking: the text never ends its reasoning
    CUT_PROMPT = "cut_prompt"  #: fewer prompt tokens than were sent
    FULL_CONTEXT = "full_context"  #: cut off, with prompt and completion 4096 tokens together


@dataclass(frozen=True)
class Behaviour:
    """How a stub answers."""

    faults: Sequence[Fault] = ()  #: one for each chat request from the first on
    always: Fault = Fault.NONE  #: for the requests after those
    ignore_n: bool = False
    identical: bool = False  #: all samples of a request are sample 0
    delay_s: float = 0.0
    stall_s: float = 5.0
    retry_after_s: float = 0.05
    large: int = 2**30  #: bytes of large bodies; they are made as they are sent
    #: Body of the list of models, as it stands; None for the stub's own.
    models: bytes | None = None
    unsupported: tuple[str, str] = ("max_tokens", "Use 'max_completion_tokens' instead.")


def choice_of(index: int, text: str, fault: Fault) -> dict[str, Any]:
    """One choice of a chat completion, with the fault's marks on it."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    reason = "stop"
    if fault is Fault.EMPTY:
        message["content"] = ""
    elif fault is Fault.REFUSAL:
        message |= {"content": None, "refusal": "I will not."}
    elif fault is Fault.FILTER:
        reason = "content_filter"
    elif fault in (Fault.LENGTH, Fault.FULL_CONTEXT):
        message["content"], reason = text[: len(text) // 2], "length"
    elif fault is Fault.THINK:
        message["content"] = f"<think>Let me see.</think>\n{text}"
    elif fault is Fault.THINK_OPEN:
        message["content"], reason = f"<think>Let me see. {text}", "length"
    return {"index": index, "message": message, "finish_reason": reason}


_UNSUPPORTED = "Unsupported parameter: '{parameter}'. {advice}"
_FILTERED = "The response was filtered by our content management policy."
_LONG = "This model's maximum context length is 4096 tokens, and your messages have 5000."
#: Status, error code and message of the faults that are an error reply.
ERRORS: Mapping[Fault, tuple[int, str, str]] = {
    Fault.RATE_LIMIT: (429, "rate_limit_exceeded", "Rate limit reached."),
    Fault.RATE_LIMIT_RETRY_AFTER: (429, "rate_limit_exceeded", "Rate limit reached."),
    Fault.QUOTA: (429, "insufficient_quota", "You exceeded your current quota."),
    Fault.AUTH: (401, "invalid_api_key", "Incorrect API key provided: {key}."),
    Fault.SERVER_ERROR: (500, "internal_error", "The server had an error."),
    Fault.UNSUPPORTED_PARAMETER: (400, "unsupported_parameter", _UNSUPPORTED),
    Fault.OVERLOADED: (529, "overloaded_error", "Overloaded."),
    Fault.BUSY_NO_WAIT: (503, "busy", "The model is being loaded."),
    Fault.BUSY_PAST_DATE: (500, "busy", "Try again."),
    Fault.BAD_REQUEST: (400, "invalid_request_error", "The request could not be processed."),
    Fault.CONTEXT_LENGTH: (400, "context_length_exceeded", _LONG),
    Fault.CONTENT_FILTER: (400, "content_filter", _FILTERED),
    Fault.UNKNOWN_MODEL: (404, "model_not_found", "The model does not exist."),
    Fault.ONE_CHOICE_ONLY: (400, "invalid_request_error", "Only one completion choice is allowed"),
}
#: What error replies say in Retry-After; the braces stand for the stub's own number of seconds.
WAITS: Mapping[Fault, str] = {
    Fault.RATE_LIMIT_RETRY_AFTER: "{}",
    Fault.BUSY_NO_WAIT: "0",
    Fault.BUSY_PAST_DATE: "Thu, 01 Jan 1970 00:00:00 GMT",
}
#: Bodies of the faults that are a 200 without an answer.
BODIES: Mapping[Fault, bytes] = {
    Fault.GARBAGE: b'{"choices": [oops',
    Fault.NO_CHOICES: b'{"choices": []}',
    Fault.ERROR_IN_BODY: b'{"error": {"code": 503, "message": "upstream is down"}}',
}


def error_body(code: str, message: str) -> dict[str, dict[str, Any]]:
    """An error reply as OpenAI writes it."""
    return {"error": {"code": code, "type": code, "message": message, "param": None}}
