"""Tasks as plain facts, and making new ones.

A world's generator, a `TaskGenerator` in `envs.generators`, holds how large a task is and draws `TaskFacts`
from a numpy Generator. Which stream it draws from says what a task is for: the pools example, evaluation,
feedback and on demand have streams of their own, spawned from the world's name, so that no task can leak from
one into another.

Task generators draw through `pick`, `shuffled` and `sample` or through `rng.random()` only, so that a seed
gives the same task under every version of numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from importlib import import_module
from itertools import combinations, groupby
from typing import Any, Self, TypeVar

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Vocabulary
from envs.registry import WORLDS

#: A ground atom that must hold (True) or must not hold (False).
Literal = tuple[bool, GroundAtom]
T = TypeVar("T")


class Pool(IntEnum):
    """What a task is for. Its number is the first spawn key of the task's seed."""

    EXAMPLE = 0
    EVALUATION = 1
    FEEDBACK = 2
    ON_DEMAND = 3
    HIDDEN_RULES = 4


@dataclass(frozen=True)
class TaskFacts:
    """One task: what there is, what is true at first, and what must become true or false."""

    objects: Mapping[str, str]  #: object → type, in the order in which they are listed
    init: tuple[GroundAtom, ...]
    goal: tuple[Literal, ...]

    @classmethod
    def of(
        cls,
        objects: Mapping[str, Iterable[str]],
        init: Iterable[GroundAtom],
        wanted: Iterable[GroundAtom],
        unwanted: Iterable[GroundAtom] = (),
    ) -> Self:
        """From the objects of each type, the initial atoms, and the atoms to become true and false."""
        typed = {name: kind for kind, names in objects.items() for name in names}
        facts, goal = tuple(init), tuple((True, atom) for atom in wanted)
        return cls(typed, facts, (*goal, *((False, atom) for atom in unwanted)))

    @property
    def by_type(self) -> dict[str, list[str]]:
        """Type → its objects, both in the order of the objects."""
        found: dict[str, list[str]] = {}
        for name, kind in self.objects.items():
            found.setdefault(kind, []).append(name)
        return found

    @property
    def solved(self) -> bool:
        """Whether the goal holds at first."""
        facts = frozenset(self.init)
        return all((atom in facts) == holds for holds, atom in self.goal)


@dataclass(frozen=True)
class TaskGenerator:
    """Tasks of one size of a world, solvable by construction; the fields of a subclass say how large."""

    @classmethod
    def sizes(cls) -> tuple[Self, ...]:
        """The generators of the ten sizes, growing: those of the evaluation tasks."""
        grow = {entry.name: entry.metadata["sizes"] for entry in fields(cls) if "sizes" in entry.metadata}
        return tuple(cls(**dict(zip(grow, size, strict=True))) for size in zip(*grow.values(), strict=True))

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size that can be solved and is not solved already."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        for entry in fields(self):
            least = entry.metadata.get("least")
            enough = least is None or getattr(self, entry.name) >= least
            self.require(enough, f"{entry.name} must be at least {least}")
        self._check()

    def _check(self) -> None:
        """Raises ValueError if no task of this size could be solved, or would have to be."""

    def names(self, *kinds: str) -> list[list[str]]:
        """The names of the objects of each kind: as many as the field of that name, in the plural, says."""
        return [numbered(kind, getattr(self, f"{kind}s")) for kind in kinds]

    def require(self, possible: bool, needs: str) -> None:
        """Raises ValueError with what a task `needs` unless it is `possible`."""
        if not possible:
            raise ValueError(f"{self}: {needs}")


def sized(default: T, sizes: Sequence[T], least: int | None = None) -> Any:
    """A field of a `TaskGenerator` with its value in each of the ten sizes, and the least that it may be."""
    return field(default=default, metadata={"sizes": sizes, "least": least})


def numbered(kind: str, count: int) -> list[str]:
    """`count` names: `ball1`, `ball2`, …"""
    return [f"{kind}{number}" for number in range(1, count + 1)]


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """One of `items`, each as likely. Raises IndexError if there is none."""
    return items[int(rng.random() * len(items))]


def shuffled(rng: np.random.Generator, items: Sequence[T]) -> list[T]:
    """All of `items` in a random order (Fisher and Yates)."""
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed


def sample(rng: np.random.Generator, items: Sequence[T], k: int) -> list[T]:
    """`k` different ones of `items` in a random order. Raises ValueError if there are fewer."""
    if not 0 <= k <= len(items):
        raise ValueError(f"cannot draw {k} of {len(items)} items")
    return shuffled(rng, items)[:k]


def subset(rng: np.random.Generator, items: Sequence[T], k: int) -> list[T]:
    """`k` different ones of `items`, in their order. Raises as `sample`."""
    chosen = frozenset(sample(rng, items, k))
    return [item for item in items if item in chosen]


def network(
    rng: np.random.Generator, order: Sequence[str], places: Sequence[str], extra: int
) -> list[tuple[str, str]]:
    """Pairs that connect all places: each in `order` with an earlier one, then up to `extra` more pairs."""
    tree = [(pick(rng, order[:i]), place) for i, place in enumerate(order) if i]
    others = [pair for pair in combinations(places, 2) if pair not in tree and pair[::-1] not in tree]
    return tree + sample(rng, others, min(extra, len(others)))


def generator_of(world: str) -> type[TaskGenerator]:
    """The task generators of a built-in world. Raises KeyError for any other name."""
    module, _, name = WORLDS[world].partition(":")
    found: type[TaskGenerator] = getattr(import_module(f"envs.generators.{module}"), name)
    return found


def task_seed(world: str, pool: Pool, index: int) -> np.random.SeedSequence:
    """The seed of task number `index` of a pool: no two tasks of one world, or of two, share a stream."""
    entropy = int.from_bytes(hashlib.sha256(world.encode()).digest()[:16], "big")
    return np.random.SeedSequence(entropy, spawn_key=(int(pool), index))


def task_generator(world: str, pool: Pool, index: int) -> TaskGenerator:
    """The generator of the size of task number `index` (from 1) of a pool.

    The example has the smallest; all other pools grow from the first to the tenth and go round.
    """
    sizes = generator_of(world).sizes()
    return sizes[0 if pool is Pool.EXAMPLE else (index - 1) % len(sizes)]


def make_facts(world: str, pool: Pool, index: int, size: TaskGenerator | None = None) -> TaskFacts:
    """Task number `index` (from 1) of a pool of a built-in world, of `size` or of the pool's own size."""
    rng = np.random.default_rng(task_seed(world, pool, index))
    return (size or task_generator(world, pool, index)).generate(rng)


def problem_text(name: str, domain: Vocabulary, facts: TaskFacts) -> str:
    """The PDDL of a task of `domain`, in the order of the facts; the kernel reads the same facts from it.

    It has no metric, also where actions have costs: the texts of a task do not ask for a cheap plan.
    """
    objects = {name: kind for name, kind in facts.objects.items() if name not in domain.constants}
    typed = any(kind != OBJECT for kind in objects.values())
    runs = [
        " ".join([*(name for name, _ in group), *(["-", kind] if typed else [])])
        for kind, group in groupby(objects.items(), key=lambda entry: entry[1])
    ]
    init = [f"(= ({TOTAL_COST}) 0)"] if TOTAL_COST in domain.functions else []
    init += [_atom(atom) for atom in facts.init]
    goal = [_atom(atom) if holds else f"(not {_atom(atom)})" for holds, atom in facts.goal]
    sections = [
        f"(define (problem {name})",
        f"  (:domain {domain.name})",
        "\n".join(["  (:objects", *(f"    {run}" for run in runs)]) + ")",
        "\n".join(["  (:init", *(f"    {fact}" for fact in init)]) + ")",
        "\n".join(["  (:goal (and", *(f"    {literal}" for literal in goal)]) + "))",
    ]
    return "\n".join(sections) + ")\n"


def _atom(atom: GroundAtom) -> str:
    return f"({' '.join(atom)})"
