"""Tasks of `tyreworld`: flat wheels to be replaced, sometimes with the work already begun.

Solvable by construction: all containers are unlocked, so everything in them can be taken out. Every nut can
be loosened and taken off and every wheel can be removed, whatever the state of its hub, until all hubs are
jacked up, unfastened and free and all wheels and nuts are at hand. From there the wheels and nuts go on the
hubs they are wanted on, wheels that are to be inflated are intact, the rest is put away, and the containers
are closed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, sample, shuffled, sized

_TOOLS = ("wrench", "jack", "pump")
_CONTAINERS = ("boot", "shed")
_AT_HAND = 0.2  # chance that a tool or a spare wheel is at hand and in no container
_SWAPPED = 0.3  # chance that all nuts, or all wheels that stay, are to change hubs
_INFLATED = 0.4  # chance that an intact wheel is inflated at first
_LOWERED = 0.5  # chance that a hub is expressly to be on the ground


@dataclass(frozen=True)
class Tyreworld(TaskGenerator):
    """Tasks of `tyreworld`. Raises ValueError if nothing were to be replaced, or for impossible numbers."""

    hubs: int = sized(2, (2, 2, 2, 3, 3, 4, 4, 5, 6, 8))  #: each with a nut and a wheel
    #: wheels that are to be replaced by a spare one, 1 to `hubs`
    flats: int = sized(1, (1, 2, 2, 2, 3, 3, 3, 4, 4, 6), least=1)
    #: hubs on which work has begun, 0 to `hubs`
    begun: int = sized(0, (0, 0, 1, 1, 1, 1, 2, 2, 2, 3), least=0)
    containers: int = sized(1, (1, 1, 1, 1, 2, 1, 2, 1, 2, 2), least=1)  #: 1 or 2

    def _check(self) -> None:
        self.require(max(self.flats, self.begun) <= self.hubs, "no more flats or begun ones than hubs")
        most = len(_CONTAINERS)
        self.require(self.containers <= most, f"there are {most} containers")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: every hub is to have an intact, inflated wheel and a tight nut."""
        hubs, nuts = numbered("hub", self.hubs), numbered("nuts", self.hubs)
        wheels, spares = numbered("w", self.hubs), numbered("r", self.flats)
        containers = _CONTAINERS[: self.containers]
        bad = shuffled(rng, [n < self.flats for n in range(self.hubs)])
        flat = [wheel for wheel, is_flat in zip(wheels, bad, strict=True) if is_flat]
        intact = [wheel for wheel in (*wheels, *spares) if wheel not in flat]
        inflated = [wheel for wheel in intact if rng.random() < _INFLATED]
        begun = sample(rng, hubs, self.begun)
        init: list[GroundAtom] = [
            *((pick(rng, ("open", "closed")), container) for container in containers),
            *(("unlocked", container) for container in containers),
            *(_stowed(rng, thing, containers) for thing in (*_TOOLS, *spares)),
        ]
        for hub, nut, wheel in zip(hubs, nuts, wheels, strict=True):
            init += _begun(rng, hub, nut, wheel) if hub in begun else _untouched(hub, nut, wheel)
        init += [("intact", wheel) for wheel in intact]
        init += [("inflated" if w in inflated else "not-inflated", w) for w in (*wheels, *spares)]
        mounted = _mounted(rng, dict(zip(hubs, wheels, strict=True)), flat, spares)
        fixed = dict(zip(hubs, _perhaps_shuffled(rng, nuts), strict=True))
        away = [("in", thing, pick(rng, containers)) for thing in (*flat, *_TOOLS)]
        wanted: list[GroundAtom] = []
        for hub, wheel in mounted.items():
            wanted += [("on", wheel, hub), ("inflated", wheel), ("tight", fixed[hub], hub)]
            wanted += [("on-ground", hub)] if rng.random() < _LOWERED else []
        wanted += [*away, *(("closed", container) for container in containers)]
        objects = {
            **{"tool": _TOOLS, "hub": hubs, "nut": nuts},
            **{"wheel": (*wheels, *spares), "container": containers},
        }
        return TaskFacts.of(objects, _by_predicate(init), wanted)


def _untouched(hub: str, nut: str, wheel: str) -> list[GroundAtom]:
    return [("tight", nut, hub), ("on-ground", hub), ("fastened", hub), ("on", wheel, hub)]


def _begun(rng: np.random.Generator, hub: str, nut: str, wheel: str) -> list[GroundAtom]:
    """A hub on which work has got as far as a random step."""
    fastened: list[GroundAtom] = [("loose", nut, hub), ("fastened", hub), ("on", wheel, hub)]
    undone: list[GroundAtom] = [("not-on-ground", hub), ("have", nut), ("unfastened", hub)]
    return pick(
        rng,
        (
            [*fastened, ("on-ground", hub)],
            [*fastened, ("not-on-ground", hub)],
            [*undone, ("on", wheel, hub)],
            [*undone, ("free", hub), ("have", wheel)],
        ),
    )


def _stowed(rng: np.random.Generator, thing: str, containers: tuple[str, ...]) -> GroundAtom:
    return ("have", thing) if rng.random() < _AT_HAND else ("in", thing, pick(rng, containers))


def _mounted(
    rng: np.random.Generator, first: dict[str, str], flat: list[str], spares: list[str]
) -> dict[str, str]:
    """The wheel that every hub is to have in the end: a spare instead of a flat one."""
    fresh = iter(shuffled(rng, spares))
    kept = {hub: wheel for hub, wheel in first.items() if wheel not in flat}
    moved = dict(zip(kept, _perhaps_shuffled(rng, list(kept.values())), strict=True))
    return {hub: moved[hub] if hub in moved else next(fresh) for hub in first}


def _perhaps_shuffled(rng: np.random.Generator, items: list[str]) -> list[str]:
    return shuffled(rng, items) if rng.random() < _SWAPPED else items


def _by_predicate(atoms: list[GroundAtom]) -> list[GroundAtom]:
    """The atoms in groups of one predicate, each group where its first atom was."""
    names = [atom[0] for atom in atoms]
    return sorted(atoms, key=lambda atom: names.index(atom[0]))
