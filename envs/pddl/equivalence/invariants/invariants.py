"""What holds in every reachable state of a problem, derived from its domain and initial state.

Three kinds: groups of which exactly one atom holds, pairs of literals that never hold together, and
predicates that never form a cycle. A world may add rules of its own (`invariants.lp`), in the language of
clingo over `holds(predicate, object, ...)` with all names as strings; what they exclude must never be
reached. So `:- holds("at", B, R), holds("at", B, S), R < S.` says that nothing is in two rooms. They may use
`object(name, type)` for the objects and `static(predicate, object, ...)` for what holds for good.
"""

from __future__ import annotations

from dataclasses import dataclass

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.acyclic import acyclic_predicates
from envs.pddl.equivalence.invariants.groups import exactly_one
from envs.pddl.equivalence.invariants.mutexes import possible_pairs
from envs.pddl.equivalence.invariants.transitions import Transitions


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
    together = _Together(groups)
    return Invariants(
        task=task,
        groups=groups,
        mutexes=tuple(pair for pair in pairs.mutexes() if not together.excludes(*pair)),
        never=tuple(literal for literal in task.literals() if not pairs.possible(literal, literal)),
        acyclic=acyclic_predicates(task, pairs, deadline),
        rules=rules,
    )


class _Together:
    """Which atoms share a group."""

    def __init__(self, groups: tuple[frozenset[int], ...]):
        self._of: dict[int, set[int]] = {}
        for number, group in enumerate(groups):
            for atom in group:
                self._of.setdefault(atom, set()).add(number)

    def excludes(self, one: int, other: int) -> bool:
        """Whether two literals are atoms of one group."""
        if one & 1 or other & 1:
            return False
        return not self._of.get(one // 2, set()).isdisjoint(self._of.get(other // 2, ()))
