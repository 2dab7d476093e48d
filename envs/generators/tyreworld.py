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

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick, sample, shuffled

_TOOLS = ("wrench", "jack", "pump")
_CONTAINERS = ("boot", "shed")
_AT_HAND = 0.2  # chance that a tool or a spare wheel is at hand and in no container
_SWAPPED = 0.3  # chance that all nuts, or all wheels that stay, are to change hubs
_INFLATED = 0.4  # chance that an intact wheel is inflated at first
_LOWERED = 0.5  # chance that a hub is expressly to be on the ground


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if there is nothing to replace, or no such number of things."""

    hubs: int = 2  #: each with a nut and a wheel
    flats: int = 1  #: wheels that are to be replaced by a spare one, 1 to `hubs`
    begun: int = 0  #: hubs on which work has begun, 0 to `hubs`
    containers: int = 1  #: 1 or 2

    def __post_init__(self) -> None:
        if not (1 <= self.flats <= self.hubs and 0 <= self.begun <= self.hubs):
            raise ValueError(f"{self}: flats must be from 1 to hubs, begun from 0 to hubs")
        if not 1 <= self.containers <= len(_CONTAINERS):
            raise ValueError(f"{self}: containers must be from 1 to {len(_CONTAINERS)}")


SIZES: tuple[Size, ...] = (
    Size(2, 1),
    Size(2, 2),
    Size(2, 2, 1),
    Size(3, 2, 1),
    Size(3, 3, 1, 2),
    Size(4, 3, 1),
    Size(4, 3, 2, 2),
    Size(5, 4, 2),
    Size(6, 4, 2, 2),
    Size(8, 6, 3, 2),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size: every hub is to have an intact, inflated wheel and a tight nut."""
    hubs = [f"hub{n}" for n in range(1, size.hubs + 1)]
    nuts = [f"nuts{n}" for n in range(1, size.hubs + 1)]
    wheels = [f"w{n}" for n in range(1, size.hubs + 1)]
    spares = [f"r{n}" for n in range(1, size.flats + 1)]
    containers = _CONTAINERS[: size.containers]
    flat = [
        w
        for w, bad in zip(wheels, shuffled(rng, [n < size.flats for n in range(size.hubs)]), strict=True)
        if bad
    ]
    intact = [wheel for wheel in (*wheels, *spares) if wheel not in flat]
    inflated = [wheel for wheel in intact if rng.random() < _INFLATED]
    begun = sample(rng, hubs, size.begun)
    init: list[GroundAtom] = [
        *((pick(rng, ("open", "closed")), container) for container in containers),
        *(("unlocked", container) for container in containers),
        *(_stowed(rng, thing, containers) for thing in (*_TOOLS, *spares)),
    ]
    for hub, nut, wheel in zip(hubs, nuts, wheels, strict=True):
        init += _begun(rng, hub, nut, wheel) if hub in begun else _untouched(hub, nut, wheel)
    init += [("intact", wheel) for wheel in intact]
    init += [("inflated" if w in inflated else "not-inflated", w) for w in (*wheels, *spares)]
    objects = {
        **dict.fromkeys(_TOOLS, "tool"),
        **dict.fromkeys(hubs, "hub"),
        **dict.fromkeys(nuts, "nut"),
        **dict.fromkeys((*wheels, *spares), "wheel"),
        **dict.fromkeys(containers, "container"),
    }
    mounted = _mounted(rng, dict(zip(hubs, wheels, strict=True)), flat, spares)
    fixed = dict(zip(hubs, _perhaps_shuffled(rng, nuts), strict=True))
    away: list[GroundAtom] = [("in", thing, pick(rng, containers)) for thing in (*flat, *_TOOLS)]
    return TaskFacts(objects, _by_predicate(init), tuple(_goal(rng, mounted, fixed, away, containers)))


def _goal(
    rng: np.random.Generator,
    mounted: dict[str, str],
    fixed: dict[str, str],
    away: list[GroundAtom],
    containers: tuple[str, ...],
) -> list[Literal]:
    """Every hub has its wheel, inflated, and its nut, tight; the rest is put away."""
    goal: list[GroundAtom] = []
    for hub, wheel in mounted.items():
        goal += [("on", wheel, hub), ("inflated", wheel), ("tight", fixed[hub], hub)]
        goal += [("on-ground", hub)] if rng.random() < _LOWERED else []
    return [(True, atom) for atom in (*goal, *away, *(("closed", container) for container in containers))]


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


def _by_predicate(atoms: list[GroundAtom]) -> tuple[GroundAtom, ...]:
    """The atoms in groups of one predicate, each group where its first atom was."""
    names = list(dict.fromkeys(atom[0] for atom in atoms))
    return tuple(sorted(atoms, key=lambda atom: names.index(atom[0])))
