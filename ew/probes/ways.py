"""Ways to probes: the shortest walks of a model to states where its probes can be shown.

The model's states are searched breadth first, in batches: first all of them, as far as a limit goes; then,
farther, those alone in which some atom is true for the first time. The latter reaches what can be reached by
collecting one fact after the other; what needs two hard facts at once may be missed. Then, where it is asked
for, towards single probes that none of these states shows (`toward`).

Of the states that were met, those are taken, one after the other, that show most probes for the steps which
they take beyond the ways that are taken already.

Source: the pruning is iterated width 1, Lipovetzky and Geffner 2012.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.probes import Probe, ProbedTask
from envs.pddl.simulation.simulator import PackedStates, Task
from ew.probes.toward import way_to
from ew.walks.policies import Hints
from ew.walks.rivals import novel

#: States that each of both searches looks at.
MAX_STATES = 2000
#: States that all searches towards single probes look at, and one of them.
MAX_SOUGHT, MAX_TOWARD = 2000, 200
#: States times operators above which fewer are looked at: by each of both searches, by all towards probes.
_MAX_LOOKS, _MAX_SOUGHT_LOOKS = 60_000_000, 20_000_000
#: Truth values of operators in states that are looked at in one go.
_MAX_CELLS = 20_000_000


#: The places of the states that a search goes on from.
_Kept = Callable[[PackedStates], list[int]]


@dataclass(frozen=True)
class Way:
    """A walk of the model, and what can be shown at its end: probes, each with an operator to be tried."""

    walk: tuple[str, ...]
    shows: tuple[tuple[Probe, str], ...]


class Reached:
    """The states of a model that were met, the initial one first, and what can be shown in each.

    With `contexts` false, only what is owed: of many operators, contexts are what takes longest.
    """

    def __init__(self, task: ProbedTask, max_states: int = MAX_STATES, *, contexts: bool = True):
        self.task, self._has_contexts = task, contexts
        self._limit = min(max_states, _most_states(task, _MAX_LOOKS))
        self._probes = task.probes if contexts else task.owed
        self._states: list[PackedStates] = [task.initial()]
        self._numbers = {self._states[0].tobytes(): 0}
        self._came: list[tuple[int, int]] = [(-1, -1)]  # from which state, by which operator
        self._hits: dict[int, NDArray[np.bool_]] = {}
        #: whether every state was met, so that what none of them shows cannot be shown
        self.is_whole = self._search(self._all)
        if self.is_whole:
            return
        seen = task.bits(self._states[0])[0].astype(np.bool_)
        self._search(lambda after: novel(task.bits(after).astype(np.bool_), seen))

    @property
    def shown(self) -> frozenset[Probe]:
        """The probes that can be shown somewhere."""
        hits = np.array(list(self._hits.values()))
        return frozenset(self._probes[i] for i in np.flatnonzero(hits.any(axis=0)).tolist())

    def seek(self, wanted: Iterable[Probe]) -> None:
        """Search towards those of some owed probes, in their order, that no state which was met shows."""
        left = 0 if self.is_whole else min(MAX_SOUGHT, _most_states(self.task, _MAX_SOUGHT_LOOKS))
        for probe in wanted:
            if left > 0 and probe in self.task.sought - self.task.impossible - self.shown:
                walk, looked = way_to(self.task, probe, min(left, MAX_TOWARD))
                left -= looked
                self._follow(walk or ())

    def _follow(self, walk: Sequence[int]) -> None:
        """Meet the states of a walk."""
        nodes = [0]
        for operator in walk:
            after = self.task.successors(self._states[nodes[-1]], np.array([operator]))
            nodes.append(self._met(after, nodes[-1], operator))
        self._look_at(nodes)

    def plan(self) -> tuple[str, ...]:
        """A walk to the first state that was met in which the goal holds; empty if there is none."""
        reached = np.flatnonzero(self.task.goal_reached(np.concatenate(self._states)))
        return self._walk(int(reached[0])) if len(reached) else ()

    def ways(self, wanted: Collection[Probe]) -> Iterator[Way]:
        """Ways that show all of these probes that a state which was met shows, the most worthwhile first."""
        nodes = np.array(sorted(self._hits), dtype=np.int64)
        left = np.array([probe in wanted for probe in self._probes], dtype=np.bool_)
        shown = [self._hits[n] for n in nodes.tolist()]
        hits = np.array(shown, dtype=np.bool_).reshape(len(nodes), len(left)) & left
        paved = {0}
        while hits.any():
            gains = np.count_nonzero(hits, axis=1)
            costs = np.array([self._unpaved(n, paved) for n in nodes.tolist()])
            best = int(np.argmax(gains / (1 + costs)))
            node = int(nodes[best])
            shows = self.task.shows(self._states[node], [self._probes[p] for p in np.flatnonzero(hits[best])])
            yield Way(self._walk(node), shows)
            hits[:, hits[best]] = False
            while node not in paved:
                paved.add(node)
                node = self._came[node][0]

    def _unpaved(self, node: int, paved: Collection[int]) -> int:
        steps = 0
        while node not in paved:
            node, steps = self._came[node][0], steps + 1
        return steps

    def _walk(self, node: int) -> tuple[str, ...]:
        walk: list[str] = []
        while node:
            node, operator = self._came[node]
            walk.append(self.task.text(operator))
        return tuple(reversed(walk))

    def _search(self, kept: _Kept) -> bool:
        """Expand from the initial state on; whether that ended before the limit."""
        frontier, left = [0], self._limit
        while frontier and left > 0:
            whole, frontier = len(frontier) <= left, frontier[:left]
            left -= len(frontier)
            frontier = [node for part in self._portions(frontier) for node in self._expand(part, kept)]
            if not whole:
                return False
        return not frontier

    def _expand(self, nodes: Sequence[int], kept: _Kept) -> list[int]:
        states, open_to = self._look_at(nodes)
        rows, operators = self.task.steps(open_to)
        after = self.task.successors(states[rows], operators)
        return [
            self._met(after[place : place + 1], nodes[rows[place]], int(operators[place]))
            for place in kept(after)
        ]

    def _look_at(self, nodes: Sequence[int]) -> tuple[PackedStates, NDArray[np.bool_]]:
        """Note what some states show; they, and what may run in them."""
        states = np.concatenate([self._states[n] for n in nodes])
        open_to = self.task.open_to(states)
        hits = self.task.hits(states, open_to) if self._has_contexts else self.task.owed_hits(open_to)
        self._hits.update(zip(nodes, hits, strict=True))
        return states, open_to

    def _met(self, state: PackedStates, parent: int, operator: int) -> int:
        """The number of a state, a batch of one, that was met before or is now."""
        number = self._numbers.setdefault(state.tobytes(), len(self._states))
        if number == len(self._states):
            self._states.append(state)
            self._came.append((parent, operator))
        return number

    def _all(self, after: PackedStates) -> list[int]:
        """The places of states that were not met before, each once."""
        _, places = np.unique(after, axis=0, return_index=True)
        return [p for p in np.sort(places).tolist() if after[p].tobytes() not in self._numbers]

    def _portions(self, nodes: Sequence[int]) -> Iterator[Sequence[int]]:
        size = _most_states(self.task, _MAX_CELLS)
        for start in range(0, len(nodes), size):
            yield nodes[start : start + size]


def _most_states(task: ProbedTask, looks: int) -> int:
    return max(1, looks // max(1, task.operators))


def probing_hints(task: ProbedTask, model: Task) -> Hints:
    """What the policy `mixed` goes by: walks that show the model's probes, each with the operator to be tried
    as its last, and a walk to the goal, if one was met.
    """
    reached = Reached(task, contexts=False)
    walks = ((*way.walk, operator) for way in reached.ways(task.owed) for _, operator in way.shows)
    return Hints(model, reached.plan(), probes=tuple(walks))
