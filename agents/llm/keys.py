"""What a call *is*: its canonical request, the key of each of its samples, and the samples' seeds.

A request is a JSON object. Its constant part, the profile, names the endpoint, the model and every extra
parameter; the rest are messages, temperature and the caller's seed. A call's key is the SHA-256 of the
canonical JSON of the request, the sample's index and the version of this scheme, so any changed field is
another call. The number of samples asked for is not part of it: a call recorded as one of three serves a
request for two.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .interface import Message

KEY_VERSION = 1

#: Seeds are sent as 31-bit numbers: some servers keep no more.
_SEED_SPACE = 2**31


@dataclass(frozen=True)
class Profile:
    """The part of a request that all calls of one model share."""

    endpoint: str  #: URL, or a label that stands for it
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)  #: all else that is sent, by its wire name
    sends_temperature: bool = True

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> dict[str, Any]:
        """The canonical request. A temperature that is not sent is None; the seed always counts."""
        return {
            "endpoint": self.endpoint,
            "model": self.model,
            "parameters": dict(self.parameters),
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "temperature": float(temperature) if self.sends_temperature else None,
            "seed": wire_seed(seed),
        }

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Profile:
        """The profile that a canonical request was made with."""
        return cls(
            request["endpoint"], request["model"], request["parameters"], request["temperature"] is not None
        )


def canonical(value: object) -> str:
    """ASCII JSON with sorted keys and no spare blanks: equal values give equal text in every process."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, hexadecimal."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def call_key(request: Mapping[str, Any], sample: int) -> str:
    """The key of one sample of a request."""
    return digest({"version": KEY_VERSION, "request": request, "sample": sample})


def conversation_key(messages: Sequence[Mapping[str, Any]], temperature: float | None) -> str:
    """The key of a conversation, for any model: messages as role and content, and the temperature."""
    turns = [[m["role"], m["content"]] for m in messages]
    return digest([turns, None if temperature is None else float(temperature)])


def wire_seed(seed: int) -> int:
    """The caller's seed as it is sent."""
    return seed % _SEED_SPACE


def sample_seed(seed: int, index: int) -> int:
    """The seed of sample `index` when it is asked for alone; that of sample 0 is the request's own."""
    return _derived(seed, f"{index}") if index else wire_seed(seed)


def fresh_seed(seed: int, attempt: int) -> int:
    """The seed of a request that is sent anew for its samples; that of attempt 0 is the request's own."""
    return _derived(seed, f"fresh/{attempt}") if attempt else wire_seed(seed)


def _derived(seed: int, path: str) -> int:
    text = f"{wire_seed(seed)}/{path}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") % _SEED_SPACE


def parameters_key(request: Mapping[str, Any]) -> str:
    """The key of all that a canonical request asks with: everything but its messages and its seed."""
    return digest({name: value for name, value in request.items() if name not in ("messages", "seed")})
