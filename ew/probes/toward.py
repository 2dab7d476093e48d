"""The way to one probe, by a search that goes by how far away the probe seems.

States are taken one after another, first those whose parent had the shortest relaxed plan to the probe; of
its successors, first those by a step of that plan. What the found walk does not need is left out of it.

Source: lazy greedy best-first search with preferred operators, Helmert 2006; leaving steps out, action
elimination, Nakhost and Müller 2010.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from envs.pddl.interface import OperatorIndices
from envs.pddl.simulation.probes import Probe, ProbedTask
from envs.pddl.simulation.simulator import PackedStates

#: A walk of the model by its operators' numbers.
Walk = tuple[int, ...]


def way_to(task: ProbedTask, probe: Probe, most: int) -> tuple[Walk | None, int]:
    """A walk from the initial state to one that shows the probe, and how many states were looked at.

    The walk is None if none of `most` states showed it.
    """
    targets = task.operators_of(probe)
    start = task.initial()
    came: list[tuple[PackedStates, int, int]] = [(start, -1, -1)]  # state, parent's number, operator
    seen, waiting, looked = {start.tobytes()}, [(0, False, 0)], 0
    while waiting and looked < most:
        node = heapq.heappop(waiting)[-1]
        state = came[node][0]
        open_to = task.open_to(state)
        if open_to[0, targets].any():
            return _without_needless(task, _walk(came, node), targets), looked
        looked += 1
        plan = task.relaxed_plan(state, targets)
        if plan is None:
            continue
        _, operators = task.steps(open_to)
        after = task.successors(np.repeat(state, len(operators), axis=0), operators)
        for place, operator in enumerate(operators.tolist()):
            if (key := after[place].tobytes()) not in seen:
                seen.add(key)
                heapq.heappush(waiting, (len(plan), operator not in plan, len(came)))
                came.append((after[place : place + 1], node, operator))
    return None, looked


def _walk(came: Sequence[tuple[PackedStates, int, int]], node: int) -> Walk:
    walk: list[int] = []
    while node:
        _, node, operator = came[node]
        walk.append(operator)
    return tuple(reversed(walk))


def _without_needless(task: ProbedTask, walk: Walk, targets: OperatorIndices) -> Walk:
    """The walk without steps, and those which need them, that its end does without."""
    place = 0
    while place < len(walk):
        state, kept = task.initial(), list(walk[:place])
        for operator in kept:
            state = task.successors(state, np.array([operator]))
        for operator in walk[place + 1 :]:
            if task.open_to(state)[0, operator]:
                state = task.successors(state, np.array([operator]))
                kept.append(operator)
        if task.open_to(state)[0, targets].any():
            walk = tuple(kept)
        else:
            place += 1
    return walk
