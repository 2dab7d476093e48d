"""Scenes as coloured graphs: the objects of a problem, and what its initial state and its goal say of them.

A vertex stands for an object or for a place of an atom with two or more arguments. What is said of one
object alone is part of its colour, what is said of none part of the graph's `header`. Atoms over the same
arguments are one; it bears a mark for everything that is said: `i`, `g` or `n` (initial state, goal, goal
negated) and the predicate. Where all arguments of an atom have different colours one vertex next to them is
enough, as the colours tell the places apart; else each place is a vertex next to its argument and to the
place after it. So the graphs are undirected, and two of them are isomorphic iff a bijection of the objects
maps one problem onto the other.

Colours are texts made of types, predicates and the names of constants (which only map to themselves), never
of objects' names. Objects are interchangeable within a type.

Source: Zuo et al. 2024, sections 3.3 and 4.1; there every atom is a vertex of a directed graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envs.pddl.language.structure import GroundAtom, Problem

#: The mark of each scene.
INIT, GOAL, GOAL_NEGATED = "i", "g", "n"
#: Atoms under the mark of the scene they belong to.
Marked = tuple[str, frozenset[GroundAtom]]


@dataclass(frozen=True)
class Graph:
    """A coloured graph. Vertices 0 .. len(objects)-1 are the objects, the others the places of atoms."""

    objects: tuple[str, ...]
    colours: tuple[str, ...]  #: one a vertex
    edges: tuple[tuple[int, int], ...]
    header: str  #: the marks of the atoms without arguments
    atoms: tuple[GroundAtom, ...]  #: for every vertex behind the objects, arguments of its atom


def kinds_of(problem: Problem) -> dict[str, str]:
    """What each object is, as text: its type, or `=` and its name if it is a constant of the domain."""
    constants = problem.domain.constants
    return {name: f"={name}" if name in constants else kind for name, kind in problem.objects.items()}


def with_static_marks(kinds: Mapping[str, str], statics: Iterable[GroundAtom]) -> dict[str, str]:
    """The kinds, refined by what holds of an object alone and for good, such as being a ball."""
    marks: dict[str, list[str]] = {}
    for atom in statics:
        if len(atom) == 2:
            marks.setdefault(atom[1], []).append(atom[0])
    return {name: "&".join([kind, *sorted(marks.get(name, ()))]) for name, kind in kinds.items()}


def draw(kinds: Mapping[str, str], scenes: Iterable[Marked]) -> Graph:
    """The graph of marked atoms over objects of the given kinds."""
    said: dict[tuple[str, ...], list[str]] = {}
    for mark, atoms in scenes:
        for atom in sorted(atoms):
            said.setdefault(atom[1:], []).append(mark + atom[0])
    header = ",".join(sorted(said.pop((), ())))
    objects = tuple(kinds)
    colours = [f"{kinds[name]}|{','.join(sorted(said.pop((name,), ())))}" for name in objects]
    number = {name: i for i, name in enumerate(objects)}
    edges: list[tuple[int, int]] = []
    places: list[GroundAtom] = []
    for arguments, marks in said.items():
        ends = [number[argument] for argument in arguments]
        first = len(colours)
        colours += _places([colours[end] for end in ends], ",".join(sorted(marks)))
        width = len(colours) - first
        places += [arguments] * width
        edges += [(first + min(i, width - 1), end) for i, end in enumerate(ends)]
        edges += [(place, place + 1) for place in range(first, first + width - 1)]
    return Graph(objects, tuple(colours), tuple(edges), header, tuple(places))


def _places(ends: list[str], marks: str) -> list[str]:
    """The colours of an atom's vertices: one, if its arguments' colours tell the places apart."""
    if len(set(ends)) == len(ends):
        return [f"{marks}|{'|'.join(ends)}"]
    return [f"{marks}|{place}" for place in range(len(ends))]
