"""Which two literals can never hold together: a fixpoint over all pairs.

A pair is thought possible if it holds at first, or if a step whose needs are pairwise possible makes both
true, or makes one true and leaves the other alone, which is pairwise possible with all its needs. What is
never thought possible is a mutex; the converse does not hold. Literals of false atoms take part, so that
`at least one of two` and `one implies the other` are found too.

Source: the fixpoint h^2 of P. Haslum and H. Geffner, Admissible heuristics for optimal planning, AIPS 2000.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.transitions import Literals, LiteralStep, TooLarge, Transitions

#: Atoms above which the pairs are too many.
MAX_ATOMS = 2000
_CHECKED = 256  #: steps between two looks at the clock


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


def possible_pairs(task: Transitions, deadline: Deadline = NO_DEADLINE) -> Pairs:
    """The fixpoint. Raises TooLarge, and OutOfTime at the deadline."""
    if len(task.atoms) > MAX_ATOMS:
        raise TooLarge(f"{len(task.atoms):,} atoms are more than {MAX_ATOMS:,}")
    return _Fixpoint(task, deadline).found()


class _Fixpoint:
    def __init__(self, task: Transitions, deadline: Deadline):
        self._deadline = deadline
        initial = _mask(task.initial)
        self._rows = [initial if initial >> literal & 1 else 0 for literal in task.literals()]
        self._all = (1 << len(self._rows)) - 1
        self._changed = [1] * len(self._rows)  # the round in which a row was last changed
        self._steps = [(step, sorted(step.needs)) for step in task.steps]
        self._seen = [0] * len(self._steps)  # the round in which a step was last run

    def found(self) -> Pairs:
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
        beside = self._all if literals else self._alive()
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

    def _alive(self) -> int:
        return _mask(literal for literal, row in enumerate(self._rows) if row >> literal & 1)


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
