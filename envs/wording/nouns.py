"""Noun phrases for several objects at once, and where in a sentence they can stand.

`every ball`, `every ball except ball3`, `each of ball1 and ball2` go with a verb in the singular, so they fit
a template as it is. A slot can hold one if the words around it leave it a noun phrase of its own: not in
`gripper {1} of …`, where a noun comes before it, nor in `{0} paint is …`, where one comes behind it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.wording.words import SLOT, Words, listed

_JOINTS = ("and", "or", ",")
_PREPOSITIONS = frozenset(
    (
        *(
            "above",
            "after",
            "as",
            "at",
            "before",
            "below",
            "between",
            "by",
            "for",
            "from",
            "in",
            "into",
            "of",
        ),
        *("on", "onto", "over", "through", "to", "under", "using", "via", "with", "within"),
    )
)
#: "every x except …" names at most one object in so many.
_EXCEPTION_SHARE = 4


def open_slots(template: str, parameter_types: Sequence[str], domain: Vocabulary, words: Words) -> list[int]:
    """The slots of a template that can hold a noun phrase for several objects, in the order of the text."""
    nouns = {
        noun
        for name in (*domain.types.parents, *parameter_types)
        for noun in (words.type(name).one, words.type(name).many)
    }
    tokens = re.findall(r"\{\d+\}|[^\s,]+|,", template)
    found = []
    for place, token in enumerate(tokens):
        slot = SLOT.fullmatch(token)
        before = tokens[place - 1] if place else ""
        behind = tokens[place + 1] if place + 1 < len(tokens) else ""
        if slot is None or int(slot[1]) >= len(parameter_types) or before in _JOINTS or behind in _JOINTS:
            continue
        leads = place == 0 and behind.endswith("s")
        follows = place > 0 and not _ends_in_noun(tokens[:place], nouns)
        if leads or (follows and (not behind or behind in _PREPOSITIONS)):
            found.append(int(slot[1]))
    return found


class Wholes:
    """Which sets of the objects of one task can be said without naming them all."""

    def __init__(self, objects: Mapping[str, str], domain: Vocabulary):
        #: The objects of each type that has more than one, narrow types first.
        self._extensions: dict[str, tuple[str, ...]] = {}
        kinds = sorted(
            (*domain.types.parents, OBJECT),
            key=lambda kind: sum(domain.types.is_subtype(other, kind) for other in domain.types.parents),
        )
        for kind in kinds:
            members = tuple(name for name, type_ in objects.items() if domain.types.is_subtype(type_, kind))
            if len(members) > 1:
                self._extensions[kind] = members

    def of(self, names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
        """The type that has these objects and only the few others that come second; None if there is none."""
        said = frozenset(names)
        for kind, members in self._extensions.items():
            rest = tuple(name for name in members if name not in said)
            if len(members) - len(rest) != len(said):
                continue
            if len(rest) * _EXCEPTION_SHARE <= len(members):
                return kind, rest
        return None


class NounPhrases:
    """Says sets of the objects of one task."""

    def __init__(self, objects: Mapping[str, str], domain: Vocabulary, words: Words):
        self._words = words
        self._wholes = Wholes(objects, domain)

    def singular(self, names: Sequence[str], *, negated: bool = False) -> str:
        """The objects as one noun phrase that takes a verb in the singular.

        In a negated clause "every" would be ambiguous, so there they are named.
        """
        if len(names) == 1:
            return names[0]
        if not negated and (whole := self._wholes.of(names)) is not None:
            kind, rest = whole
            return f"every {self._words.type(kind).one}" + (f" except {listed(rest)}" if rest else "")
        return f"each of {listed(names)}"

    def has_whole(self, names: Sequence[str]) -> bool:
        """Whether the objects can be said without naming them all."""
        return len(names) > 1 and self._wholes.of(names) is not None


def _ends_in_noun(tokens: Sequence[str], nouns: set[str]) -> bool:
    text = f" {' '.join(tokens)}".lower()
    return any(text.endswith(f" {noun.lower()}") for noun in nouns)
