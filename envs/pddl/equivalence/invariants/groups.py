"""Groups of atoms of which exactly one holds in every reachable state: where a ball is, what is on a block.

Candidates are lifted: some predicates, their arguments partly bound to the key of the group (the ball),
at most one argument of each counted over all objects (the room). They are tested on the ground steps, one
group a key. A step that adds an atom without taking one away breaks the candidate; adding a predicate that
the step deletes from may repair it. What is tested is an induction: if one atom of a group holds before a
step, one holds after it.

Source: the idea of M. Helmert, Concise finite-domain representations for PDDL planning tasks, AIJ 2009,
section 5; there the test is lifted too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.transitions import LiteralStep, Transitions
from envs.pddl.language.structure import GroundAtom

#: Candidates that are tested at most.
MAX_CANDIDATES = 300
#: Arguments that a key has at most.
_MAX_KEY = 2

#: The values of a group's key.
Key = tuple[str, ...]


@dataclass(frozen=True, order=True)
class KeyedPredicate:
    """A predicate of a candidate: at which of its arguments each value of the key stands.

    One more argument, if there is one, is counted over.
    """

    predicate: str
    places: tuple[int, ...]

    def key_of(self, atom: GroundAtom) -> Key | None:
        """The key of an atom's group; None if it is in none."""
        if atom[0] != self.predicate:
            return None
        return tuple(atom[1 + place] for place in self.places)


_Candidate = frozenset[KeyedPredicate]


def exactly_one(
    task: Transitions, steps: Sequence[LiteralStep], deadline: Deadline = NO_DEADLINE
) -> tuple[frozenset[int], ...]:
    """Groups of atom numbers; in every state that the steps reach, one atom of each group holds.

    Raises OutOfTime at the deadline.
    """
    found: dict[frozenset[int], None] = {}
    waiting = list(dict.fromkeys(_first(task)))
    seen = set(waiting)
    for candidate in waiting:  # which grows meanwhile
        if len(seen) > MAX_CANDIDATES:
            break
        deadline.left()
        tested = _Tested(candidate, task, steps, deadline)
        found.update(dict.fromkeys(tested.groups()))
        fresh = [larger for larger in dict.fromkeys(_extended(candidate, tested, task)) if larger not in seen]
        seen.update(fresh)
        waiting += fresh
    return tuple(found)


def _first(task: Transitions) -> Iterator[_Candidate]:
    for name, arity in sorted({atom[0]: len(atom) - 1 for atom in task.atoms}.items()):
        places = range(arity)
        if arity <= _MAX_KEY:
            yield frozenset({KeyedPredicate(name, tuple(places))})
        if 0 < arity <= _MAX_KEY + 1:
            for counted in places:
                yield frozenset({KeyedPredicate(name, tuple(p for p in places if p != counted))})


def _extended(candidate: _Candidate, tested: _Tested, task: Transitions) -> Iterator[_Candidate]:
    """The candidate with one more predicate, which takes an atom away where the broken test lacks one."""
    if tested.broken is None or len(candidate) > 6:
        return
    step, key = tested.broken
    present = {part.predicate for part in candidate}
    for literal in (n for n in sorted(step.needs) if not n & 1 and n ^ 1 in step.makes):
        atom = task.atoms[literal // 2]
        arity = len(atom) - 1
        if atom[0] in present or not len(key) <= arity <= len(key) + 1:
            continue
        parts = (KeyedPredicate(atom[0], places) for places in permutations(range(arity), len(key)))
        yield from (candidate | {part} for part in parts if part.key_of(atom) == key)


class _Tested:
    """A candidate's groups, and the first step that breaks one by adding an atom; see `groups`."""

    def __init__(
        self, candidate: _Candidate, task: Transitions, steps: Sequence[LiteralStep], deadline: Deadline
    ):
        self._keys = [_key_of(candidate, atom) for atom in task.atoms]
        self._members: dict[Key, list[int]] = {}
        for atom, key in enumerate(self._keys):
            if key is not None:
                self._members.setdefault(key, []).append(atom)
        self._intact = set(self._members)
        self.broken: tuple[LiteralStep, Key] | None = None
        for step in steps:
            deadline.left()
            self._judge(step)
        true = [self._keys[literal // 2] for literal in task.initial if not literal & 1]
        self._kept = {key for key in self._intact if true.count(key) == 1}

    def groups(self) -> Iterator[frozenset[int]]:
        """The atoms of each group of which exactly one holds in every reachable state."""
        return (frozenset(atoms) for key, atoms in self._members.items() if key in self._kept)

    def _judge(self, step: LiteralStep) -> None:
        """Drop the groups of which the step may leave none or two atoms true."""
        before, made = self._by_key(step.needs, 0), self._by_key(step.makes, 0)
        deleted = self._by_key(step.makes, 1)
        open_yet = frozenset(literal // 2 for literal, _ in step.may)
        self._intact -= {key for atom in open_yet if (key := self._keys[atom]) is not None}
        for key in dict.fromkeys((*made, *deleted)):
            known = before.get(key, frozenset())
            if len(known) > 1:
                continue  # the step never runs while one atom of the group holds
            added = made.get(key, frozenset()) - known
            stays = known - deleted.get(key, frozenset())
            if len(stays) + len(added) > 1 or (added and not known):
                self.broken = self.broken or (step, key)
                self._intact.discard(key)
            elif not stays and not added:
                self._intact.discard(key)

    def _by_key(self, literals: frozenset[int], sign: int) -> dict[Key, frozenset[int]]:
        """The atoms of the literals of one sign (0: true, 1: false), by the key of their group."""
        found: dict[Key, frozenset[int]] = {}
        for literal in literals:
            key = self._keys[literal // 2]
            if key is not None and literal & 1 == sign:
                found[key] = found.get(key, frozenset()) | {literal // 2}
        return found


def _key_of(candidate: _Candidate, atom: GroundAtom) -> Key | None:
    return next((key for part in candidate if (key := part.key_of(atom)) is not None), None)
