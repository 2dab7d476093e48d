"""A language model that counts what it was asked for, so that every record can say what it cost."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from agents.llm.interface import Completion, LanguageModel, Message
from experiments.records import Spent


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
        """What `model` says."""
        completions = self._model.sample(messages, k, temperature, seed)
        used = Spent(
            len(completions),
            sum(c.usage.prompt_tokens for c in completions),
            sum(c.usage.completion_tokens for c in completions),
        )
        with self._lock:
            self.spent += used
        return completions
