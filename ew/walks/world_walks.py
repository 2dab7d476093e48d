"""Prefix-tree cache of the executability queries of one world in one task.

A node is a sequence of operators that ran; the root is the empty one. `WorldWalks` is a transition system
over these nodes, so it stands wherever the world's own system does, and it may be shared: by the walks of
one score, which all begin at the root, by the candidates of a search (with generators of the same seed
their walks in the world are the same, so all but the first candidate get them for nothing; joint walks are
shared as far as the candidates accept the same operators). It counts the queries that really reached the
world and, given a budget, never exceeds it.

It is an object to be passed on, not a global; it grows with use. A deterministic world is taken for granted.

What it has seen is `Evidence`, apart from who saw it: it holds for every model of the world in that task. So
what was walked for one model can be taken out, sent to another process, merged with what was walked for
others, and given to new `WorldWalks`, which then never ask for it. Evidence is bounded: the shortest walks
stay, of equally long ones those with the lowest operator numbers. Merging is a union that is then bounded, so
it is commutative, associative and idempotent, and no result depends on who came first.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from ew.walks.budget import QueryBudget

#: What the states of one evidence may come to, about.
MAX_BYTES = 2_000_000
#: What a walk takes beside its row, about.
_WALK_BYTES = 200

#: Numbers of operators, from the initial state on.
Walk = tuple[int, ...]
#: Seconds in which a limit of time is not looked at.
_MOMENT_S = 0.02


@dataclass(frozen=True)
class Evidence:
    """What one world did in one task. Picklable; equal content is equal."""

    operators: str  #: `digest` of the world's operators, which walks and rows are numbered by
    states: tuple[tuple[Walk, bytes], ...]  #: a walk that runs, and the packed row of what may run then

    @classmethod
    def of(cls, operators: Sequence[str], rows: Mapping[Walk, bytes]) -> Self:
        """The evidence of these rows, as many of them as may be kept."""
        return cls(digest(operators), _bounded(rows))

    def merged(self, other: Self) -> Self:
        """What either has seen. Raises ValueError if they are of different worlds."""
        if self.operators != other.operators:
            raise ValueError("evidence of worlds with different operators cannot be merged")
        return type(self)(self.operators, _bounded({**dict(self.states), **dict(other.states)}))


def digest(operators: Iterable[str]) -> str:
    """SHA-256 (hexadecimal) of operators in their order."""
    return hashlib.sha256("\n".join(operators).encode("utf-8")).hexdigest()


def _bounded(rows: Mapping[Walk, bytes]) -> tuple[tuple[Walk, bytes], ...]:
    """The shortest walks, sorted. Rows of one world are equally long, so their number is always the same."""
    ordered = sorted(rows.items(), key=lambda item: (len(item[0]), item[0]))
    size = _WALK_BYTES + (len(ordered[0][1]) if ordered else 0)
    return tuple(ordered[: max(1, MAX_BYTES // size)])


@dataclass(frozen=True, eq=False)
class Seen:
    """The tree as it is, parents before children. Node 0 is the root."""

    parents: NDArray[np.int64]  #: shape (nodes,); -1 for the root
    operators: NDArray[np.int64]  #: shape (nodes,): the operator that led there; -1 for the root
    asked: NDArray[np.int64]  #: the nodes that the world was asked about, ascending
    applicable: NDArray[np.bool_]  #: shape (len(asked), operators): what it executes there


class WorldWalks:
    """A TransitionSystem whose states are the nodes of the tree, int64, shape (batch,); 0 is the root.

    What is `known` of the world is never asked for. Raises ValueError if it is of another world.
    """

    def __init__(
        self, world: TransitionSystem, budget: QueryBudget | None = None, known: Evidence | None = None
    ):
        self.operators = world.operators
        self.budget = budget
        self.queries = 0  #: how often the world was asked
        self._world = world
        self._states: list[States] = [world.initial(1)]
        self._applicable: dict[int, NDArray[np.uint8]] = {}  # packed rows of the nodes asked for
        self._children: dict[tuple[int, int], int] = {}
        if known is not None:
            self._take_in(known)

    def initial(self, batch: int) -> States:
        """The root, `batch` times."""
        return np.zeros(batch, dtype=np.int64)

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """Which operators may run; asks the world for the nodes it has not been asked for, each once.

        Raises BudgetExceeded, and asks nothing, if the budget does not pay for all of them; TimeUp, which may
        come after some of them were asked.
        """
        nodes, which = np.unique(states, return_inverse=True)
        new = [n for n in nodes.tolist() if n not in self._applicable]
        if new:
            self._ask(new)
        rows = [self._applicable[n] for n in nodes.tolist()]
        if not rows:
            return np.zeros((0, len(self.operators)), dtype=np.bool_)
        masks = np.unpackbits(np.stack(rows), axis=1, count=len(self.operators)).view(np.bool_)
        return masks[which.reshape(-1)]

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """The nodes one operator further (-1: unchanged)."""
        edges = [(int(s), int(o)) for s, o in zip(states, operators, strict=True)]
        missing = list(dict.fromkeys(e for e in edges if e[1] >= 0 and e not in self._children))
        if missing:
            sources = np.concatenate([self._states[s] for s, _ in missing])
            reached = self._world.successors(sources, np.array([o for _, o in missing], dtype=np.int64))
            for edge, row in zip(missing, _rows(reached), strict=True):
                self._children[edge] = len(self._states)
                self._states.append(row)
        return np.array([s if o < 0 else self._children[s, o] for s, o in edges], dtype=np.int64)

    def seen(self) -> Seen:
        """All walks made so far and all that was asked; asks nothing."""
        parents, operators = np.full((2, len(self._states)), -1, dtype=np.int64)
        for (parent, operator), node in self._children.items():
            parents[node], operators[node] = parent, operator
        asked = np.array(sorted(self._applicable), dtype=np.int64)
        masks = self.applicable(asked)
        return Seen(parents, operators, asked, masks)

    def evidence(self) -> Evidence:
        """What was seen, to be passed on; asks nothing."""
        walks: dict[int, Walk] = {0: ()}
        for (parent, operator), node in self._children.items():  # parents were made before their children
            walks[node] = (*walks[parent], operator)
        rows = {walks[node]: row.tobytes() for node, row in self._applicable.items()}
        return Evidence.of(self.operators, rows)

    def _take_in(self, known: Evidence) -> None:
        """Have the nodes of the known walks, with what may run there; asks nothing."""
        if known.operators != digest(self.operators):
            raise ValueError("the evidence is of a world with other operators")
        nodes: dict[Walk, int] = {(): 0}
        for length in range(1, 1 + max((len(walk) for walk, _ in known.states), default=0)):
            starts = dict.fromkeys(walk[:length] for walk, _ in known.states if len(walk) >= length)
            sources = np.array([nodes[walk[:-1]] for walk in starts], dtype=np.int64)
            reached = self.successors(sources, np.array([walk[-1] for walk in starts], dtype=np.int64))
            nodes.update(zip(starts, reached.tolist(), strict=True))
        for walk, row in known.states:
            self._applicable[nodes[walk]] = np.frombuffer(row, dtype=np.uint8)

    def _ask(self, nodes: list[int]) -> None:
        if self.budget is not None:
            self.budget.take(len(nodes))
        for part in self._portions(nodes):
            self.queries += len(part)
            masks = self._world.applicable(np.concatenate([self._states[n] for n in part]))
            self._applicable.update(zip(part, np.packbits(masks, axis=1), strict=True))

    def _portions(self, nodes: list[int]) -> Iterator[list[int]]:
        """All nodes at once; under a time limit, as many as a slow world answers in a moment."""
        if self.budget is None or self.budget.until == math.inf:
            yield nodes
            return
        start, size = 0, 1
        while start < len(nodes):
            self.budget.check_time()
            asked = time.monotonic()
            yield nodes[start : start + size]
            start += size
            size = 4 * size if time.monotonic() - asked < _MOMENT_S else max(1, size // 4)


def _rows(states: States) -> Iterator[States]:
    """Each state as a batch of one."""
    return (states[i : i + 1] for i in range(len(states)))
