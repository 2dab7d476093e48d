"""A language model that counts what it was asked for, so that every record can say what it cost.

What counts is what the asking takes by itself, whoever asked before: methods share calls through the journal,
and one that finds some samples of a request there asks for the others in a second one, with a prompt of its
own. Were that counted, a method's cost, and what a budget of tokens buys, would depend on who came first.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from agents.llm.interface import Completion, LanguageModel, Message
from experiments.runs.records import Spent


class Meter:
    """Hands everything on to `model` and counts. Thread-safe.

    An answer from the journal counts like a new one, so that a resumed run records the same numbers.
    """

    def __init__(self, model: LanguageModel):
        self._model = model
        self._lock = threading.Lock()
        self.spent = Spent()

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """What `model` says, each completion with the usage that it has if all are asked for at once."""
        completions = as_one_request(self._model.sample(messages, k, temperature, seed))
        used = Spent(
            len(completions),
            sum(c.usage.prompt_tokens for c in completions),
            sum(c.usage.completion_tokens for c in completions),
        )
        with self._lock:
            self.spent += used
        return completions


def as_one_request(completions: Sequence[Completion]) -> tuple[Completion, ...]:
    """The samples of a request with its prompt counted on the first alone.

    They stay as they are where each has a prompt of its own: that server makes one sample of a request.
    """
    if all(c.usage.prompt_tokens for c in completions):
        return tuple(completions)
    first, *others = completions
    return (first, *(replace(c, usage=replace(c.usage, prompt_tokens=0)) for c in others))
