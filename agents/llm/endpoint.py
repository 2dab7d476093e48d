"""Settings of one OpenAI-compatible endpoint, and the request parameters that follow from them.

Parameters are data: what a server does not take is switched off here, and an error about a refused parameter
names the field. Secrets are never values of these fields: they are names of environment variables, so the
settings may be written to any file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from .errors import ErrorKind, failed
from .interface import Message
from .keys import Profile, wire_seed

OPENAI_URL = "https://api.openai.com/v1"

#: Beginnings of model names whose API takes no `temperature` but the default.
_FIXED_TEMPERATURE = ("o1", "o3", "o4", "gpt-5")

#: Which field of Endpoint governs a request parameter.
FIELD_OF_PARAMETER: Mapping[str, str] = {
    "max_tokens": "max_tokens_parameter",
    "max_completion_tokens": "max_tokens_parameter",
    "temperature": "omit_temperature",
    "seed": "omit_seed",
    "n": "use_n",
}

#: The longest completion where no setting says otherwise, in tokens.
DEFAULT_MAX_TOKENS = 4096

_SECRET_HEADER = re.compile(r"authorization|api-?key|token|secret", re.IGNORECASE)


@dataclass(frozen=True)
class Endpoint:
    """Where and how a model is asked. Raises LLMError(config) if the settings cannot work."""

    model: str
    base_url: str | None = None  #: None is OpenAI's own; OPENAI_BASE_URL goes before that
    label: str | None = None  #: stands for the URL in call keys, so that a recording survives a moved server
    api_key_env: str = "OPENAI_API_KEY"  #: the variable that holds the key; may be unset if base_url is given
    timeout_s: float | None = 180.0  #: for one request
    total_s: float | None = 900.0  #: from a request's first failure to its last attempt; None for no limit
    backoff_s: float = 1.0  #: first wait; doubles with every retry
    max_wait_s: float = 60.0  #: longest wait of our own choice; a server may ask for more
    max_tokens: int | None = DEFAULT_MAX_TOKENS  #: of one completion
    max_tokens_parameter: Literal["max_tokens", "max_completion_tokens"] | None = None  #: None: by the server
    omit_temperature: bool | None = None  #: None: by the model's name
    omit_seed: bool = False
    use_n: bool = True  #: ask for several samples in one request
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    extra_headers: Mapping[str, str] = field(default_factory=dict)  #: `$NAME` is that environment variable
    verify: bool | str = True  #: TLS certificates: check, do not, or the path of a CA file
    concurrency: int = 8  #: requests in flight at once, in one process
    fan_out: int = 4  #: single requests in flight at once for one call, where `n` is not to be had
    on_truncated_prompt: Literal["fail", "accept"] = "fail"

    def __post_init__(self) -> None:
        wrong = next(self._wrong(), None)
        if wrong is not None:
            raise failed(ErrorKind.CONFIG, wrong)

    def _wrong(self) -> Iterator[str]:
        """What cannot work, in words."""
        if not self.model:
            yield "model is empty; name the model to ask"
        if min(self.concurrency, self.fan_out) < 1:
            yield f"concurrency {self.concurrency} and fan_out {self.fan_out} must be 1 or more"
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            yield f"base_url {self.base_url!r} is no URL; write it like http://localhost:8000/v1"
        if parts.username or parts.password:
            yield "base_url holds a user name or password; put the key into an environment variable"
        for name, value in self.extra_headers.items():
            if _SECRET_HEADER.search(name) and not value.startswith("$"):
                yield f"extra_headers[{name!r}] looks like a secret; write $NAME_OF_A_VARIABLE instead"

    @property
    def url(self) -> str:
        """The base URL: without a trailing slash, `/v1` added where there is no path."""
        url = (self.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).strip().rstrip("/")
        url = url.removesuffix("/chat/completions")
        return url if urlsplit(url).path else f"{url}/v1"

    @property
    def profile(self) -> Profile:
        """What all requests to this endpoint share, for their keys."""
        parameters = {"omit_seed": True} if self.omit_seed else {}
        parameters |= self._constant(self.extra_headers)
        return Profile(self.label or self.url, self.model, parameters, self._sends_temperature)

    def arguments(self, messages: Sequence[Message], temperature: float, seed: int, n: int) -> dict[str, Any]:
        """The arguments of one chat completion call, as openai names them."""
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
        }
        if n > 1:
            arguments["n"] = n
        if self._sends_temperature:
            arguments["temperature"] = temperature
        if not self.omit_seed:
            arguments["seed"] = wire_seed(seed)
        return arguments | self._constant({k: _resolved(v) for k, v in self.extra_headers.items()})

    def _constant(self, headers: Mapping[str, str]) -> dict[str, Any]:
        """The parameters that are the same in every call; empty ones are left out."""
        default = "max_completion_tokens" if self.url == OPENAI_URL else "max_tokens"
        parameters = {
            self.max_tokens_parameter or default: self.max_tokens,
            "extra_body": dict(self.extra_body) or None,
            "extra_headers": dict(headers) or None,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    def api_key(self) -> str:
        """The key from the environment; without one, a dummy for any server but OpenAI's own.

        Raises LLMError(auth).
        """
        key = os.environ.get(self.api_key_env, "").strip()
        if key:
            return key
        if self.url != OPENAI_URL:
            return "not-needed"
        raise failed(
            ErrorKind.AUTH,
            f"no API key for {self.url}: set the environment variable {self.api_key_env}, "
            "or give the base URL of a server that needs none",
        )

    def secrets(self) -> tuple[str, ...]:
        """Every secret that requests to this endpoint carry, to be kept out of messages."""
        values = [os.environ.get(self.api_key_env, "").strip()]
        values += [_resolved(v) for v in self.extra_headers.values() if v.startswith("$")]
        return tuple(value for value in values if value)

    @property
    def _sends_temperature(self) -> bool:
        if self.omit_temperature is not None:
            return not self.omit_temperature
        return not self.model.rpartition("/")[2].startswith(_FIXED_TEMPERATURE)


def _resolved(value: str) -> str:
    """A header's value, read from the environment if it begins with a dollar sign."""
    if not value.startswith("$"):
        return value
    if not os.environ.get(value[1:]):
        what = f"extra_headers name the environment variable {value[1:]}, which is not set"
        raise failed(ErrorKind.AUTH, what)
    return os.environ[value[1:]].strip()
