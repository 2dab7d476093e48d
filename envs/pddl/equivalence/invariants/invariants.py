"""What holds in every reachable state of a problem, derived from its domain and initial state.

Three kinds: groups of which exactly one atom holds, pairs of literals that never hold together, and
predicates of two arguments that never form a cycle (what stands on what). The last is an induction over the
steps: a new pair closes no cycle if nothing leads to where it begins, or nothing from where it ends. Both are
read off the mutexes: no pair that would lead there holds together with the step.

A world may add rules of its own (`invariants.lp`), in the language of clingo over
`holds(predicate, object, ...)` with all names as strings; what they exclude must never be reached. So
`:- holds("at", B, R), holds("at", B, S), R < S.` says that nothing is in two rooms. They may use
`object(name, type)` for the objects and `static(predicate, object, ...)` for what holds for good.

Which two literals can never hold together is a fixpoint over all pairs. A pair is thought possible if it
holds at first, or if a step whose needs are pairwise possible makes both true, or makes one true and leaves
the other alone, which is pairwise possible with all its needs. What is never thought possible is a mutex; the
converse does not hold. Literals of false atoms take part, so that `at least one of two` and `one implies the
other` are found too. Source: the fixpoint h^2 of P. Haslum and H. Geffner, Admissible heuristics for optimal
planning, AIPS 2000.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.groups import exactly_one
from envs.pddl.equivalence.invariants.transitions import Literals, LiteralStep, TooLarge, Transitions

#: Atoms above which the pairs are too many.
MAX_ATOMS = 2000
_CHECKED = 256  #: steps between two looks at the clock
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
    pairs = _Fixpoint(task, deadline).found()
    groups = exactly_one(task, pairs.steps, deadline)
    grouped: dict[int, set[int]] = {}  # the numbers of the groups that each positive literal is in
    for number, group in enumerate(groups):
        for atom in group:
            grouped.setdefault(2 * atom, set()).add(number)
    binary = sorted({atom[0] for atom in task.atoms if len(atom) == 3})
    beyond = (p for p in pairs.mutexes() if grouped.get(p[0], _NONE).isdisjoint(grouped.get(p[1], _NONE)))
    return Invariants(
        task=task,
        groups=groups,
        mutexes=tuple(beyond),
        never=tuple(literal for literal in task.literals() if not pairs.possible(literal, literal)),
        acyclic=tuple(name for name in binary if _stays_acyclic(name, task, pairs, deadline)),
        rules=rules,
    )


def _stays_acyclic(name: str, task: Transitions, pairs: Pairs, deadline: Deadline) -> bool:
    """Whether the atoms of a predicate of two arguments form no cycle in any reachable state."""
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


@dataclass(frozen=True)
class Pairs:
    """The pairs of literals that may hold together; bit `k` of row `l` stands for literals `l` and `k`."""

    rows: tuple[int, ...]
    steps: tuple[LiteralStep, ...]  #: those whose needs are possible

    def possible(self, one: int, other: int) -> bool:
        """Whether two literals may hold together; a literal with itself: whether it may hold at all."""
        return bool(self.rows[one] >> other & 1)

    def mutexes(self) -> Iterator[tuple[int, int]]:
        """Every pair of two atoms' possible literals that never hold together, the smaller one first."""
        alive = _mask(literal for literal in range(len(self.rows)) if self.possible(literal, literal))
        for one in _bits(alive):
            beyond = alive & ~self.rows[one] & ~((1 << (one | 1) + 1) - 1)
            for other in _bits(beyond):
                yield one, other


class _Fixpoint:
    def __init__(self, task: Transitions, deadline: Deadline):
        """Raises TooLarge."""
        if len(task.atoms) > MAX_ATOMS:
            raise TooLarge(f"{len(task.atoms):,} atoms are more than {MAX_ATOMS:,}")
        self._deadline = deadline
        initial = _mask(task.initial)
        self._rows = [initial if initial >> literal & 1 else 0 for literal in task.literals()]
        self._all = (1 << len(self._rows)) - 1
        self._changed = [1] * len(self._rows)  # the round in which a row was last changed
        self._steps = [(step, sorted(step.needs)) for step in task.steps]
        self._seen = [0] * len(self._steps)  # the round in which a step was last run

    def found(self) -> Pairs:
        """The fixpoint. Raises OutOfTime at the deadline."""
        now, going = 2, True
        while going:
            going = False
            for i, (step, needs) in enumerate(self._steps):
                if i % _CHECKED == 0:
                    self._deadline.left()
                # Conditions of effects that may happen are no needs, but their rows count too.
                if needs and not step.may and self._seen[i] > max(self._changed[n] for n in needs):
                    continue
                if self._may_hold(needs):
                    self._seen[i] = now
                    if self._run(step, needs, now):
                        going = True
                        now += 1
            now += 1
        steps = tuple(step for step, needs in self._steps if self._may_hold(needs))
        return Pairs(tuple(self._rows), steps)

    def _may_hold(self, literals: Sequence[int]) -> bool:
        wanted = _mask(literals)
        return all(self._rows[literal] & wanted == wanted for literal in literals)

    def _beside(self, literals: Sequence[int]) -> int:
        """What may hold together with each of the literals."""
        if not literals:
            return _mask(literal for literal, row in enumerate(self._rows) if row >> literal & 1)
        beside = self._all
        for literal in literals:
            beside &= self._rows[literal]
        return beside

    def _run(self, step: LiteralStep, needs: Sequence[int], now: int) -> bool:
        """Enter what holds together after a step; whether anything is new."""
        may = [(literal, sorted({*needs, *condition})) for literal, condition in sorted(step.may, key=_order)]
        happening = [(literal, held) for literal, held in may if self._may_hold(held)]
        made = _mask(step.makes)
        undone = _mask(literal ^ 1 for literal in step.makes)
        also = made | _mask(literal for literal, _ in happening)
        entries = [(literal, self._beside(needs)) for literal in sorted(step.makes)]
        entries += [(literal, self._beside(held)) for literal, held in happening]
        new = False
        for literal, beside in entries:
            fresh = ((beside & ~undone) | also) & ~(1 << (literal ^ 1)) & ~self._rows[literal]
            if fresh:
                new = True
                self._enter(literal, fresh, now)
        return new

    def _enter(self, made: int, fresh: int, now: int) -> None:
        self._rows[made] |= fresh
        self._changed[made] = now
        bit = 1 << made
        for other in _bits(fresh):
            self._rows[other] |= bit
            self._changed[other] = now


def _mask(literals: Iterable[int]) -> int:
    mask = 0
    for literal in literals:
        mask |= 1 << literal
    return mask


def _order(entry: tuple[int, Literals]) -> tuple[int, list[int]]:
    return entry[0], sorted(entry[1])


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
