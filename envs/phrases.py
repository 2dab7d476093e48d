"""States in words: every predicate's phrase, filled in with the objects of an atom.

`phrases.json` maps a predicate to its `positive` and `negative` template, in which `{0}`, `{1}`, … stand for
the arguments. A predicate without phrases is worded generically. A state's text says, in the order of the
atoms, every fluent atom that is true; of the predicates without arguments also the false ones, as nothing
else in the text would show them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from envs.pddl.language import GroundAtom

#: Predicate to its templates, `positive` and `negative`.
Phrases = Mapping[str, Mapping[str, str]]
_SLOT = re.compile(r"\{(\d+)\}")


def read_phrases(text: str) -> Phrases:
    """The phrases in the text of a `phrases.json`. Raises ValueError that says what is wrong with it."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError as fault:
        raise ValueError(f"phrases.json is not JSON: {fault}") from None
    if not isinstance(read, dict):
        raise ValueError("phrases.json must be an object of predicates")
    for predicate, templates in read.items():
        if not isinstance(templates, dict) or not all(isinstance(t, str) for t in templates.values()):
            raise ValueError(f'phrases.json, {predicate!r}: write {{"positive": "…", "negative": "…"}}')
    return {predicate.lower(): templates for predicate, templates in read.items()}


def phrase(templates: Phrases, atom: GroundAtom, *, holds: bool) -> str:
    """The words that say that `atom` is true, or false: `ball1 lies in room2`.

    Raises ValueError if its template has a slot that the atom has no argument for.
    """
    template = templates.get(atom[0], {}).get("positive" if holds else "negative")
    if template is None:
        subject = f"{atom[0]} of {' and '.join(atom[1:])}" if len(atom) > 1 else atom[0]
        return f"{subject} is {'true' if holds else 'false'}"
    try:
        return _SLOT.sub(lambda slot: atom[1 + int(slot[1])], template)
    except IndexError:
        arguments = len(atom) - 1
        raise ValueError(
            f"phrases.json, {atom[0]!r}: {template!r} has a slot too many for {arguments} arguments"
        ) from None


class StateWriter:
    """Writes states over a fixed sequence of atoms; the sentences are made once."""

    def __init__(self, templates: Phrases, atoms: Sequence[GroundAtom]):
        self._true = tuple(_sentence(phrase(templates, atom, holds=True)) for atom in atoms)
        self._false = {
            i: _sentence(phrase(templates, atom, holds=False))
            for i, atom in enumerate(atoms)
            if len(atom) == 1
        }

    def write(self, values: Sequence[int]) -> str:
        """One line a sentence. `values` has 1 for each atom that is true, 0 for the others."""
        chosen = (self._true[i] if value else self._false.get(i) for i, value in enumerate(values))
        return "\n".join(line for line in chosen if line)

    @property
    def longest(self) -> int:
        """No text is longer than this, in characters."""
        return sum(len(line) + 1 for line in (*self._true, *self._false.values())) + 1

    @property
    def characters(self) -> frozenset[str]:
        """Every character that may occur in a text."""
        return frozenset("\n").union(*self._true, *self._false.values())


def _sentence(words: str) -> str:
    return f"{words}."
