"""A deterministic stand-in for a language model: replies come from a list or a function.

A list is used up in the order of the calls, so it suits conversations of one thread; a function of
(messages, sample index, seed) answers the same whatever the order, so it suits parallel runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from .errors import ErrorKind, failed
from .interface import Arrivals, Completion, DescribedModel, Message, Turns
from .keys import Profile

#: (messages, sample index, seed) -> the reply's text, or a whole completion.
ReplyFunction = Callable[[Sequence[Message], int, int], "str | Completion"]


class ScriptedModel(DescribedModel):
    """A LanguageModel with given replies.

    `requests` counts the calls of `sample`, `stream` and `arrivals`. A list that has run out raises
    LLMError(replay_miss).
    """

    def __init__(
        self, replies: Sequence[str | Completion] | ReplyFunction, profile: Profile | None = None
    ) -> None:
        self._replies = replies
        self._profile = profile or Profile("scripted", "scripted")
        self._used = 0
        self._lock = threading.Lock()
        self.requests = 0

    def request(self, messages: Turns, temperature: float, seed: int) -> dict[str, Any]:
        """The canonical request under this model's profile."""
        return self._profile.request(messages, temperature, seed)

    def arrivals(self, messages: Turns, samples: Sequence[int], temperature: float, seed: int) -> Arrivals:
        """The replies for these sample indices, one at a time."""
        with self._lock:
            self.requests += 1
        for index in samples:
            reply = self._next(messages, index, seed)
            if not isinstance(reply, Completion):
                reply = Completion(reply, model=self._profile.model)
            yield {index: reply}

    def _next(self, messages: Sequence[Message], index: int, seed: int) -> str | Completion:
        if callable(self._replies):
            return self._replies(messages, index, seed)
        with self._lock:
            place, self._used = self._used, self._used + 1
        if place >= len(self._replies):
            raise failed(
                ErrorKind.REPLAY_MISS,
                f"the script has {len(self._replies)} replies and reply number {place + 1} was asked for; "
                "add replies, or pass a function",
            )
        return self._replies[place]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
