"""What is known of a domain before a task's text is read, as plain data handed in from outside.

Names of PDDL become constants of ASP, and back without loss (`NameTable`). A name that is a constant already
stands for itself. Any other becomes one: in lower case, with `_` for what a constant may not hold, `x` before
a digit, and a number behind it where two names would become one constant. Types, predicates and objects share
one table, since a name means the same wherever it stands.

A program also has constants, numbers and terms, such as `tile(1,2)`, that no name was given for;
`with_symbols` gives each of them a name of PDDL that nothing else has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.vocabulary import OBJECT, RESERVED, Vocabulary

_CONSTANT = re.compile(r"_*[a-z][A-Za-z0-9_]*", re.ASCII)
#: Words that mean something else where a constant would stand: a keyword, and the schema's pairing of types.
_RESERVED = frozenset({"not", "map"})


@dataclass(frozen=True)
class NameTable:
    """Which constant stands for which name. Picklable."""

    constants: Mapping[str, str]  #: name → constant, or another term's text; none twice

    @classmethod
    def of(cls, names: Iterable[str]) -> NameTable:
        """The table of some names: the same whatever their order."""
        given = sorted(set(names))
        constants = {name: name for name in given if _is_constant(name)}
        taken = set(constants)
        for name in given:
            if name not in constants:
                constants[name] = _free(constant_of(name), taken)
                taken.add(constants[name])
        return cls(constants)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {symbol: name for name, symbol in self.constants.items()}

    def asp(self, name: str) -> str:
        """The constant that stands for a name; for one that is not in the table, what it would be alone."""
        return self.constants.get(name) or constant_of(name)

    def pddl(self, symbol: str) -> str:
        """The name that a symbol stands for; for one that is not in the table, what it would be alone."""
        return self._names.get(symbol) or name_of(symbol)

    def knows(self, symbol: str) -> bool:
        """Whether a name was given that the symbol stands for."""
        return symbol in self._names

    def with_symbols(self, symbols: Iterable[str]) -> NameTable:
        """This table with a name for each of `symbols`, whatever their order; known ones keep theirs."""
        names = dict(self.constants)
        for symbol in sorted(set(symbols), key=lambda s: (name_of(s) != s, s)):
            if not self.knows(symbol):
                names[_free(name_of(symbol), names)] = symbol
        return NameTable(names)


def constant_of(name: str) -> str:
    """The constant that a name becomes if no other name needs it."""
    if _is_constant(name):
        return name
    text = re.sub(r"[^a-z0-9_]", "_", name.lower().strip("()"))
    if text in _RESERVED:
        return f"{text}_"
    return text if _CONSTANT.fullmatch(text) else f"x{text}"


def name_of(symbol: str) -> str:
    """The PDDL name that a symbol, in clingo's words, becomes if no other symbol needs it."""
    text = re.sub(r"[^a-z0-9_-]+", "_", symbol.lower()).strip("_-")
    return text if text[:1].isalpha() and text not in RESERVED else f"x{text}"


def _is_constant(name: str) -> bool:
    return _CONSTANT.fullmatch(name) is not None and name not in _RESERVED


def _free(name: str, taken: Collection[str]) -> str:
    """The name, with the least number behind it that makes it new if it is taken."""
    if name not in taken:
        return name
    return next(new for number in count(2) if (new := f"{name}_{number}") not in taken)


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
