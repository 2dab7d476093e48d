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
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from ew.walks.budget import NO_COST, QueryBudget, SimulatorCost
from ew.walks.simulator_cost import capped, random_order, simulated

#: What the states of one evidence may come to, about.
MAX_BYTES = 2_000_000
#: What a walk takes beside its row, about.
_WALK_BYTES = 200

#: Of a node: a draw, not an operator that was tried; and no operator.
NONE = -1
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

    def walk_to(self, node: int) -> Walk:
        """The operators that led to a node."""
        walk: list[int] = []
        while node > 0:
            walk.append(int(self.operators[node]))
            node = int(self.parents[node])
        return tuple(reversed(walk))


class WorldWalks:
    """A TransitionSystem whose states are the nodes of the tree, int64, shape (batch,); 0 is the root.

    What is `known` of the world is never asked for. Raises ValueError if it is of another world.

    Of a world that is one simulator, it is a `Simulated` system too. Where that does not list, a query is a
    node that an operator is drawn at, or an operator that is tried; each is made once.
    """

    def __init__(
        self, world: TransitionSystem, budget: QueryBudget | None = None, known: Evidence | None = None
    ):
        self.operators = world.operators
        self.budget = budget
        self.queries = 0  #: how often the world was asked
        self._world = world
        self._simulated = simulated(world)
        self._answered: set[tuple[int, int]] = set()  # by node, operators that were tried; NONE: a draw
        self._states: list[States] = [world.initial(1)]
        self._applicable: dict[int, NDArray[np.uint8]] = {}  # packed rows of the nodes asked for
        self._children: dict[tuple[int, int], int] = {}
        if known is not None:
            self._take_in(known)

    @property
    def one_by_one(self) -> bool:
        """Whether the world is one simulator."""
        return self._simulated is not None

    @property
    def lists(self) -> bool:
        """Whether the world lists what is applicable."""
        return self._simulated is None or self._simulated.lists

    @property
    def cost(self) -> SimulatorCost:
        """What the simulator did so far; nothing is counted where there is none."""
        return NO_COST if self._simulated is None else self._simulated.cost

    def capped(self, steps: int | None) -> AbstractContextManager[None]:
        """See `Simulated`."""
        return capped(self._world, steps)

    def count_walk(self, steps: int) -> None:
        """See `Simulated`; nothing is counted where there is no simulator."""
        if self._simulated is not None:
            self._simulated.count_walk(steps)

    def walk_steps(self, length: int) -> int:
        """The simulator steps of a walk of this length; its length where there is no simulator."""
        return length if self._simulated is None else self._simulated.walk_steps(length)

    def executes(self, states: States, operators: OperatorIndices) -> NDArray[np.bool_]:
        """Whether each node's operator may run. Raises as `applicable`."""
        if self._simulated is None or self._simulated.lists:
            runs: NDArray[np.bool_] = self.applicable(states)[np.arange(len(states)), operators]
            return runs
        pairs = list(zip(states.tolist(), operators.tolist(), strict=True))
        self._charge(pairs)
        return np.array([self._runs(node, o) for node, o in pairs], dtype=np.bool_)

    def drawn(self, states: States, uniforms: NDArray[np.float64]) -> OperatorIndices:
        """See `Simulated`. Raises as `applicable`."""
        self._charge((node, NONE) for node in states.tolist())
        pairs = list(zip(states.tolist(), uniforms.tolist(), strict=True))
        drawn = np.array([self._first(node, uniform) for node, uniform in pairs], dtype=np.int64)
        self._answered.update(zip(states.tolist(), drawn.tolist(), strict=True))
        return drawn

    def _runs(self, node: int, operator: int) -> bool:
        if node in self._applicable or self._simulated is None:
            return bool(self.applicable(np.array([node]))[0, operator])
        return bool(self._simulated.executes(self._states[node], np.array([operator], dtype=np.int64))[0])

    def _first(self, node: int, uniform: float) -> int:
        if node in self._applicable or self._simulated is None:
            row = self.applicable(np.array([node]))[0]
            return next((o for o in random_order(uniform, len(row)) if row[o]), NONE)
        return int(self._simulated.drawn(self._states[node], np.array([uniform]))[0])

    def _charge(self, wanted: Iterable[tuple[int, int]]) -> None:
        """Pay for what was not asked yet."""
        new = {
            (node, o)
            for node, o in wanted
            if node not in self._applicable and (node, o) not in self._answered
        }
        if new and self.budget is not None:
            self.budget.take(len(new))
        self.queries += len(new)
        self._answered |= new

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
            for edge, row in zip(missing, single_rows(reached), strict=True):
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


def single_rows(states: States) -> Iterator[States]:
    """Each state as a batch of one."""
    return (states[i : i + 1] for i in range(len(states)))
