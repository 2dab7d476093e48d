"""The one door to the openai package: a client, one request, and its exceptions turned into ours.

openai is imported when the first client is made, so importing this costs nothing. Its own retries are off,
and its HTTP client is one whose requests end (`bounded_http.py`). Messages of the server are stripped of
every secret before they are kept.
"""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from .bounded_http import bounded_client, http_library
from .endpoint import FIELD_OF_PARAMETER, Endpoint
from .errors import CallFailure, ErrorKind, LLMError

if TYPE_CHECKING:
    import openai

_REMEDY: Mapping[ErrorKind, str] = {
    ErrorKind.AUTH: "check the key in the environment variable {key}",
    ErrorKind.QUOTA: "insufficient_quota: the account has no money left; add some or use another endpoint",
    ErrorKind.RATE_LIMIT: "wait, or lower `concurrency`",
    ErrorKind.TIMEOUT: "raise `timeout_s`, or see whether the server is overloaded",
    ErrorKind.CONNECTION: "see whether the server runs and the URL is right",
    ErrorKind.SERVER: "see the server's log",
    ErrorKind.BAD_REPLY: "see whether the URL is that of an OpenAI-compatible chat endpoint",
    ErrorKind.CONTEXT: "enlarge the server's context, or send less",
    ErrorKind.FILTERED: "see the server's content filter",
    ErrorKind.BAD_REQUEST: "see which parameters and which context length the server takes",
    ErrorKind.NOT_FOUND: "check the base URL and the model's name",
    ErrorKind.TRUNCATED_PROMPT: "enlarge the server's context, or set `on_truncated_prompt` to `accept`",
}
_QUOTA_WORDS = ("insufficient_quota", "billing_hard_limit", "exceeded your current quota")
#: How servers say that a request does not fit, and that they will not have its content.
_TOO_LONG = re.compile(
    r"context[\s_-]?(?:length|window|size|limit)|max_model_len|max_new_tokens|reduce the length"
    r"|too many (?:input |prompt )?tokens|(?:prompt|input|request|message)s? (?:is|are) too (?:long|large)",
    re.IGNORECASE,
)
_FILTER_WORDS = re.compile(
    r"content[\s_-]?(?:filter|management|policy|moderation)|responsible[\s_]?ai|data_inspection_failed",
    re.IGNORECASE,
)
_NAMED_PARAMETER = re.compile(r"(?:parameter|argument|field|value)s?:?\s+['\"`]?(\w+)['\"`]?", re.IGNORECASE)
_ONE_CHOICE = re.compile(
    r"\bone completion choice|['\"`]n['\"`]|\bn\s*(?:must|should|has to|>|=)", re.IGNORECASE
)


_CHAT = "/chat/completions"


def open_client(endpoint: Endpoint) -> openai.OpenAI:
    """A client for the endpoint. Raises LLMError(auth) without a key where one is needed."""
    key = endpoint.api_key()
    import openai  # a third of a second, and not needed for recorded runs

    return openai.OpenAI(
        api_key=key,
        base_url=endpoint.url,
        timeout=endpoint.timeout_s,
        max_retries=0,
        http_client=bounded_client(endpoint.verify),
    )


def post(
    client: openai.OpenAI, endpoint: Endpoint, arguments: Mapping[str, Any], timeout_s: float | None
) -> object:
    """The JSON body of one chat completion request. Raises LLMError, never an exception of openai's."""
    create: Any = client.chat.completions.with_streaming_response.create
    body, _ = _fetched(endpoint, _CHAT, partial(create, **arguments), timeout_s)
    if isinstance(body, Mapping) and body.get("error") and not body.get("choices"):
        raise _error_in_body(endpoint, body["error"])
    return body


def model_names(client: openai.OpenAI, endpoint: Endpoint, timeout_s: float) -> tuple[str, ...]:
    """The models that the server lists, sorted. Raises LLMError, bad_reply for anything but such a list."""
    listing: Any = client.models.with_streaming_response.list
    body, beginning = _fetched(endpoint, "/models", listing, timeout_s)
    models = body.get("data") if isinstance(body, Mapping) else None
    if not isinstance(models, list):
        what = f'the reply is no list of models, {{"data": [...]}}: {beginning!r}'
        raise fault(endpoint, ErrorKind.BAD_REPLY, what, path="/models")
    names = [model.get("id") if isinstance(model, Mapping) else None for model in models]
    if not all(isinstance(name, str) and name for name in names):
        what = f"the list of models holds one without an id: {beginning!r}"
        raise fault(endpoint, ErrorKind.BAD_REPLY, what, path="/models")
    return tuple(sorted(map(str, names)))


def _fetched(
    endpoint: Endpoint, path: str, ask: Callable[..., Any], timeout_s: float | None
) -> tuple[object, str]:
    """The JSON value that a reply's body is, and the beginning of its text. Raises LLMError."""
    with translated(endpoint, path), ask(timeout=timeout_s) as response:
        data = response.read()
    beginning = _without_secrets(endpoint, data[:1000].decode("utf-8", "replace"))[:80]
    try:
        return json.loads(data), beginning
    except (ValueError, RecursionError) as error:
        what = f"the reply is no JSON ({error}): {beginning!r}"
        raise fault(endpoint, ErrorKind.BAD_REPLY, what, path=path) from None


def fault(
    endpoint: Endpoint,
    kind: ErrorKind,
    what: str,
    path: str = _CHAT,
    *,
    status: int | None = None,
    parameter: str | None = None,
    retry_after_s: float | None = None,
) -> LLMError:
    """An LLMError that says which model where, what, and how to repair it; settings as of CallFailure."""
    field = FIELD_OF_PARAMETER.get(parameter or "", "extra_body")
    remedy = f"set `{field}` of the endpoint" if parameter else _REMEDY[kind].format(key=endpoint.api_key_env)
    message = _without_secrets(endpoint, f"{endpoint.model} at {endpoint.url}{path}: {what}; {remedy}")
    return LLMError(CallFailure(kind, message, status, parameter, retry_after_s))


@contextmanager
def translated(endpoint: Endpoint, path: str = _CHAT) -> Iterator[None]:
    """Turn every exception of openai and of the HTTP library below it into an LLMError.

    The original is not chained: its text and its request may hold the key.
    """
    import openai

    http = http_library(openai.DefaultHttpxClient)
    failed = partial(fault, endpoint, path=path)
    try:
        yield
    except (openai.APITimeoutError, http.TimeoutException):
        raise failed(ErrorKind.TIMEOUT, "no answer in time") from None
    except openai.APIStatusError as error:
        raise _status_fault(endpoint, error, path) from None
    except (LLMError, openai.APIConnectionError, http.HTTPError) as error:
        cause = error.__cause__ or error
        if isinstance(cause, LLMError):
            raise failed(cause.kind, cause.failure.message) from None
        what = f"the connection failed ({type(cause).__name__}: {cause})"
        raise failed(ErrorKind.CONNECTION, what) from None
    except (openai.OpenAIError, json.JSONDecodeError) as error:
        raise failed(ErrorKind.BAD_REPLY, f"{type(error).__name__}: {error}") from None


def _status_fault(endpoint: Endpoint, error: openai.APIStatusError, path: str) -> LLMError:
    said = _said(error)
    text = f"{error.code or ''} {error.type or ''} {said}"
    kind = _kind(error.status_code, text)
    what = f"HTTP {error.status_code}: {_shown(endpoint, said)}"
    parameter = _refused_parameter(error.param, text) if kind is ErrorKind.BAD_REQUEST else None
    wait_s = _retry_after(error.response.headers)
    return fault(
        endpoint, kind, what, path, parameter=parameter, status=error.status_code, retry_after_s=wait_s
    )


def _said(error: openai.APIStatusError) -> str:
    """The message of an error reply; of one that is no error object, all that there is."""
    body: object = error.body
    message = body.get("message") if isinstance(body, Mapping) else None
    return message if isinstance(message, str) and message else error.response.text or error.message


def _error_in_body(endpoint: Endpoint, error: object) -> LLMError:
    """Some servers answer 200 with an error in the body; its code is then the status."""
    fields = error if isinstance(error, Mapping) else {"message": str(error)}
    code = fields.get("code")
    status = code if isinstance(code, int) and code >= 400 else 502
    text = f"{code} {fields.get('message')}"
    what = f"error in the reply: {_shown(endpoint, text)}"
    return fault(endpoint, _kind(status, text), what, status=status)


def _kind(status: int, text: str) -> ErrorKind:
    if status == 402 or (status == 429 and any(word in text for word in _QUOTA_WORDS)):
        return ErrorKind.QUOTA
    named = {401: ErrorKind.AUTH, 403: ErrorKind.AUTH, 404: ErrorKind.NOT_FOUND, 408: ErrorKind.TIMEOUT}
    if status in named:
        return named[status]
    if status == 429:
        return ErrorKind.RATE_LIMIT
    if status >= 500 or status == 409:
        return ErrorKind.SERVER
    if _FILTER_WORDS.search(text):
        return ErrorKind.FILTERED
    return ErrorKind.CONTEXT if status == 413 or _TOO_LONG.search(text) else ErrorKind.BAD_REQUEST


def _refused_parameter(said: str | None, text: str) -> str | None:
    """The parameter that a 400 is about, if the server says one."""
    if said:
        return said
    if _ONE_CHOICE.search(text):
        return "n"
    if "unsupported" not in text.lower() and "unrecognized" not in text.lower():
        return None
    named = _NAMED_PARAMETER.search(text)
    return named.group(1) if named else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, or `retry-after` as a number or a date."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        elif "retry-after" not in headers:
            return None
        elif re.fullmatch(r"\s*\d+(\.\d+)?\s*", said := headers["retry-after"]):
            seconds = float(said)
        else:
            seconds = email.utils.parsedate_to_datetime(said).timestamp() - time.time()
    except (ValueError, OverflowError, OSError):
        return None
    return None if math.isnan(seconds) else max(seconds, 0.0)


def _without_secrets(endpoint: Endpoint, text: str) -> str:
    """To be called before a text is cut: of a secret that is cut in two, the half would not be found."""
    for secret in endpoint.secrets():
        text = text.replace(secret, "***")
    return text


def _shown(endpoint: Endpoint, text: str) -> str:
    text = _without_secrets(endpoint, re.sub(r"^Error code: \d+ - ", "", text))
    return text if len(text) <= 500 else f"{text[:500]}..."
