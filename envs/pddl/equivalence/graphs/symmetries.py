"""Mappings of a problem's objects onto themselves that keep the initial state, searched for with clingo.

Objects can only be mapped within their class of colour refinement, so where no two objects are alike there
is one mapping, and where many are alike their sets of atoms are mostly complete and need no condition. What
a mapping has to do beyond keeping the initial state is given as demands: atoms that must land among others,
or must not. If there is no mapping, clingo has proved it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import perm, prod

import clingo

from envs.pddl.equivalence.deadline import Deadline, OutOfTime, Undecided
from envs.pddl.language.structure import GroundAtom

#: Pairs of an atom and an atom that it may land on, of all demands together.
MAX_PAIRS = 1_000_000

#: Objects to objects.
Mapped = Mapping[str, str]
#: Atoms with the same signature can be mapped onto each other, as far as classes tell.
Signature = tuple[object, ...]


@dataclass(frozen=True)
class Demand:
    """What a mapping has to do with some atoms.

    Each of `atoms` must land on one of `targets`; or on none of them, if `forbidden`; or be landed on by one
    of them, if `backward`.
    """

    atoms: frozenset[GroundAtom]
    targets: frozenset[GroundAtom]
    backward: bool = False
    forbidden: bool = False


def mapped(atom: GroundAtom, mapping: Mapped) -> GroundAtom:
    """The atom about the objects' images."""
    return (atom[0], *(mapping[name] for name in atom[1:]))


def inverse(mapping: Mapped) -> dict[str, str]:
    """The mapping backwards."""
    return {image: name for name, image in mapping.items()}


class Symmetries:
    """The mappings of one initial state onto itself.

    `classes` number the objects; only objects of one class can be mapped onto each other. Constants of the
    domain have classes of their own.
    """

    def __init__(self, init: frozenset[GroundAtom], classes: Mapping[str, int]):
        self._classes = classes
        self._members: dict[int, list[str]] = {}
        for name in sorted(classes):
            self._members.setdefault(classes[name], []).append(name)
        self._init = [
            Demand(frozenset(g), frozenset(g)) for g in self._grouped(init) if not self._complete(g)
        ]

    def find(
        self, demands: Sequence[Demand], excluded: Iterable[Mapped], deadline: Deadline
    ) -> dict[str, str] | None:
        """A mapping that meets the demands and differs from each excluded partial one; None if none does.

        Raises OutOfTime, and Undecided if the objects are too much alike to search their mappings.
        """
        if any(self._outnumbered(demand) for demand in demands):
            return None
        search = _Search(self, deadline)
        for demand in (*self._init, *demands):
            search.demand(demand)
        for partial in excluded:
            search.exclude(partial)
        return search.solved()

    def classes(self) -> Iterable[list[str]]:
        """The objects of each class, sorted."""
        return self._members.values()

    def signature(self, atom: GroundAtom) -> Signature:
        """Predicate, the arguments' classes, and which arguments are the same."""
        first = {name: place for place, name in reversed(list(enumerate(atom[1:])))}
        return (atom[0], *((self._classes[name], first[name]) for name in atom[1:]))

    def _grouped(self, atoms: Iterable[GroundAtom]) -> Iterable[list[GroundAtom]]:
        groups: dict[Signature, list[GroundAtom]] = {}
        for atom in atoms:
            groups.setdefault(self.signature(atom), []).append(atom)
        return groups.values()

    def _complete(self, group: Sequence[GroundAtom]) -> bool:
        """Whether the group holds all atoms of its signature, so that every mapping keeps it."""
        places = Counter(self._classes[name] for name in dict.fromkeys(group[0][1:]))
        return len(group) == prod(perm(len(self._members[own]), count) for own, count in places.items())

    def _outnumbered(self, demand: Demand) -> bool:
        """Whether there are fewer targets than atoms of some signature."""
        wanted, room = (Counter(map(self.signature, some)) for some in (demand.atoms, demand.targets))
        return not demand.forbidden and not wanted <= room


class _Search:
    """One program: what is mapped where is its choice."""

    def __init__(self, symmetries: Symmetries, deadline: Deadline):
        self._symmetries = symmetries
        self._deadline = deadline
        self._control = clingo.Control(["1", "--warn=none"])
        self._left = MAX_PAIRS
        with self._control.backend() as backend:
            self._maps: dict[tuple[str, str], int] = {}
            for members in symmetries.classes():
                if len(members) > 1:
                    self._permute(backend, members)

    def demand(self, demand: Demand) -> None:
        """Every answer meets the demand."""
        targets: dict[Signature, list[GroundAtom]] = {}
        for target in sorted(demand.targets):
            targets.setdefault(self._symmetries.signature(target), []).append(target)
        with self._control.backend() as backend:
            for atom in sorted(demand.atoms):
                self._land(backend, atom, targets.get(self._symmetries.signature(atom), []), demand)

    def exclude(self, partial: Mapped) -> None:
        """No answer maps these objects like this."""
        pairs = [self._maps[pair] for pair in partial.items() if pair in self._maps]
        with self._control.backend() as backend:
            backend.add_rule([], pairs)

    def solved(self) -> dict[str, str] | None:
        """An answer, None if there is none. Raises OutOfTime."""
        found: list[dict[str, str]] = []
        same = {name: name for members in self._symmetries.classes() for name in members}

        def note(model: clingo.Model) -> None:
            held = (pair for pair, number in self._maps.items() if model.is_true(number))
            found.append(same | dict(held))

        with self._control.solve(on_model=note, async_=True) as handle:
            if not handle.wait(self._deadline.left()):
                handle.cancel()
                raise OutOfTime("the time for comparing is over")
        return found[0] if found else None

    def _permute(self, backend: clingo.Backend, members: Sequence[str]) -> None:
        """Each member is mapped onto one, and each is landed on by one."""
        table = [[backend.add_atom() for _ in members] for _ in members]
        self._count(len(members) ** 2)
        backend.add_rule([number for row in table for number in row], [], choice=True)
        for line in (*table, *zip(*table, strict=True)):
            backend.add_rule([], [-number for number in line])
            backend.add_weight_rule([], 2, [(number, 1) for number in line])
        for name, row in zip(members, table, strict=True):
            for image, number in zip(members, row, strict=True):
                self._maps[name, image] = number

    def _land(
        self, backend: clingo.Backend, atom: GroundAtom, targets: Sequence[GroundAtom], demand: Demand
    ) -> None:
        self._count(len(targets))
        self._deadline.left()
        ways = []
        for target in targets:
            source, image = (target, atom) if demand.backward else (atom, target)
            pairs = sorted(
                {self._maps[pair] for pair in zip(source[1:], image[1:], strict=True) if pair in self._maps}
            )
            if demand.forbidden:
                backend.add_rule([], pairs)
            elif not pairs:
                return  # nothing about these objects is open
            else:
                ways.append(pairs)
        if not demand.forbidden:
            backend.add_rule([], [-_both(backend, pairs) for pairs in ways])

    def _count(self, pairs: int) -> None:
        self._left -= pairs
        if self._left < 0:
            raise Undecided(f"too many objects are alike: over {MAX_PAIRS:,} ways to map an atom each")


def _both(backend: clingo.Backend, pairs: Sequence[int]) -> int:
    """An atom that holds iff all of these do."""
    if len(pairs) == 1:
        return pairs[0]
    joint: int = backend.add_atom()
    backend.add_rule([joint], pairs)
    return joint
