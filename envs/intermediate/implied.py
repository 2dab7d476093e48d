"""What a text may leave out, as the rules of its world give it back: `implied.json` beside `rules.lp`.

    {"facts": [{"fact": "empty ?c", "unless": ["contains ?c ?"]},
               {"fact": "in ?c ?p", "when": ["on ?c ?a", "in ?a ?p"]},
               {"fact": "level ?s ?l", "when": ["next ?l ?"], "unless": ["next ? ?l"], "unless_other": "?l"}],
     "goals": [{"fact": "height ?p ?h", "when": ["succ ? ?h"], "unless_other": "?h"}],
     "symmetric": ["connected"], "transitive": ["above"],
     "orders": [{"type": "level", "first": "l0", "fact": "next ?a ?b"}],
     "grids": [{"type": "tile", "helper": "tile_grid", "above": ["up ?a ?b"], "right": ["right ?a ?b"],
                "text": "The tiles lie in {rows} rows and {columns} columns, the bottom row first:"}],
     "helpers": [{"helper": "has_gripper ?r ?g", "from": ["free ?r ?g"], "text": "{1} belongs to {0}"}],
     "conventions": ["Unless said otherwise, containers are empty."]}

`?` stands for anything, `?c` for one thing wherever it stands. A fact follows where all of `when` is true,
nothing of `unless`, and, with `unless_other`, not the same fact with something else in that place; `goal`
before a pattern looks at the goal instead. An order leaves out facts about objects that are named in a row,
of which a text then gives the number alone: of neighbours, or of every pair with `"every_pair": true`. Its
`text` (with `{top}`, the number less one) replaces the number, and `helper` is what states that. A grid
stands for facts about cells next to each other, read off the names of objects; with `within`, each place has
one. What a helper predicate of the rules states in place of facts is drawn `from` these. Conventions are what
a person would say once for all. Everything may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from string import Formatter
from typing import Any, TypeVar

IMPLIED = "implied.json"
#: A predicate and its arguments: a variable `?c`, `?` for anything, or a name.
Pattern = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Rule:
    """A fact, or a literal of the goal, that follows from others. See the module."""

    fact: Pattern
    when: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    unless_other: str = ""


@dataclass(frozen=True)
class Order:
    """Objects of a type in a row. See the module."""

    type: str
    first: str  #: the name of the first object; the others count on from its number
    fact: Pattern
    every_pair: bool = False
    text: str = ""
    helper: str = ""  #: takes the number of objects less one


@dataclass(frozen=True)
class Grid:
    """Objects of a type in rows and columns. See the module."""

    type: str
    helper: str  #: takes row, column and object
    text: str
    above: tuple[Pattern, ...] = ()
    right: tuple[Pattern, ...] = ()
    within: str = ""  #: the predicate that gives the place of an object


@dataclass(frozen=True)
class Helper:
    """A helper predicate that is stated in place of facts. See the module."""

    helper: Pattern
    source: tuple[Pattern, ...]
    text: str


@dataclass(frozen=True)
class Implied:
    """Everything that a text of a world may leave out. See the module."""

    facts: tuple[Rule, ...] = ()
    goals: tuple[Rule, ...] = ()
    symmetric: tuple[str, ...] = ()
    transitive: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    grids: tuple[Grid, ...] = ()
    helpers: tuple[Helper, ...] = ()
    conventions: tuple[str, ...] = ()


_PARTS: Mapping[str, type[Any]] = {
    **{"facts": Rule, "goals": Rule, "orders": Order, "grids": Grid, "helpers": Helper}
}


def read_implied(text: str) -> Implied:
    """What is declared in the text of an `implied.json`. Raises ValueError that says what is wrong."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError as fault:
        raise ValueError(f"{IMPLIED} is not JSON: {fault}") from None
    known = [field.name for field in fields(Implied)]
    if not isinstance(read, dict) or (extra := sorted(read.keys() - set(known))):
        what = f"has {', '.join(map(repr, extra))}" if isinstance(read, dict) else "is no object"
        raise ValueError(f"{IMPLIED} {what}; it may hold {', '.join(known)}")
    return Implied(**{name: tuple(_entries(name, read[name])) for name in known if name in read})


def _entries(name: str, entries: object) -> list[Any]:
    if not isinstance(entries, list):
        raise ValueError(f"{IMPLIED}, {name!r} must be a list")
    if name in _PARTS:
        return [_part(f"{IMPLIED}, {name} {place}", _PARTS[name], e) for place, e in enumerate(entries, 1)]
    if not all(isinstance(entry, str) for entry in entries):
        raise ValueError(f"{IMPLIED}, {name!r} must hold texts")
    return entries


def _part(where: str, kind: type[T], entry: object) -> T:
    """One entry of a list."""
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be an object")
    given = {"source" if key == "from" else key: value for key, value in entry.items()}
    wanted = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    if extra := sorted(given.keys() - wanted.keys()):
        raise ValueError(f"{where} has {', '.join(map(repr, extra))}; it may hold {', '.join(wanted)}")
    for key, value in given.items():
        listed = wanted[key] == "tuple[Pattern, ...]"
        items = value if isinstance(value, list) and listed else [value]
        if isinstance(value, list) != listed or not all(
            isinstance(i, bool if key == "every_pair" else str) for i in items
        ):
            raise ValueError(f"{where}: {key!r} has a wrong value: {value!r}")
        if listed:
            given[key] = tuple(_pattern(where, key, item) for item in value)
        elif wanted[key] == "Pattern":
            given[key] = _pattern(where, key, value)
    try:
        part = kind(**given)
    except TypeError as fault:
        raise ValueError(f"{where} is not complete: {fault}") from None
    _check_slots(where, part)
    return part


def _pattern(where: str, key: str, text: str) -> Pattern:
    pattern = tuple(text.split())
    if pattern in ((), ("goal",)):
        raise ValueError(f"{where}: {key!r} names no predicate: {text!r}")
    if pattern[0] == "goal" and key not in ("when", "unless"):
        raise ValueError(f"{where}: {key!r} cannot look at the goal: {text!r}; leave out the word `goal`")
    return pattern


def _check_slots(where: str, part: object) -> None:
    """Refuses a text with a slot that nothing fills."""
    match part:
        case Order():
            text, slots = part.text, ["top"]
        case Grid():
            text, slots = part.text, ["rows", "columns", "place"]
        case Helper():
            text, slots = part.text, [str(place) for place in range(len(part.helper) - 1)]
        case _:
            return
    try:
        used: Collection[str] = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as fault:
        raise ValueError(f"{where}: 'text' {text!r} has a wrong slot: {fault}") from None
    if wrong := [name for name in used if name not in slots]:
        may = ", ".join(f"{{{slot}}}" for slot in slots)
        raise ValueError(f"{where}: 'text' has {{{wrong[0]}}}; it may hold {may or 'no slot'}")
