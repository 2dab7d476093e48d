"""How a model is sampled: greedily for one answer, warmer for several (Mahdavi et al. 2024, section 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from agents.llm.interface import Completion, Finish, LanguageModel, Message

SEVERAL_TEMPERATURE = 0.7

#: Why a completion that did not end by itself is no answer. It says nothing about the model's PDDL.
_NO_ANSWER = {
    Finish.LENGTH: "the answer was cut off at the token limit",
    Finish.REFUSAL: "the language model refused to answer",
    Finish.FILTER: "the answer was withheld by the server's content filter",
    Finish.EMPTY: "the answer was empty",
    Finish.CONTEXT: "the conversation is longer than the language model's context",
    Finish.REJECTED: "the server refused the request",
}


def resample(model: LanguageModel, messages: Sequence[Message], seed: int) -> Completion:
    """Another answer to a request that was answered: at 0.7, as 0 would give the same again."""
    (completion,) = model.sample(messages, 1, SEVERAL_TEMPERATURE, seed)
    return completion


def sample(model: LanguageModel, messages: Sequence[Message], n: int, seed: int) -> tuple[Completion, ...]:
    """`n` completions: temperature 0 if n is 1, else 0.7. Raises what the model raises."""
    return model.sample(messages, n, 0.0 if n == 1 else SEVERAL_TEMPERATURE, seed)


def derived_seed(seed: int, *labels: int | str) -> int:
    """A 31-bit seed for a follow-up request; equal in every process, unlike that of any other labels."""
    text = ":".join(map(str, (seed, *labels)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def why_unanswered(completion: Completion) -> str | None:
    """Why the completion is no whole answer; None if it is one."""
    return _NO_ANSWER.get(completion.finish)


def as_reply(completion: Completion) -> Message:
    """The completion as a turn of the conversation; servers refuse empty turns, so one says so in words."""
    return Message("assistant", completion.text.strip() or "(no answer)")
