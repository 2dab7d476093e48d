"""The one door to the openai package: a client, one request, and its exceptions turned into ours.

openai is imported when the first client is made, so importing this costs nothing. Its own retries are off.
The body is read in pieces, so that a server which sends a byte now and then cannot hold a request beyond its
time. Messages of the server are stripped of every secret before they are kept.
"""

from __future__ import annotations

import email.utils
import importlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .endpoint import FIELD_OF_PARAMETER, Endpoint
from .errors import CallFailure, ErrorKind, LLMError

if TYPE_CHECKING:
    import openai

_LARGEST_BODY = 64 * 2**20
_MEND: Mapping[ErrorKind, str] = {
    ErrorKind.AUTH: "check the key in the environment variable {key}",
    ErrorKind.QUOTA: "insufficient_quota: the account has no money left; add some or use another endpoint",
    ErrorKind.RATE_LIMIT: "wait, or lower `concurrency`",
    ErrorKind.TIMEOUT: "raise `timeout_s`, or see whether the server is overloaded",
    ErrorKind.CONNECTION: "see whether the server runs and the URL is right",
    ErrorKind.SERVER: "see the server's log",
    ErrorKind.BAD_REPLY: "see whether the URL is that of an OpenAI-compatible chat endpoint",
    ErrorKind.BAD_REQUEST: "see which parameters and which context length the server takes",
    ErrorKind.NOT_FOUND: "check the base URL and the model's name",
    ErrorKind.TRUNCATED_PROMPT: "enlarge the server's context, or set `on_truncated_prompt` to `accept`",
}
_QUOTA_WORDS = ("insufficient_quota", "billing_hard_limit", "exceeded your current quota")
_NAMED_PARAMETER = re.compile(r"(?:parameter|argument|field|value)s?:?\s+['\"`]?(\w+)['\"`]?", re.IGNORECASE)
_ONE_CHOICE = re.compile(
    r"\bone completion choice|['\"`]n['\"`]|\bn\s*(?:must|should|has to|>|=)", re.IGNORECASE
)


def open_client(endpoint: Endpoint) -> openai.OpenAI:
    """A client for the endpoint. Raises LLMError(auth) without a key where one is needed."""
    key = endpoint.api_key()
    import openai  # a third of a second, and not needed for recorded runs

    http = None if endpoint.verify is True else openai.DefaultHttpxClient(verify=endpoint.verify)
    return openai.OpenAI(
        api_key=key, base_url=endpoint.url, timeout=endpoint.timeout_s, max_retries=0, http_client=http
    )


def post(
    client: openai.OpenAI, endpoint: Endpoint, arguments: Mapping[str, Any], timeout_s: float | None
) -> object:
    """The JSON body of one chat completion request. Raises LLMError, never an exception of openai's."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    with translated(endpoint):
        create: Any = client.chat.completions.with_streaming_response.create
        with create(**arguments, timeout=timeout_s) as response:
            data = _read(response.iter_bytes(), deadline, endpoint)
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        shown = _without_secrets(endpoint, data[:1000].decode("utf-8", "replace"))[:80]
        raise fault(endpoint, ErrorKind.BAD_REPLY, f"the reply is no JSON ({error}): {shown!r}") from None
    if isinstance(body, Mapping) and body.get("error") and not body.get("choices"):
        raise _error_in_body(endpoint, body["error"])
    return body


def model_names(client: openai.OpenAI, endpoint: Endpoint, timeout_s: float) -> tuple[str, ...]:
    """The models that the server lists, sorted. Raises LLMError."""
    with translated(endpoint, "/models"):
        return tuple(sorted(model.id for model in client.models.list(timeout=timeout_s)))


def fault(
    endpoint: Endpoint,
    kind: ErrorKind,
    what: str,
    *,
    status: int | None = None,
    parameter: str | None = None,
    retry_after_s: float | None = None,
    path: str = "/chat/completions",
) -> LLMError:
    """An LLMError that says which model where, what, and how to mend it."""
    field = FIELD_OF_PARAMETER.get(parameter or "", "extra_body")
    mend = f"set `{field}` of the endpoint" if parameter else _MEND[kind].format(key=endpoint.api_key_env)
    message = _without_secrets(endpoint, f"{endpoint.model} at {endpoint.url}{path}: {what}; {mend}")
    return LLMError(CallFailure(kind, message, status, parameter, retry_after_s))


@contextmanager
def translated(endpoint: Endpoint, path: str = "/chat/completions") -> Iterator[None]:
    """Turn every exception of openai and of the HTTP library below it into an LLMError.

    The original is not chained: its text and its request may hold the key.
    """
    import openai

    http = _http_library(openai.DefaultHttpxClient)
    try:
        yield
    except (openai.APITimeoutError, http.TimeoutException):
        raise fault(endpoint, ErrorKind.TIMEOUT, "no answer in time", path=path) from None
    except openai.APIStatusError as error:
        raise _status_fault(endpoint, error, path) from None
    except (openai.APIConnectionError, http.HTTPError) as error:
        cause = error.__cause__ or error
        what = f"the connection failed ({type(cause).__name__}: {cause})"
        raise fault(endpoint, ErrorKind.CONNECTION, what, path=path) from None
    except (openai.OpenAIError, json.JSONDecodeError) as error:
        raise fault(endpoint, ErrorKind.BAD_REPLY, f"{type(error).__name__}: {error}", path=path) from None


def _http_library(client: type) -> Any:
    """The HTTP package below openai, found as that of its client's base class: httpx, or its successor."""
    packages = (base.__module__.partition(".")[0] for base in client.__mro__)
    return importlib.import_module(next(name for name in packages if name != "openai"))


def _read(chunks: Iterator[bytes], deadline: float | None, endpoint: Endpoint) -> bytes:
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > _LARGEST_BODY:
            raise fault(endpoint, ErrorKind.BAD_REPLY, f"the reply is larger than {_LARGEST_BODY} bytes")
        if deadline is not None and time.monotonic() > deadline:
            raise fault(endpoint, ErrorKind.TIMEOUT, f"the answer was still coming ({len(data)} bytes)")
    return bytes(data)


def _status_fault(endpoint: Endpoint, error: openai.APIStatusError, path: str) -> LLMError:
    text = f"{error.code or ''} {error.type or ''} {error.message}"
    kind = _kind(error.status_code, text)
    return fault(
        endpoint,
        kind,
        f"HTTP {error.status_code}: {_shown(endpoint, error.message)}",
        status=error.status_code,
        parameter=_refused_parameter(error.param, text) if kind is ErrorKind.BAD_REQUEST else None,
        retry_after_s=_retry_after(error.response.headers),
        path=path,
    )


def _error_in_body(endpoint: Endpoint, error: object) -> LLMError:
    """Some servers answer 200 with an error in the body; its code is then the status."""
    fields = error if isinstance(error, Mapping) else {"message": str(error)}
    code = fields.get("code")
    status = code if isinstance(code, int) and code >= 400 else 502
    text = f"{code} {fields.get('message')}"
    return fault(
        endpoint, _kind(status, text), f"error in the reply: {_shown(endpoint, text)}", status=status
    )


def _kind(status: int, text: str) -> ErrorKind:
    if status == 402 or (status == 429 and any(word in text for word in _QUOTA_WORDS)):
        return ErrorKind.QUOTA
    named = {401: ErrorKind.AUTH, 403: ErrorKind.AUTH, 404: ErrorKind.NOT_FOUND, 408: ErrorKind.TIMEOUT}
    if status in named:
        return named[status]
    if status == 429:
        return ErrorKind.RATE_LIMIT
    return ErrorKind.SERVER if status >= 500 or status == 409 else ErrorKind.BAD_REQUEST


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
            return max(float(headers["retry-after-ms"]) / 1000, 0.0)
        if "retry-after" not in headers:
            return None
        said = headers["retry-after"]
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", said):
            return float(said)
        return max(email.utils.parsedate_to_datetime(said).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def _without_secrets(endpoint: Endpoint, text: str) -> str:
    """To be called before a text is cut: of a secret that is cut in two, the half would not be found."""
    for secret in endpoint.secrets():
        text = text.replace(secret, "***")
    return text


def _shown(endpoint: Endpoint, text: str) -> str:
    text = _without_secrets(endpoint, re.sub(r"^Error code: \d+ - ", "", text))
    return text if len(text) <= 500 else f"{text[:500]}..."
