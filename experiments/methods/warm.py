"""Asking again: at temperature 0 what is begun anew would be the old once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.llm.interface import Completion, LanguageModel, Message
from agents.refine import Refiner
from agents.sampling import SEVERAL_TEMPERATURE


def warm(refiner: Refiner) -> Refiner:
    """`refiner` at the temperature of several samples, even where it asks for one."""
    return replace(refiner, model=_Warm(refiner.model))


@dataclass(frozen=True)
class _Warm:
    model: LanguageModel

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        return self.model.sample(messages, k, max(temperature, SEVERAL_TEMPERATURE), seed)
