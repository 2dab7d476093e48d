"""Atoms that exclude each other: two that claim the same place in a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from envs.pddl.equivalence.goals.goal import show_atom
from envs.pddl.equivalence.known_domains.patterns import Rule
from envs.pddl.language.structure import GroundAtom

#: The objects of each kind.
Members = Mapping[str, frozenset[str]]


class Impossible(ValueError):
    """Atoms that no state satisfies together; its text is their conjunction in PDDL."""


@dataclass(frozen=True)
class Oracle:
    """A domain whose reachable states are known. Atoms bear roles for predicates."""

    rules: tuple[Rule, ...]
    kinds: Mapping[str, tuple[str, ...]]  #: role → the kind of each argument
    #: whether atoms describe one whole state, from which every other state can be reached
    is_whole: Callable[[frozenset[GroundAtom], Members], bool]
    #: the atoms and all others that hold whenever they do; raises Impossible
    implied: Callable[[frozenset[GroundAtom], Members], frozenset[GroundAtom]]


def claim(claims: dict[str, GroundAtom], place: str, atom: GroundAtom) -> None:
    """Let an atom claim a place. Raises Impossible if another one has."""
    earlier = claims.setdefault(place, atom)
    if earlier != atom:
        raise Impossible(together(earlier, atom))


def together(*atoms: GroundAtom) -> str:
    """The conjunction of atoms, each once."""
    return f"(and {' '.join(map(show_atom, dict.fromkeys(atoms)))})"
