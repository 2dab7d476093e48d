"""States of a problem that are reached, as many as a limit allows: witnesses of what need not hold.

An atom that is false in some reachable goal state is implied by no goal. If all states were seen, what
holds in all goal states among them is what the goal implies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.transitions import Literals, Transitions, grounding_until
from envs.pddl.language.structure import Problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates

#: States that are expanded together.
_BATCH = 512


class Explorer:
    """Breadth-first search from the initial state, and from wherever plans lead."""

    def __init__(
        self, problem: Problem, task: Transitions, max_states: int, deadline: Deadline = NO_DEADLINE
    ):
        """`task` numbers the literals; at most about `max_states` states are seen from each start.

        Raises OutOfTime at the deadline, here and when a plan is followed.
        """
        self._deadline = deadline
        with grounding_until(deadline) as limits:
            self._task = compile_task(problem, limits)
        self._atoms = np.array([task.number[atom] for atom in self._task.atoms], dtype=np.int64)
        self._max_states = max_states
        self._seen: dict[bytes, None] = {}
        self._bits = np.zeros((0, len(task.atoms)), dtype=np.bool_)
        #: whether every reachable state was seen
        self.complete = self._search(self._task.initial(1))

    def common(self, goal: Literals) -> Literals | None:
        """The literals that hold in all states seen in which those of `goal` do; None if there is no such."""
        wanted = np.array([literal // 2 for literal in sorted(goal)], dtype=np.int64)
        signs = np.array([not literal & 1 for literal in sorted(goal)], dtype=np.bool_)
        found = self._bits[(self._bits[:, wanted] == signs).all(axis=1)]
        if not len(found):
            return None
        true, false = found.all(axis=0), ~found.any(axis=0)
        return frozenset([*(2 * np.flatnonzero(true)).tolist(), *(2 * np.flatnonzero(false) + 1).tolist()])

    def follow(self, plan: Iterable[str]) -> None:
        """See the state that a plan leads to, and states around it.

        Raises RuntimeError if it cannot run.
        """
        state = self._task.initial(1)
        for operator in plan:
            index = self._task.operator_index.get(operator)
            if index is None or not self._task.applicable(state)[0, index]:
                raise RuntimeError(f"a step of the planner's plan is not applicable: {operator}")
            state = self._task.successors(state, np.array([index], dtype=np.int64))
        self._search(state)

    def _search(self, frontier: PackedStates) -> bool:
        """Whether everything that can be reached from `frontier` has been seen."""
        limit = len(self._seen) + self._max_states
        waiting = deque(self._fresh(frontier))
        while waiting and len(self._seen) < limit:
            self._deadline.left()
            batch = [waiting.popleft() for _ in range(min(_BATCH, len(waiting)))]
            waiting.extend(self._fresh(self._successors(np.stack(batch))))
        return not waiting

    def _successors(self, states: PackedStates) -> PackedStates:
        rows, operators = np.nonzero(self._task.applicable(states))
        return np.unique(self._task.successors(states[rows], operators), axis=0)

    def _fresh(self, states: PackedStates) -> PackedStates:
        """Those that were not seen before, entered as seen; each once."""
        new = []
        for i, key in enumerate(map(bytes, states)):
            if key not in self._seen:
                self._seen[key] = None
                new.append(i)
        fresh = states[new]
        bits = np.zeros((len(fresh), self._bits.shape[1]), dtype=np.bool_)
        packed = np.ascontiguousarray(fresh).view(np.uint8).reshape(len(fresh), 8 * states.shape[1])
        own = np.unpackbits(packed, axis=1, count=len(self._atoms), bitorder="little")
        bits[:, self._atoms] = own.astype(np.bool_)
        self._bits = np.concatenate([self._bits, bits])
        return fresh
