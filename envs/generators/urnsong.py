"""Tasks of `urnsong`: urns are to stand in certain vaults and sing at certain pitches.

Solvable by construction. The pitches form a ring, so heaving and lowering an urn again and again in a vault
brings it to any pitch, and where straw lies it is gone after one soft lift. The vaults are connected by
arches that lead both ways, and those that are not sealed are connected among themselves and hold every
chanter and at least two urns: these two can be brought, at one pitch, next to any sealed vault on their
border. A seal that is broken never comes back. With all seals broken every urn can be set to its pitch in its
vault, one after the other, without touching the rest, and straw be strewn at the very end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick, sample, shuffled

_SEMITONES = ("dun", "rel", "mir", "fal", "sor", "tal")


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if it could not be solved or there would be nothing to do."""

    vaults: int = 3  #: 2 or more, of which one at least is not sealed
    urns: int = 2  #: 2 or more
    pitches: int = 3  #: of the ring: 3 to 6
    chanters: int = 1
    sealed: int = 1  #: vaults that are sealed at first
    goals: int = 1  #: urns whose vault and pitch the goal names
    shortcuts: int = 0  #: arches, both ways, besides those that connect the vaults
    strewn: int = 0  #: vaults that are to be strewn in the end

    def __post_init__(self) -> None:
        if not (0 <= self.sealed < self.vaults and self.urns >= 2 and self.chanters >= 1):
            raise ValueError(f"{self}: a task needs a vault that is not sealed, two urns and a chanter")
        if not 3 <= self.pitches <= len(_SEMITONES):
            raise ValueError(f"{self}: there are 3 to {len(_SEMITONES)} pitches")
        if not (1 <= self.goals <= self.urns and 0 <= self.strewn <= self.vaults >= 2):
            raise ValueError(f"{self}: the goal names 1 to {self.urns} urns, and vaults that there are")


SIZES: tuple[Size, ...] = (
    Size(vaults=3, urns=2, pitches=3, sealed=1, goals=1),
    Size(vaults=4, urns=3, pitches=3, sealed=1, goals=2),
    Size(vaults=5, urns=3, pitches=4, sealed=2, goals=2, strewn=1),
    Size(vaults=6, urns=4, pitches=4, sealed=2, goals=3, shortcuts=1),
    Size(vaults=6, urns=4, pitches=4, chanters=2, sealed=2, goals=3, shortcuts=1, strewn=1),
    Size(vaults=7, urns=4, pitches=5, chanters=2, sealed=3, goals=4, shortcuts=1),
    Size(vaults=8, urns=5, pitches=5, chanters=2, sealed=2, goals=4, shortcuts=2, strewn=1),
    Size(vaults=9, urns=5, pitches=5, chanters=2, sealed=2, goals=5, shortcuts=2, strewn=2),
    Size(vaults=10, urns=6, pitches=5, chanters=2, sealed=2, goals=5, shortcuts=2, strewn=2),
    Size(vaults=12, urns=6, pitches=6, chanters=2, sealed=2, goals=6, shortcuts=3, strewn=3),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size. The goal says for some urns where they stand and at which pitch they sing."""
    vaults, urns = _names("vault", size.vaults), _names("urn", size.urns)
    chanters, pitches = _names("chanter", size.chanters), list(_SEMITONES[: size.pitches])
    order = shuffled(rng, vaults)
    arches = _arches(rng, order, size.shortcuts)
    sealed = order[len(order) - size.sealed :]
    free = order[: len(order) - size.sealed]
    homes = [*(pick(rng, free) for _ in range(2)), *(pick(rng, order) for _ in urns[2:])]
    at = dict(zip(shuffled(rng, urns), homes, strict=True))
    init: list[GroundAtom] = [
        *(("arch", a, b) for a, b in arches),
        *(("sharpens", a, b) for a, b in pairwise([*pitches, pitches[0]])),
        *(("among", chanter, pick(rng, free)) for chanter in chanters),
        *(("arms-free", chanter) for chanter in chanters),
        *(("stands-in", urn, at[urn]) for urn in urns),
        *(("sings", urn, pick(rng, pitches)) for urn in urns),
        *(("strewn", vault) for vault in vaults if rng.random() < 0.3),
        *(("sealed", vault) for vault in vaults if vault in sealed),
    ]
    objects = {
        **dict.fromkeys(chanters, "chanter"),
        **dict.fromkeys(vaults, "vault"),
        **dict.fromkeys(urns, "urn"),
        **dict.fromkeys(pitches, "pitch"),
    }
    return TaskFacts(objects, tuple(init), _goal(rng, size, at, vaults, pitches))


def _goal(
    rng: np.random.Generator, size: Size, at: Mapping[str, str], vaults: list[str], pitches: list[str]
) -> tuple[Literal, ...]:
    """Each urn that the goal names is to stand in another vault than it does at first."""
    goal: list[Literal] = []
    for urn in sample(rng, sorted(at), size.goals):
        goal.append((True, ("stands-in", urn, pick(rng, [v for v in vaults if v != at[urn]]))))
        goal.append((True, ("sings", urn, pick(rng, pitches))))
    goal += [(True, ("strewn", vault)) for vault in sample(rng, vaults, size.strewn)]
    return tuple(goal)


def _arches(rng: np.random.Generator, order: list[str], shortcuts: int) -> list[tuple[str, str]]:
    """Arches both ways: each vault is connected to an earlier one, so every first part of `order` is."""
    pairs = [(pick(rng, order[:place]), order[place]) for place in range(1, len(order))]
    others = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if (a, b) not in pairs]
    pairs += sample(rng, others, min(shortcuts, len(others)))
    return [arch for a, b in pairs for arch in ((a, b), (b, a))]


def _names(kind: str, count: int) -> list[str]:
    return [f"{kind}{number}" for number in range(1, count + 1)]
