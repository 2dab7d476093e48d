"""Names of PDDL as constants of ASP, and back without loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class NameTable:
    """Which constant stands for which name."""

    constants: Mapping[str, str]  #: name → constant, no constant twice

    @classmethod
    def of(cls, names: Iterable[str]) -> NameTable:
        """The table of some names: the same whatever their order."""
        raise NotImplementedError

    def asp(self, name: str) -> str:
        """The constant that stands for a name; for a name that is not in the table, what it would be alone."""
        raise NotImplementedError

    def pddl(self, symbol: str) -> str:
        """The name that a constant stands for; for one that is not in the table, a PDDL name made of it."""
        raise NotImplementedError
