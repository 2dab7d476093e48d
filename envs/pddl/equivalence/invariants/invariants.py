"""What holds in every reachable state of a problem, derived from its domain and initial state.

Three kinds: groups of which exactly one atom holds, pairs of literals that never hold together, and
predicates of two arguments that never form a cycle (what stands on what). The last is an induction over the
steps: a new pair closes no cycle if nothing leads to where it begins, or nothing from where it ends. Both are
read off the mutexes: no pair that would lead there holds together with the step.

A world may add rules of its own (`invariants.lp`), in the language of clingo over
`holds(predicate, object, ...)` with all names as strings; what they exclude must never be reached. So
`:- holds("at", B, R), holds("at", B, S), R < S.` says that nothing is in two rooms. They may use
`object(name, type)` for the objects and `static(predicate, object, ...)` for what holds for good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.groups import exactly_one
from envs.pddl.equivalence.invariants.mutexes import Pairs, possible_pairs
from envs.pddl.equivalence.invariants.transitions import LiteralStep, Transitions

_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Invariants:
    """What holds in every reachable state; literals are those of `task`."""

    task: Transitions
    groups: tuple[frozenset[int], ...]  #: atom numbers; exactly one of each group holds
    mutexes: tuple[tuple[int, int], ...]  #: pairs of literals that never hold together, beyond the groups
    never: tuple[int, ...]  #: literals that never hold
    acyclic: tuple[str, ...]  #: predicates of two arguments without cycles
    rules: str = ""  #: the world's own


def derive_invariants(task: Transitions, rules: str = "", deadline: Deadline = NO_DEADLINE) -> Invariants:
    """The invariants of a problem's transitions and, if given, the world's rules.

    Raises TooLarge, and OutOfTime at the deadline.
    """
    pairs = possible_pairs(task, deadline)
    groups = exactly_one(task, pairs.steps, deadline)
    grouped: dict[int, set[int]] = {}  # the numbers of the groups that each positive literal is in
    for number, group in enumerate(groups):
        for atom in group:
            grouped.setdefault(2 * atom, set()).add(number)
    beyond = (p for p in pairs.mutexes() if grouped.get(p[0], _NONE).isdisjoint(grouped.get(p[1], _NONE)))
    return Invariants(
        task=task,
        groups=groups,
        mutexes=tuple(beyond),
        never=tuple(literal for literal in task.literals() if not pairs.possible(literal, literal)),
        acyclic=acyclic_predicates(task, pairs, deadline),
        rules=rules,
    )


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


def _closes_none(step: LiteralStep, atoms: list[int], task: Transitions, pairs: Pairs) -> bool:
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


def _gone(literal: int, step: LiteralStep, pairs: Pairs) -> bool:
    """Whether an atom is surely false after a step that does not add it."""
    return literal ^ 1 in step.makes or not all(pairs.possible(literal, need) for need in step.needs)


def has_cycle(edges: Iterable[tuple[str, str]]) -> bool:
    """Whether directed edges form a cycle."""
    following: dict[str, list[str]] = {}
    for begin, end in edges:
        following.setdefault(begin, []).append(end)
    try:
        TopologicalSorter(following).prepare()
    except CycleError:
        return True
    return False
