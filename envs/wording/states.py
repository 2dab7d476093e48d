"""States in words: every predicate's phrase, filled in with the objects of an atom.

A state's text says, in the order of the atoms, every fluent atom that is true; of the predicates without
arguments also the false ones, as nothing else in the text would show them. Where an operator is refused, the
reason may as well be a fact that never changes, or one that is false; which of them the operator needs is not
said, so a state as it bears on an operator (`step_state`) gives all of those about the operator's objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

from envs.pddl.language.structure import GroundAtom, Problem
from envs.wording.words import Words, closed, phrase

#: Lines of each kind; what goes beyond is counted.
MAX_LINES = 40
#: Stands where there is no line.
NOTHING = "(nothing)"


def step_state(
    words: Words,
    problem: Problem,
    state: str,
    atoms: Collection[GroundAtom],
    static: Collection[GroundAtom],
    objects: Sequence[str],
) -> str:
    """`state`, the text of a state of `problem` in which `atoms` hold, completed for an operator's `objects`.

    Three lists, each under a heading: what is true and can change; of what never changes, the facts that
    name one of the objects; and all false facts about these objects alone.
    """
    named = tuple(dict.fromkeys(objects))
    fixed = [_line(words, a, True) for a in sorted(static) if len(a) == 1 or set(a[1:]) & set(named)]
    false = [_line(words, a, False) for a in _about(problem, named) if a not in atoms]
    about = ", ".join(named)
    parts = ["True now (facts that never change and false facts are left out here):", state or NOTHING]
    if named:
        parts += [f"Facts that never change, about {about}:", *_cut(fixed)]
        parts += [f"False now, about {about} alone:", *_cut(false)]
    return "\n".join(parts)


def _about(problem: Problem, objects: Sequence[str]) -> Iterator[GroundAtom]:
    """Every atom over distinct ones of these objects that fits a predicate's types, in a fixed order."""
    domain = problem.domain
    kinds = {name: problem.objects[name] for name in objects if name in problem.objects}
    for name, declared in sorted(domain.vocabulary.predicates.items()):
        for chosen in permutations(kinds, len(declared)) if declared else ():
            if all(domain.is_subtype(kinds[o], t) for o, (_, t) in zip(chosen, declared, strict=True)):
                yield (name, *chosen)


def _line(words: Words, atom: GroundAtom, holds: bool) -> str:
    return closed(phrase(words, atom, holds=holds))


def _cut(lines: Sequence[str]) -> list[str]:
    more = len(lines) - MAX_LINES
    return [*(lines[:MAX_LINES] or [NOTHING]), *([f"(and {more} more)"] if more > 0 else [])]


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
