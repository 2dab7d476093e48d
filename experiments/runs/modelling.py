"""How a model is written action by action, where it is not the usual way: part of what results depend on."""

from __future__ import annotations

from dataclasses import dataclass

from agents.worldmodel.check import STRIPS_ONLY
from agents.worldmodel.construct import Settings


@dataclass(frozen=True)
class Modelling:
    """Whose the parameters are, and what conditions and effects may use."""

    free_parameters: bool = False  #: the language model chooses each action's parameters
    strips_only: bool = False  #: no disjunctions, quantifiers and conditional effects

    @property
    def settings(self) -> Settings:
        """Of the dialogues about actions."""
        return Settings(forbidden=STRIPS_ONLY) if self.strips_only else Settings()

    def __str__(self) -> str:
        flags = {"--free-parameters": self.free_parameters, "--strips-only": self.strips_only}
        return " ".join(flag for flag, given in flags.items() if given)
