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

from collections.abc import Collection
from string import Formatter
from typing import Any

import msgspec

IMPLIED = "implied.json"
#: A predicate and its arguments: a variable `?c`, `?` for anything, or a name.
Pattern = tuple[str, ...]


class _Fact(Pattern):
    """A pattern as it is written: a text."""


class _Condition(_Fact):
    """Likewise, which may look at the goal instead: the word `goal` stands before it."""


class ImpliedRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact, or a literal of the goal, that follows from others. See the module."""

    fact: _Fact
    when: tuple[_Condition, ...] = ()
    unless: tuple[_Condition, ...] = ()
    unless_other: str = ""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Objects of a type in a row. See the module."""

    type: str
    first: str  #: the name of the first object; the others count on from its number
    fact: _Fact
    every_pair: bool = False
    text: str = ""
    helper: str = ""  #: takes the number of objects less one

    def __post_init__(self) -> None:
        _check_slots(self.text, ("top",))


class Grid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Objects of a type in rows and columns. See the module."""

    type: str
    helper: str  #: takes row, column and object
    text: str
    above: tuple[_Fact, ...] = ()
    right: tuple[_Fact, ...] = ()
    within: str = ""  #: the predicate that gives the place of an object

    def __post_init__(self) -> None:
        _check_slots(self.text, ("rows", "columns", "place"))


class Helper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A helper predicate that is stated in place of facts. See the module."""

    helper: _Fact
    source: tuple[_Fact, ...] = msgspec.field(name="from")
    text: str

    def __post_init__(self) -> None:
        _check_slots(self.text, [str(place) for place in range(len(self.helper) - 1)])


class Implied(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that a text of a world may leave out. See the module."""

    facts: tuple[ImpliedRule, ...] = ()
    goals: tuple[ImpliedRule, ...] = ()
    symmetric: tuple[str, ...] = ()
    transitive: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    grids: tuple[Grid, ...] = ()
    helpers: tuple[Helper, ...] = ()
    conventions: tuple[str, ...] = ()


def read_implied(text: str) -> Implied:
    """What is declared in the text of an `implied.json`. Raises ValueError that says what is wrong, where."""
    try:
        return msgspec.json.decode(text, type=Implied, dec_hook=_pattern)
    except msgspec.ValidationError as fault:
        raise ValueError(f"{IMPLIED}: {fault}; the module {__name__} shows the form") from None
    except msgspec.DecodeError as fault:
        raise ValueError(f"{IMPLIED} is not JSON: {fault}") from None


def _pattern(kind: type[Any], text: object) -> Any:
    if not isinstance(text, str):
        raise TypeError(f"Expected a text such as `at ?ball ?room`, got {text!r}")
    pattern = kind(text.split())
    if pattern in ((), ("goal",)):
        raise ValueError(f"{text!r} names no predicate")
    if pattern[0] == "goal" and kind is _Fact:
        raise ValueError(f"{text!r} cannot look at the goal; leave out the word `goal`")
    return pattern


def _check_slots(text: str, slots: Collection[str]) -> None:
    """Refuses a text with a slot that nothing fills."""
    try:
        used = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as fault:
        raise ValueError(f"the text {text!r} has a wrong slot: {fault}") from None
    if wrong := [name for name in used if name not in slots]:
        may = ", ".join(f"{{{slot}}}" for slot in slots)
        raise ValueError(f"the text has {{{wrong[0]}}}; it may hold {may or 'no slot'}")
