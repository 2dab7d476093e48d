"""The words of a world: how its types, predicates and actions are called in sentences.

`words.json` beside a `domain.pddl` reads

    {"about": "one sentence on what the world is about",
     "types": {"room": {"one": "room", "many": "rooms", "about": "a place that robots and balls can be in"}},
     "predicates": {"at": {"positive": "{0} lies in {1}", "negative": "{0} does not lie in {1}",
                           "many": "{0} lie in {1}", "none": "no ball lies in any room",
                           "narrative": ["you find {0} in {1}"]}},
     "actions": {"move": "a robot goes from one room to another"}}

`{0}`, `{1}`, … stand for the arguments of an atom. `many` is the plural for several objects in slot 0, `none`
says that no atom of the predicate holds, and `narrative` holds paraphrases. Everything may be missing: a type
without words is called by its name, and the facts of a predicate without words are written as PDDL,
`(at ball1 room2)`. Whether words are complete and can be read back is judged by
`envs.verbalisation.check`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.prose import listed as listed
from envs.pddl.language.vocabulary import OBJECT

T = TypeVar("T")
SLOT = re.compile(r"\{(\d+)\}")


class TypeWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A type's noun, its plural, and what it is."""

    one: str
    many: str
    about: str = ""


class PredicateWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A predicate's templates. See the module."""

    positive: str
    negative: str
    many: str | None = None
    none: str | None = None
    narrative: tuple[str, ...] = ()

    def said(self, holds: bool) -> str:
        """The template that says that an atom is true, or false."""
        return self.positive if holds else self.negative


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a world, by lower-case name."""

    about: str = ""
    types: Mapping[str, TypeWords] = {}
    predicates: Mapping[str, PredicateWords] = {}
    actions: Mapping[str, str] = {}

    def type(self, name: str) -> TypeWords:
        """The words of a type expression; made of its name if there are none."""
        if name in self.types:
            return self.types[name]
        return (
            TypeWords("object", "objects") if name == OBJECT else TypeWords(name, f"objects of type {name}")
        )

    def predicate(self, name: str, arity: int) -> PredicateWords:
        """The words of a predicate; PDDL if there are none, as its name alone does not make a sentence."""
        if name in self.predicates:
            return self.predicates[name]
        atom = f"({' '.join([name, *(f'{{{i}}}' for i in range(arity))])})"
        return PredicateWords(atom, f"(not {atom})")

    def none(self, name: str, arity: int) -> str | None:
        """The clause that says that no atom of a predicate holds; None if there is none."""
        words = self.predicate(name, arity)
        return words.negative if words.none is None and not arity else words.none

    def canonical(self) -> str:
        """A text that is equal for equal words."""
        return json.dumps(msgspec.to_builtins(self), sort_keys=True)


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    """A `words.json` whose entries are not yet read, so that what is wrong with one is said with its name."""

    about: str = ""
    types: dict[str, msgspec.Raw] = {}
    predicates: dict[str, msgspec.Raw] = {}
    actions: dict[str, msgspec.Raw] = {}


def read_words(text: str) -> Words:
    """The words in the text of a `words.json`. Raises ValueError that says what is wrong, and where."""
    try:
        written = msgspec.json.decode(text, type=_Written)
    except msgspec.ValidationError as fault:
        raise ValueError(f"words.json: {fault}") from None
    except msgspec.DecodeError as fault:
        raise ValueError(f"words.json is not JSON: {fault}") from None
    return Words(
        written.about,
        _entries("types", written.types, TypeWords),
        _entries("predicates", written.predicates, PredicateWords),
        _entries("actions", written.actions, str),
    )


def fill(template: str, arguments: Sequence[str]) -> str:
    """The template with the arguments in its slots. Raises ValueError if it has a slot too many."""
    try:
        return SLOT.sub(lambda slot: arguments[int(slot[1])], template)
    except IndexError:
        raise ValueError(
            f"words.json: {template!r} has a slot too many for {len(arguments)} arguments"
        ) from None


def phrase(words: Words, atom: GroundAtom, *, holds: bool) -> str:
    """The words that say that `atom` is true, or false: `ball1 lies in room2`.

    Raises ValueError if its template has a slot that the atom has no argument for.
    """
    return fill(words.predicate(atom[0], len(atom) - 1).said(holds), atom[1:])


def sentence(template: str, arguments: Sequence[str] = ()) -> str:
    """A whole sentence: the filled template, with a capital unless a slot comes first, and a full stop."""
    return closed(fill(capitalised(template), arguments))


def closed(text: str) -> str:
    """A sentence with its full stop; PDDL stands as it is."""
    return text if text.startswith("(") and text.endswith(")") else f"{text}."


def capitalised(template: str) -> str:
    """The template with a capital in front, unless it starts with a slot: names keep their spelling."""
    return template if template.startswith("{") else template[:1].upper() + template[1:]


def _entries(section: str, written: Mapping[str, msgspec.Raw], kind: type[T]) -> dict[str, T]:
    """A section's entries by lower-case name."""
    entries = {}
    for name, entry in written.items():
        try:
            entries[name.lower()] = msgspec.json.decode(entry, type=kind)
        except msgspec.ValidationError as fault:
            raise ValueError(f"words.json, {section}, {name!r}: {fault}") from None
    return entries
