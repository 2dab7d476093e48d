"""States in words: every predicate's phrase, filled in with the objects of an atom.

A state's text says, in the order of the atoms, every fluent atom that is true; of the predicates without
arguments also the false ones, as nothing else in the text would show them.
"""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.language.structure import GroundAtom
from envs.wording.words import Words, closed, phrase


class StateWriter:
    """Writes states over a fixed sequence of atoms; the sentences are made once."""

    def __init__(self, words: Words, atoms: Sequence[GroundAtom]):
        self._true = tuple(closed(phrase(words, atom, holds=True)) for atom in atoms)
        self._false = {
            i: closed(phrase(words, atom, holds=False)) for i, atom in enumerate(atoms) if len(atom) == 1
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
