"""What is known of a domain before a task's text is read, as plain data handed in from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.tic.names import NameTable
from envs.pddl.vocabulary import Vocabulary


@dataclass(frozen=True)
class Knowledge:
    """A domain, its rules, its names in words, and one example. Picklable."""

    domain: str  #: PDDL text
    rules: str = ""  #: ASP text: what the domain's meaning adds to what a task's text states
    types: Mapping[str, str] = field(default_factory=dict)  #: type, PDDL name → what it is
    predicates: Mapping[str, str] = field(default_factory=dict)  #: predicate, PDDL name → what it means
    #: helper predicate of the rules, as in `tile_grid(R, C, T)` → what it means; an IR may state it in `init`
    helpers: Mapping[str, str] = field(default_factory=dict)
    example_task: str = ""  #: a task's text
    example_ir: str = ""  #: its IR
    example_problem: str = ""  #: its PDDL

    @property
    def vocabulary(self) -> Vocabulary:
        """What the domain declares. Raises PDDLError."""
        raise NotImplementedError

    @property
    def names(self) -> NameTable:
        """The constants of the domain's types, predicates and constants."""
        raise NotImplementedError
