"""Inferred facts as the text of a PDDL problem."""

from __future__ import annotations

from dataclasses import dataclass

from agents.tic.infer import Facts
from agents.tic.knowledge import Knowledge


@dataclass(frozen=True)
class Compilation:
    """A problem's text in canonical form, or why there is none: exactly one of `problem` and `faults` is empty."""

    problem: str | None
    faults: tuple[str, ...] = ()  #: what does not fit the domain, in words for whoever wrote the IR
    dropped: tuple[str, ...] = ()  #: predicates and types that are neither the domain's nor a helper's


def compile_problem(facts: Facts, knowledge: Knowledge, name: str = "task") -> Compilation:
    """The PDDL problem called `name`."""
    raise NotImplementedError
