"""The contract of a language model: messages in, exactly k completions out, or an error of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


class Finish(StrEnum):
    """How a completion ended. Only STOP is a whole answer."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    FILTER = "content_filter"
    EMPTY = "empty"
    CONTEXT = "context_length"  #: the server refused the request: it does not fit the model's context
    REJECTED = "rejected"  #: the server refused this request, and answers others


@dataclass(frozen=True)
class Usage:
    """Tokens of one completion: its own share of the prompt's and its completion's."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        prompt = self.prompt_tokens + other.prompt_tokens
        return Usage(prompt, self.completion_tokens + other.completion_tokens)


@dataclass(frozen=True)
class Completion:
    """One answer, with all that the server said about it."""

    text: str  #: without reasoning text
    finish: Finish = Finish.STOP
    usage: Usage = Usage()
    model: str = ""  #: as echoed by the server
    reasoning: str = ""  #: `<think>` text or the server's reasoning field, split off
    fingerprint: str = ""  #: the server's system_fingerprint
    latency_s: float = 0.0
    retries: int = 0  #: of its request, counted on the request's first completion like the prompt's tokens
    truncated_prompt: bool = False  #: the server seems to have cut the prompt (only where that is allowed)
    note: str = ""  #: what the server said when it refused the request; empty for an answer

    @property
    def whole(self) -> bool:
        """Whether the model ended of its own accord, on the prompt it was given."""
        return self.finish is Finish.STOP and not self.truncated_prompt

    @property
    def unanswered(self) -> bool:
        """Whether it holds no whole answer, however the prompt was read."""
        return self.finish is not Finish.STOP

    @property
    def may_differ(self) -> bool:
        """Whether a fresh sample of the same request may bring an answer: this one is empty or withheld."""
        return self.finish in (Finish.EMPTY, Finish.REFUSAL, Finish.FILTER) and not self.note


#: The turns of a conversation.
Turns = Sequence[Message]
#: Completions by sample index, those of one reply together, in the order of arrival.
Arrivals = Iterator[Mapping[int, Completion]]


class LanguageModel(Protocol):
    """Anything that completes conversations."""

    def sample(self, messages: Turns, k: int, temperature: float, seed: int) -> tuple[Completion, ...]:
        """Exactly `k` completions, in sample order, or an LLMError. Thread-safe.

        `seed` is the caller's for this request (unique per node); sample i must not be a copy of sample 0.
        """
        ...


class DescribedModel(LanguageModel, Protocol):
    """A language model that can say what it would send, so that its calls can be recorded and replayed.

    A class that inherits from this needs no `sample` and no `stream` of its own.
    """

    def sample(self, messages: Turns, k: int, temperature: float, seed: int) -> tuple[Completion, ...]:
        """The stream of samples 0 to k - 1, whole."""
        return tuple(self.stream(messages, range(k), temperature, seed))

    def request(self, messages: Turns, temperature: float, seed: int) -> Mapping[str, Any]:
        """Everything that decides the answers to this request, as JSON (see `keys.py`). Sends nothing."""
        ...

    def stream(
        self, messages: Turns, samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Completion]:
        """The completions with these sample indices, in this order, each when it and all before it are there.

        Raises LLMError at the first that fails.
        """
        return in_order(samples, self.arrivals(messages, samples, temperature, seed))

    def arrivals(self, messages: Turns, samples: Sequence[int], temperature: float, seed: int) -> Arrivals:
        """The completions with these sample indices, those of one reply together, in the order of arrival.

        If any fails, LLMError is raised for the first of those, and only after all that arrive: a caller that
        draws this to its end gets every completion that was paid for.
        """
        ...


def in_order(samples: Sequence[int], arrivals: Arrivals) -> Iterator[Completion]:
    """The completions of `samples`, in that order, each as soon as it and all before it have arrived."""
    early: dict[int, Completion] = {}
    for index in samples:
        while index not in early:
            reply = next(arrivals, None)
            if reply is None:
                raise RuntimeError(f"the model gave no completion for sample {index} and raised no error")
            early |= reply
        yield early.pop(index)


#: How many tokens a text may have, without a tokenizer. A token is about four characters of English and
#: three of code. One for every two bytes is more than the tokenizers in use make of either, and of other
#: scripts; it is an estimate and no law. Each message adds what marks its role.
_BYTES_PER_TOKEN = 2
_TOKENS_PER_MESSAGE = 16


def most_tokens(text: str) -> int:
    """At most so many tokens."""
    return -(-len(text.encode("utf-8")) // _BYTES_PER_TOKEN)


def most_prompt_tokens(messages: Sequence[Message]) -> int:
    """At most so many tokens of a prompt."""
    return sum(most_tokens(m.content) + _TOKENS_PER_MESSAGE for m in messages)


def charged(completion: Completion, prompt_tokens: int) -> Usage:
    """What a completion counts for: what the server said, or our estimate where it said nothing.

    `prompt_tokens` is our estimate of its prompt.
    """
    if completion.usage != Usage() or not (completion.text or completion.reasoning):
        return completion.usage
    return Usage(prompt_tokens, most_tokens(completion.text + completion.reasoning))
