"""What a domain declares, as plain data: types, constants, predicates, functions, action parameters.

A type expression is a string: a type's name, or a union in its canonical text `(either a b)` (names sorted,
each once). The root is `object`. Types are read as sets: an object declared with a union belongs to the
union, not to each of its members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, product

OBJECT = "object"
TOTAL_COST = "total-cost"
#: Words of PDDL, which cannot name anything that is declared.
RESERVED = frozenset(
    ["and", "or", "not", "imply", "forall", "exists", "when", "either", "=", "increase", "decrease", "assign"]
)
_NAME = re.compile(r"[a-z0-9_][a-z0-9_.+-]*")

#: Name and type expression of each variable, in order.
Parameters = tuple[tuple[str, str], ...]


def is_name(text: str) -> bool:
    """Whether a text could name something that is declared."""
    return text not in RESERVED and _NAME.fullmatch(text) is not None


def union_of(names: Iterable[str]) -> str:
    """The type expression for all of `names` together."""
    members = sorted(set(names))
    return members[0] if len(members) == 1 else f"(either {' '.join(members)})"


def members_of(type_expression: str) -> tuple[str, ...]:
    """The names in a type expression."""
    if not type_expression.startswith("("):
        return (type_expression,)
    return tuple(type_expression[1:-1].split()[1:])


def show_typed(entries: Iterable[tuple[str, str]]) -> str:
    """The text of a typed list, neighbours of one type together: `?r - robot ?a ?b - room`.

    If everything is an `object`, no type is written.
    """
    runs = [([n for n, _ in run], kind) for kind, run in groupby(entries, key=lambda entry: entry[1])]
    if all(kind == OBJECT for _, kind in runs):
        return " ".join(name for names, _ in runs for name in names)
    return " ".join(f"{' '.join(names)} - {kind}" for names, kind in runs)


def read_typed(words: Iterable[str]) -> Parameters:
    """The entries of a typed list, each with its type expression; `(either a b)` is one word."""
    entries: list[tuple[str, str]] = []
    names: list[str] = []
    following = iter(words)
    for word in following:
        if word != "-":
            names.append(word)
            continue
        kind = union_of(members_of(next(following, OBJECT)))
        entries += [(name, kind) for name in names]
        names = []
    return (*entries, *((name, OBJECT) for name in names))


def show_declaration(name: str, parameters: Iterable[tuple[str, str]]) -> str:
    """The text that declares a predicate or function: `(at ?b - ball ?r - room)`."""
    return f"({f'{name} {show_typed(parameters)}'.strip()})"


def read_signature(text: str) -> tuple[str, Parameters]:
    """Name and typed parameters out of `(move ?from ?to - cell)`. Raises ValueError."""
    words = text.strip().removeprefix("(").removesuffix(")").replace("(", " ").replace(")", " ").split()
    if not words or any(not name.startswith("?") for name, _ in read_typed(words[1:])):
        raise ValueError(f"not a signature: {text!r}; write it as (move ?from ?to - cell)")
    return words[0], read_typed(words[1:])


@dataclass
class Types:
    """The type hierarchy: each type's parent as a type expression, in the order of the text."""

    parents: dict[str, str] = field(default_factory=dict)
    _known: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False, compare=False)

    def is_subtype(self, child: str, parent: str) -> bool:
        """Whether every object of type expression `child` is one of type expression `parent`."""
        known = self._known.get((child, parent))
        if known is None:
            known = self._known[child, parent] = self._all_reach(members_of(child), members_of(parent))
        return known

    def overlap(self, kind: str, other: str) -> bool:
        """Whether an object may be of both type expressions."""
        names = (OBJECT, *self.parents)
        return any(self.is_subtype(name, kind) and self.is_subtype(name, other) for name in names)

    def _all_reach(self, names: tuple[str, ...], targets: tuple[str, ...]) -> bool:
        """Whether every way up from every one of `names` meets one of `targets`."""
        waiting = list(names)
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in targets or OBJECT in targets or name in seen:
                continue
            if name == OBJECT:
                return False
            seen.add(name)
            waiting.extend(members_of(self.parents.get(name, OBJECT)))
        return True

    def place_below(self, name: str, parent: str) -> None:
        """Give a type another parent."""
        self.parents[name] = parent
        self._known.clear()

    def declares(self, type_expression: str) -> bool:
        """Whether every name in a type expression is a declared type or the root."""
        return all(name == OBJECT or name in self.parents for name in members_of(type_expression))

    def on_cycles(self) -> tuple[str, ...]:
        """The types that are their own ancestors, in the order of the text."""
        return tuple(name for name in self.parents if name in self._ancestors(name))

    def _ancestors(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for above in members_of(self.parents.get(waiting.pop(), OBJECT)):
                if above not in found and above != OBJECT:
                    found.add(above)
                    waiting.append(above)
        return found


@dataclass
class Vocabulary:
    """The names that a domain declares, each with what may follow it."""

    name: str = ""
    requirements: tuple[str, ...] = ()
    types: Types = field(default_factory=Types)
    constants: dict[str, str] = field(default_factory=dict)
    predicates: dict[str, Parameters] = field(default_factory=dict)
    functions: dict[str, Parameters] = field(default_factory=dict)
    actions: dict[str, Parameters] = field(default_factory=dict)
    #: what an action adds to the total cost, of those that add something: `5` or `(length ?from ?to)`
    costs: dict[str, str] = field(default_factory=dict)

    def atoms(self, scope: Parameters) -> Iterator[tuple[str, ...]]:
        """Every well-typed atom over the variables, predicates in the order of their declaration."""
        for predicate, parameters in self.predicates.items():
            fitting = [
                [name for name, kind in scope if self.types.is_subtype(kind, wanted)]
                for _, wanted in parameters
            ]
            yield from ((predicate, *arguments) for arguments in product(*fitting))
