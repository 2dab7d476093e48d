"""How many tokens a text may have, without a tokenizer: upper estimates, replaced by what a server says.

A token is about four characters of English and three of code. One for every two bytes is more than the
tokenizers in use make of either, and of other scripts; it is an estimate and no law. Each message adds what
marks its role.
"""

from __future__ import annotations

from collections.abc import Sequence

from .interface import Completion, Message, Usage

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
