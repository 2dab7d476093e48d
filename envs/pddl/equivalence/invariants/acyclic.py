"""Predicates of two arguments that never form a cycle: what stands on what.

An induction over the steps: a new pair closes no cycle if nothing leads to where it begins, or nothing from
where it ends. Both are read off the mutexes: no pair that would lead there holds together with the step.
"""

from __future__ import annotations

from collections.abc import Iterable

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.mutexes import Pairs
from envs.pddl.equivalence.invariants.steps import Step
from envs.pddl.equivalence.invariants.transitions import Transitions


def acyclic_predicates(task: Transitions, pairs: Pairs, deadline: Deadline = NO_DEADLINE) -> tuple[str, ...]:
    """The fluent predicates of two arguments whose atoms form no cycle in any reachable state, sorted.

    Raises OutOfTime at the deadline.
    """
    names = sorted({atom[0] for atom in task.atoms if len(atom) == 3})
    return tuple(name for name in names if _stays_acyclic(name, task, pairs, deadline))


def _stays_acyclic(name: str, task: Transitions, pairs: Pairs, deadline: Deadline) -> bool:
    atoms = [i for i, atom in enumerate(task.atoms) if atom[0] == name]
    initial = [(task.atoms[i][1], task.atoms[i][2]) for i in atoms if 2 * i in task.initial]
    if has_cycle(initial):
        return False
    for step in pairs.steps:
        deadline.left()
        if not _closes_none(step, atoms, task, pairs):
            return False
    return True


def _closes_none(step: Step, atoms: list[int], task: Transitions, pairs: Pairs) -> bool:
    making = step.makes.union(literal for literal, _ in step.may)
    added = [i for i in atoms if 2 * i in making and 2 * i not in step.needs]
    if not added:
        return True
    if len(added) > 1:
        return False
    _, begin, end = task.atoms[added[0]]
    if begin == end:
        return False
    leading = [2 * i for i in atoms if task.atoms[i][2] == begin]
    following = [2 * i for i in atoms if task.atoms[i][1] == end]
    return any(all(_gone(literal, step, pairs) for literal in some) for some in (leading, following))


def _gone(literal: int, step: Step, pairs: Pairs) -> bool:
    """Whether an atom is surely false after a step that does not add it."""
    return literal ^ 1 in step.makes or not all(pairs.possible(literal, need) for need in step.needs)


def has_cycle(edges: Iterable[tuple[str, str]]) -> bool:
    """Whether directed edges form a cycle."""
    following: dict[str, list[str]] = {}
    leading: dict[str, int] = {}
    for begin, end in edges:
        following.setdefault(begin, []).append(end)
        leading[end] = leading.get(end, 0) + 1
        leading.setdefault(begin, 0)
    free = [node for node, count in leading.items() if not count]
    for node in free:
        for end in following.get(node, ()):
            leading[end] -= 1
            if not leading[end]:
                free.append(end)
    return len(free) < len(leading)
