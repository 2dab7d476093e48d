"""Tasks of `urnsong`: urns are to stand in certain vaults and sing at certain pitches.

Solvable by construction. The pitches form a ring, so heaving and lowering an urn again and again in a vault
brings it to any pitch, and where straw lies it is gone after one soft lift. The vaults are connected by
arches that lead both ways, and those that are not sealed are connected among themselves and hold every
chanter and at least two urns: these two can be brought, at one pitch, next to any sealed vault on their
border. A seal that is broken never comes back. With all seals broken every urn can be set to its pitch in its
vault, one after the other, without touching the rest, and straw be strewn at the very end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, network, pick, sample, shuffled, sized

_SEMITONES = ("dun", "rel", "mir", "fal", "sor", "tal")


@dataclass(frozen=True)
class Urnsong(TaskGenerator):
    """Tasks of `urnsong`. Raises ValueError if one could not be solved or there would be nothing to do."""

    vaults: int = sized(3, (3, 4, 5, 6, 6, 7, 8, 9, 10, 12), least=2)  #: of which one at least is not sealed
    urns: int = sized(2, (2, 3, 3, 4, 4, 4, 5, 5, 6, 6), least=2)
    pitches: int = sized(3, (3, 3, 4, 4, 4, 5, 5, 5, 5, 6), least=3)  #: of the ring: at most 6
    chanters: int = sized(1, (1, 1, 1, 1, 2, 2, 2, 2, 2, 2), least=1)
    sealed: int = sized(1, (1, 1, 2, 2, 2, 3, 2, 2, 2, 2), least=0)  #: vaults that are sealed at first
    #: urns whose vault and pitch the goal names
    goals: int = sized(1, (1, 2, 2, 3, 3, 4, 4, 5, 5, 6), least=1)
    #: arches, both ways, besides those that connect the vaults
    shortcuts: int = sized(0, (0, 0, 0, 1, 1, 1, 2, 2, 2, 3))
    #: vaults that are to be strewn in the end
    strewn: int = sized(0, (0, 0, 1, 0, 1, 0, 1, 2, 2, 3), least=0)

    def _check(self) -> None:
        self.require(self.sealed < self.vaults, "a task needs a vault that is not sealed")
        self.require(self.pitches <= len(_SEMITONES), f"there are {len(_SEMITONES)} pitches")
        known = self.goals <= self.urns and self.strewn <= self.vaults
        self.require(known, f"the goal names 1 to {self.urns} urns, and vaults that there are")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size. The goal says for some urns where they stand and at which pitch they sing.

        Each urn that the goal names is to stand in another vault than it does at first.
        """
        vaults, urns, chanters = self.names("vault", "urn", "chanter")
        pitches = _SEMITONES[: self.pitches]
        order = shuffled(rng, vaults)
        arches = network(rng, order, order, self.shortcuts)  # so every first part of `order` is connected
        free, sealed = order[: len(order) - self.sealed], order[len(order) - self.sealed :]
        homes = [*(pick(rng, free) for _ in range(2)), *(pick(rng, order) for _ in urns[2:])]
        at = dict(zip(shuffled(rng, urns), homes, strict=True))
        init = [
            *(("arch", *way) for arch in arches for way in (arch, arch[::-1])),
            *(("sharpens", a, b) for a, b in pairwise([*pitches, pitches[0]])),
            *(("among", chanter, pick(rng, free)) for chanter in chanters),
            *(("arms-free", chanter) for chanter in chanters),
            *(("stands-in", urn, at[urn]) for urn in urns),
            *(("sings", urn, pick(rng, pitches)) for urn in urns),
            *(("strewn", vault) for vault in vaults if rng.random() < 0.3),
            *(("sealed", vault) for vault in vaults if vault in sealed),
        ]
        wanted: list[GroundAtom] = []
        for urn in sample(rng, sorted(at), self.goals):
            wanted.append(("stands-in", urn, pick(rng, [v for v in vaults if v != at[urn]])))
            wanted.append(("sings", urn, pick(rng, pitches)))
        wanted += [("strewn", vault) for vault in sample(rng, vaults, self.strewn)]
        objects = {"chanter": chanters, "vault": vaults, "urn": urns, "pitch": pitches}
        return TaskFacts.of(objects, init, wanted)
