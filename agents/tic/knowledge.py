"""What is known of a domain before a task's text is read, as plain data handed in from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from agents.tic.names import NameTable
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.vocabulary import OBJECT, Vocabulary


@dataclass(frozen=True)
class Knowledge:
    """A domain, its rules, its names in words, and one example. Picklable.

    Whoever has read more, such as the names of a task's objects, makes a copy with `dataclasses.replace`.
    """

    domain: str  #: PDDL text
    rules: str = ""  #: ASP text: what the domain's meaning adds to what a task's text states
    types: Mapping[str, str] = field(default_factory=dict)  #: type, PDDL name → what it is
    predicates: Mapping[str, str] = field(default_factory=dict)  #: predicate, PDDL name → what it means
    #: helper predicate of the rules, as in `tile_grid(R, C, T)` → what it means; an IR may state it in `init`
    helpers: Mapping[str, str] = field(default_factory=dict)
    example_task: str = ""  #: a task's text
    example_ir: str = ""  #: its IR
    example_problem: str = ""  #: its PDDL
    objects: tuple[str, ...] = ()  #: names of the task's objects, where they are known

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What the domain declares. Raises PDDLError."""
        return read_vocabulary(self.domain)

    @cached_property
    def names(self) -> NameTable:
        """The constants of the domain's types, unions, predicates and constants, and of the objects."""
        declared = self.vocabulary
        return NameTable.of(
            [*type_expressions(declared), *declared.predicates, *declared.constants, *self.objects]
        )


def type_expressions(declared: Vocabulary) -> tuple[str, ...]:
    """All types of a domain, the root, and the unions that are used as types, in the order of the text."""
    parameters = [kind for ps in declared.predicates.values() for _, kind in ps]
    parents = declared.types.parents
    named = [OBJECT, *parents, *parents.values(), *declared.constants.values(), *parameters]
    return tuple(dict.fromkeys(named))
