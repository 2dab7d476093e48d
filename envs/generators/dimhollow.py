"""Tasks of `dimhollow`: tenders and motes to be brought to other hollows, which are to be aglow or dark.

Solvable by construction: `Burrow` plays the world's rules, the task's goal is taken from the state that a
random walk leads to, and that walk is a plan. A walk that gets stuck before its end, or that leaves more
than a third of the tenders and motes where they were, is thrown away and another one tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import Literal, TaskFacts, TaskGenerator, network, pick, shuffled, sized

_AGLOW = 0.3  # chance that a hollow is aglow at first
_RIPE = 0.5  # chance that a mote is ripe at first
_ASKED = 0.5  # chance that the goal speaks of a mote's ripeness, or of a hollow whose glow has changed

_PLACED = ("stands", "rests", "bears")  # the predicates that say where a tender or a mote is

#: The action and its arguments.
Operator = tuple[str, ...]


@dataclass(frozen=True)
class Dimhollow(TaskGenerator):
    """Tasks of `dimhollow`. Raises ValueError if nothing could happen in one."""

    tenders: int = sized(1, (1, 1, 1, 2, 2, 2, 2, 3, 3, 3), least=1)
    #: from 5 on, planners need much time for "no mote rests here"
    motes: int = sized(2, (2, 2, 3, 2, 3, 3, 4, 3, 4, 4), least=1)
    hollows: int = sized(4, (4, 5, 5, 5, 6, 7, 7, 8, 9, 10), least=2)
    #: seams more than are needed to connect all hollows; each leads both ways
    loops: int = sized(1, (1, 1, 1, 1, 2, 2, 2, 2, 3, 4))
    #: length of the walk; most plans are shorter
    steps: int = sized(30, (30, 35, 40, 40, 45, 50, 55, 60, 65, 70), least=1)

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: every tender and every mote has a goal."""
        return self.rehearse(rng)[0]

    def rehearse(self, rng: np.random.Generator) -> tuple[TaskFacts, tuple[Operator, ...]]:
        """A task of this size, and a plan for it."""
        while True:
            burrow = _burrow(rng, self)
            init, motes = burrow.atoms(), sorted(burrow.rests)
            walk = _wander(rng, burrow, self.steps)
            objects = {"tender": list(burrow.stands), "hollow": list(burrow.near), "mote": motes}
            task = replace(TaskFacts.of(objects, init, ()), goal=tuple(_goal(rng, init, burrow)))
            if len(walk) == self.steps and 3 * _moved(task) >= 2 * (self.tenders + self.motes):
                return task, walk


@dataclass
class Burrow:
    """The rules of the world, played on dictionaries."""

    near: dict[str, list[str]]  #: hollow → the hollows to which a seam leads from it
    stands: dict[str, str]  #: tender → hollow
    rests: dict[str, str]  #: mote → hollow, for the motes that no tender bears
    bears: dict[str, str] = field(default_factory=dict)  #: tender → mote
    aglow: set[str] = field(default_factory=set)
    ripe: set[str] = field(default_factory=set)

    def operators(self) -> dict[str, list[Operator]]:
        """What can be done now: by action, those of which something can be done."""
        found: dict[str, list[Operator]] = {}
        for operator in (*self._of_tenders(), *self._mellowing()):
            found.setdefault(operator[0], []).append(operator)
        return found

    def apply(self, operator: Operator) -> None:
        """Do it. It must be one of `operators()`."""
        match operator:
            case ("slip", tender, start, end):
                del self.stands[tender]
                if start not in (*self.stands.values(), *self.rests.values()):
                    self.aglow.discard(start)
                self.stands[tender] = end
            case ("gather", tender, mote, _):
                del self.rests[mote]
                self.bears[tender] = mote
            case ("lay", tender, mote, here):
                del self.bears[tender]
                self.rests[mote] = here
            case ("kindle", _, spent, _, there):
                self.aglow.add(there)
                self.ripe -= {spent, *(mote for mote, hollow in self.rests.items() if hollow == there)}
            case ("mellow", mote, _):
                self.ripe.add(mote)
            case ("hush", _, _, there):
                self.aglow.discard(there)

    def atoms(self) -> tuple[GroundAtom, ...]:
        """All that is true now."""
        return (
            *(("stands", *entry) for entry in sorted(self.stands.items())),
            *(("seam", hollow, other) for hollow, others in self.near.items() for other in others),
            *(("aglow", hollow) for hollow in self.near if hollow in self.aglow),
            *(("rests", *entry) for entry in sorted(self.rests.items())),
            *(("bears", *entry) for entry in sorted(self.bears.items())),
            *(("ripe", mote) for mote in sorted(self.ripe)),
        )

    def _of_tenders(self) -> Iterator[Operator]:
        occupied = set(self.stands.values())
        for tender, here in sorted(self.stands.items()):
            mote = self.bears.get(tender)
            if mote is None:
                yield from (("gather", tender, m, here) for m, at in sorted(self.rests.items()) if at == here)
            else:
                yield "lay", tender, mote, here
            for there in self.near[here]:
                if there in self.aglow:
                    yield "slip", tender, here, there
                    if there not in occupied:
                        yield "hush", tender, here, there
                elif mote is not None and mote in self.ripe:
                    yield "kindle", tender, mote, here, there

    def _mellowing(self) -> Iterator[Operator]:
        for mote, hollow in sorted(self.rests.items()):
            if mote not in self.ripe and self.aglow.isdisjoint(self.near[hollow]):
                yield "mellow", mote, hollow


def _wander(rng: np.random.Generator, burrow: Burrow, steps: int) -> tuple[Operator, ...]:
    """Do `steps` random things, fewer if nothing is left to do; every possible action is as likely.

    But a mote is not laid down right after it has been gathered, nor gathered right after it has been laid
    down, if anything else is possible.
    """
    walk: list[Operator] = []
    while len(walk) < steps and (kinds := burrow.operators()):
        last = walk[-1][0] if walk else ""
        names = [name for name in kinds if {name, last} != {"gather", "lay"}] or list(kinds)
        walk.append(pick(rng, kinds[pick(rng, names)]))
        burrow.apply(walk[-1])
    return tuple(walk)


def _moved(task: TaskFacts) -> int:
    """How many tenders and motes are to be elsewhere than they are at first."""
    return sum(atom not in task.init for holds, atom in task.goal if holds and atom[0] in _PLACED)


def _goal(rng: np.random.Generator, init: tuple[GroundAtom, ...], burrow: Burrow) -> Iterator[Literal]:
    """Where every tender and every mote is now, and some of what is ripe, aglow or dark."""
    atoms = burrow.atoms()
    yield from ((True, atom) for atom in atoms if atom[0] in _PLACED)
    for mote in sorted((*burrow.rests, *burrow.bears.values())):
        if rng.random() < _ASKED:
            yield mote in burrow.ripe, ("ripe", mote)
    for hollow in burrow.near:
        glow = ("aglow", hollow)
        if (glow in atoms) != (glow in init) and rng.random() < _ASKED:
            yield glow in atoms, glow


def _burrow(rng: np.random.Generator, size: Dimhollow) -> Burrow:
    """A random state in a random connected burrow, with the first tender beside the first mote."""
    hollows, motes, tenders = size.names("hollow", "mote", "tender")
    seams = [{*pair} for pair in network(rng, shuffled(rng, hollows), hollows, size.loops)]
    near = {hollow: [other for other in hollows if {hollow, other} in seams] for hollow in hollows}
    stands = {tender: pick(rng, hollows) for tender in tenders}
    rests = {motes[0]: stands[tenders[0]], **{mote: pick(rng, hollows) for mote in motes[1:]}}
    aglow = {hollow for hollow in hollows if rng.random() < _AGLOW}
    return Burrow(near, stands, rests, aglow=aglow, ripe={mote for mote in motes if rng.random() < _RIPE})
