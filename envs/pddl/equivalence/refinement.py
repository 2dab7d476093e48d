"""Colour refinement: vertices that differ in their colours, or in their neighbours', get different classes.

Classes are 64-bit numbers mixed from what is known of a vertex, so those of two graphs can be compared.
Vertices that an isomorphism maps onto each other always have the same class; so graphs whose classes differ
are different. The converse does not hold, also as numbers may collide: equal classes prove nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from envs.pddl.equivalence.scenes import Graph

#: The class of each vertex.
Classes = NDArray[np.uint64]
#: Refining a long chain to the end takes as many rounds as it has links.
MAX_ROUNDS = 24


def refinements(graph: Graph) -> Iterator[Classes]:
    """The classes by colour alone, then after every round, until no class splits or `MAX_ROUNDS` are over."""
    numbers = {colour: _number(colour) for colour in dict.fromkeys(graph.colours)}
    classes = np.array([numbers[colour] for colour in graph.colours], dtype=np.uint64)
    edges = np.array(graph.edges, dtype=np.int64).reshape(len(graph.edges), 2)
    ends = np.concatenate([edges[:, 0], edges[:, 1]])
    others = np.concatenate([edges[:, 1], edges[:, 0]])
    count = 0
    for _ in range(MAX_ROUNDS):
        yield classes
        found = len(np.unique(classes))
        if found == count:
            return
        count = found
        heard = np.zeros_like(classes)
        np.add.at(heard, ends, _mixed(classes)[others])
        classes = _mixed(classes + _mixed(heard))


def refined(graph: Graph) -> Classes:
    """The classes of the last round."""
    *_, last = refinements(graph)
    return last


def surplus(one: Classes, other: Classes) -> list[int]:
    """Vertices of `one` in classes that have more members there than in `other`, ascending.

    Only those of the smallest such classes: of a large one nobody could say which members are too many.
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
