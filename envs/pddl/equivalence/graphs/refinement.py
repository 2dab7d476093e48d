"""Colour refinement: vertices that differ in their colours, or in their neighbours', get different classes.

Classes are 64-bit numbers mixed from what is known of a vertex, so those of two graphs can be compared.
Vertices that an isomorphism maps onto each other always have the same class; so graphs whose classes differ
are different. The converse does not hold, also as numbers may collide: equal classes prove nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

#: The class of each vertex.
Classes = NDArray[np.uint64]
#: Refining a long chain to the end takes as many rounds as it has links.
MAX_ROUNDS = 24


def refinements(colours: Sequence[str], edges: Sequence[tuple[int, int]]) -> Iterator[Classes]:
    """The classes by colour alone, then after every round, until no class splits or `MAX_ROUNDS` are over."""
    numbers = {colour: _number(colour) for colour in dict.fromkeys(colours)}
    classes = np.array([numbers[colour] for colour in colours], dtype=np.uint64)
    pairs = np.array(edges, dtype=np.int64).reshape(len(edges), 2)
    ends = np.concatenate([pairs[:, 0], pairs[:, 1]])
    others = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.argsort(ends, kind="stable")
    hearing, first = np.unique(ends[order], return_index=True)
    told_by = others[order]
    count = 0
    for _ in range(MAX_ROUNDS):
        yield classes
        found = len(np.unique(classes))
        if found == count:
            return
        count = found
        heard = np.zeros_like(classes)
        if len(hearing):
            heard[hearing] = np.add.reduceat(_mixed(classes)[told_by], first)
        classes = _mixed(classes + _mixed(heard))


def refined(colours: Sequence[str], edges: Sequence[tuple[int, int]]) -> Classes:
    """The classes of the last round."""
    *_, last = refinements(colours, edges)
    return last


def told_apart(classes: Sequence[int], neighbours: Sequence[Sequence[int]]) -> list[int]:
    """The vertices that are alone in their class, and those that they tell from all others in turn.

    What is next to such a vertex is in another class than what is not: along a long chain one link after the
    other is told apart, where rounds over all vertices would take as many as there are links. The order of
    the answer is kept by every isomorphism that keeps the classes. Without neighbours it is only those that
    are alone, in the order of their classes.
    """
    members: dict[int, set[int]] = {}
    number = {value: i for i, value in enumerate(sorted(set(classes)))}
    current = [number[value] for value in classes]
    for vertex, own in enumerate(current):
        members.setdefault(own, set()).add(vertex)
    alone = [next(iter(members[own])) for own in sorted(members) if len(members[own]) == 1]
    for vertex in alone:  # which grows meanwhile
        beside: dict[int, set[int]] = {}
        for other in neighbours[vertex] if neighbours else ():
            beside.setdefault(current[other], set()).add(other)
        for own in sorted(beside):
            if len(beside[own]) == len(members[own]):
                continue
            new = len(members)
            members[new] = beside[own]
            members[own] -= beside[own]
            for other in beside[own]:
                current[other] = new
            alone += [next(iter(members[some])) for some in (own, new) if len(members[some]) == 1]
    return alone


def surplus(one: Classes, other: Classes) -> list[int]:
    """Vertices of `one` in classes that have more members there than in `other`, ascending.

    Only those of the smallest such classes: in a large class it is unknown which members are too many.
    """
    here, there = (dict(zip(*np.unique(c, return_counts=True), strict=True)) for c in (one, other))
    uneven = {number: count for number, count in here.items() if count > there.get(number, 0)}
    smallest = min(uneven.values(), default=0)
    return [v for v, number in enumerate(one) if uneven.get(number) == smallest]


def _number(colour: str) -> int:
    return int.from_bytes(hashlib.blake2b(colour.encode("utf-8"), digest_size=8).digest(), "little")


def _mixed(numbers: Classes) -> Classes:
    """Each number, its bits spread over all of it (the finisher of splitmix64)."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread: Classes = mixed ^ (mixed >> np.uint64(31))
    return spread + np.uint64(0x9E3779B97F4A7C15)
