"""A world small enough to be seen whole: states are numbers, operators are the labels of a graph's edges.

`GraphSystem` is the transition system of a graph; `GraphWorld` puts the
World surface on the same graph, without anything batched, so it is also the example of a world that has no
PDDL behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import (
    ActionSignature,
    Execution,
    OperatorIndices,
    PlanVerdict,
    Refusal,
    States,
    TransitionSystem,
)
from envs.pddl.language.operators import parse_operator

#: State number to operator text to the next state's number.
Graph = Mapping[int, Mapping[str, int]]


class GraphSystem:
    """The TransitionSystem of a graph; state 0 is initial. A batch of states has shape (batch,)."""

    def __init__(self, graph: Graph):
        self.operators: tuple[str, ...] = tuple(sorted({text for edges in graph.values() for text in edges}))
        size = 1 + max([0, *graph, *(to for edges in graph.values() for to in edges.values())])
        self._next = np.full((size, len(self.operators)), -1, dtype=np.int64)
        for state, edges in graph.items():
            for text, to in edges.items():
                self._next[state, self.operators.index(text)] = to

    def initial(self, batch: int) -> States:
        """State 0, `batch` times."""
        return np.zeros(batch, dtype=np.int64)

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """Which labels leave each state."""
        mask: NDArray[np.bool_] = self._next[states] >= 0
        return mask

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """Along one edge a row; -1 stays."""
        return np.where(operators < 0, states, self._next[states, operators])


class GraphWorld:
    """The World surface of a graph. Operators have no arguments."""

    name = "graph"
    description = "Numbered places; each operator leads from one place to another."
    task = "Start at place 0 and reach the goal place."
    types: Mapping[str, str | None] = {}
    objects: Mapping[str, str] = {}

    def __init__(self, graph: Graph, goal: int = 0):
        self._graph = graph
        self._goal = goal
        names = {parse_operator(text)[0] for edges in graph.values() for text in edges}
        self.actions = tuple(ActionSignature(name, ()) for name in sorted(names))

    def executable(self, walk: Sequence[str]) -> Execution:
        """How far `walk` runs from place 0."""
        return self._run(walk)[0]

    def applicable(self, walk: Sequence[str] = ()) -> tuple[str, ...]:
        """The labels that leave the place after `walk`, sorted. Raises ValueError if `walk` is refused."""
        return tuple(sorted(self._graph.get(self._place(walk), {})))

    def verify(self, plan: Sequence[str]) -> PlanVerdict:
        """Whether `plan` runs and ends at the goal place."""
        execution, place = self._run(plan)
        return PlanVerdict(execution, place == self._goal)

    def describe(self, walk: Sequence[str] = ()) -> str:
        """Names the place after `walk`. Raises ValueError if `walk` is refused."""
        return f"You are at place {self._place(walk)}."

    def _place(self, walk: Sequence[str]) -> int:
        execution, place = self._run(walk)
        if execution.refusal is not None:
            raise ValueError(f"step {execution.steps + 1} of the walk is refused: {walk[execution.steps]}")
        return place

    def _run(self, walk: Sequence[str]) -> tuple[Execution, int]:
        place = 0
        for steps, text in enumerate(walk):
            name, arguments = parse_operator(text)
            if name not in {a.name for a in self.actions}:
                return Execution(steps, Refusal.UNKNOWN_NAME), place
            if arguments:
                return Execution(steps, Refusal.WRONG_ARITY), place
            following = self._graph.get(place, {}).get(f"({name})")
            if following is None:
                return Execution(steps, Refusal.NOT_EXECUTABLE), place
            place = following
        return Execution(len(walk)), place


class BatchedGraphWorld(GraphWorld):
    """A GraphWorld that can also be walked in batches."""

    def transitions(self) -> TransitionSystem:
        """The same graph as a GraphSystem."""
        return GraphSystem(self._graph)
