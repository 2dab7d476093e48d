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
`envs.wording.check`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from envs.pddl.language.prose import listed as listed
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import OBJECT

SLOT = re.compile(r"\{(\d+)\}")
_TYPE_KEYS = ("one", "many", "about")
_PREDICATE_KEYS = ("positive", "negative", "many", "none", "narrative")


@dataclass(frozen=True)
class TypeWords:
    """A type's noun, its plural, and what it is."""

    one: str
    many: str
    about: str = ""


@dataclass(frozen=True)
class PredicateWords:
    """A predicate's templates. See the module."""

    positive: str
    negative: str
    many: str | None = None
    none: str | None = None
    narrative: tuple[str, ...] = ()


@dataclass(frozen=True)
class Words:
    """The words of a world, by lower-case name."""

    about: str = ""
    types: Mapping[str, TypeWords] = field(default_factory=dict)
    predicates: Mapping[str, PredicateWords] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)

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
        return json.dumps(asdict(self), sort_keys=True)


def read_words(text: str) -> Words:
    """The words in the text of a `words.json`. Raises ValueError that says what is wrong with it."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError as fault:
        raise ValueError(f"words.json is not JSON: {fault}") from None
    if not isinstance(read, dict):
        raise ValueError('words.json must be an object with "about", "types", "predicates" and "actions"')
    _refuse_keys("words.json", read, ("about", "types", "predicates", "actions"))
    return Words(
        about=_text("words.json, about", read.get("about", "")),
        types={name: _type_words(name, entry) for name, entry in _section(read, "types")},
        predicates={name: _predicate_words(name, entry) for name, entry in _section(read, "predicates")},
        actions={name: _text(f"words.json, action {name!r}", e) for name, e in _section(read, "actions")},
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
    templates = words.predicate(atom[0], len(atom) - 1)
    return fill(templates.positive if holds else templates.negative, atom[1:])


def sentence(template: str, arguments: Sequence[str] = ()) -> str:
    """A whole sentence: the filled template, with a capital unless a slot comes first, and a full stop."""
    return closed(fill(capitalised(template), arguments))


def closed(text: str) -> str:
    """A sentence with its full stop; PDDL stands as it is."""
    return text if text.startswith("(") and text.endswith(")") else f"{text}."


def capitalised(template: str) -> str:
    """The template with a capital in front, unless it starts with a slot: names keep their spelling."""
    return template if template.startswith("{") else template[:1].upper() + template[1:]


def _section(read: Mapping[str, Any], key: str) -> list[tuple[str, Any]]:
    section = read.get(key, {})
    if not isinstance(section, dict):
        raise ValueError(f'words.json, "{key}" must be an object of names')
    return [(name.lower(), entry) for name, entry in section.items()]


def _type_words(name: str, entry: Any) -> TypeWords:
    where = f"words.json, type {name!r}"
    if not isinstance(entry, dict) or not {"one", "many"} <= set(entry):
        raise ValueError(f'{where}: write {{"one": "…", "many": "…", "about": "…"}}')
    _refuse_keys(where, entry, _TYPE_KEYS)
    return TypeWords(**{key: _text(f"{where}, {key}", entry[key]) for key in _TYPE_KEYS if key in entry})


def _predicate_words(name: str, entry: Any) -> PredicateWords:
    where = f"words.json, predicate {name!r}"
    if not isinstance(entry, dict) or not {"positive", "negative"} <= set(entry):
        raise ValueError(f'{where}: write {{"positive": "…", "negative": "…"}}')
    _refuse_keys(where, entry, _PREDICATE_KEYS)
    narrative = entry.get("narrative", [])
    if not isinstance(narrative, list):
        raise ValueError(f'{where}, "narrative" must be a list of templates')
    texts = {k: _text(f"{where}, {k}", entry[k]) for k in _PREDICATE_KEYS[:-1] if entry.get(k) is not None}
    return PredicateWords(
        **texts, narrative=tuple(_text(f"{where}, narrative", template) for template in narrative)
    )


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where}: {value!r} must be a text")
    return value


def _refuse_keys(where: str, entry: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = [key for key in entry if key not in known]
    if unknown:
        raise ValueError(f"{where}: unknown key {unknown[0]!r}; the keys are {', '.join(known)}")
