"""Tasks as plain facts, and making new ones.

A world's generator, the module `envs.generators.<name>` or an object in one, draws `TaskFacts` from a numpy
Generator and a `Size`. Which stream it draws from says what a task is for: the pools example, evaluation,
feedback and on demand have streams of their own, spawned from the world's name, so that no task can leak from
one into another.

Generators draw through `pick`, `shuffled` and `sample` or through `rng.random()` only, so that a seed gives
the same task under every version of numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from itertools import groupby
from typing import Any, Protocol, TypeVar

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Vocabulary
from envs.registry import generator_of

#: A ground atom that must hold (True) or must not hold (False).
Literal = tuple[bool, GroundAtom]
T = TypeVar("T")


class Pool(IntEnum):
    """What a task is for. Its number is the first spawn key of the task's seed."""

    EXAMPLE = 0
    EVALUATION = 1
    FEEDBACK = 2
    ON_DEMAND = 3


@dataclass(frozen=True)
class TaskFacts:
    """One task: what there is, what is true at first, and what must become true or false."""

    objects: Mapping[str, str]  #: object → type, in the order in which they are listed
    init: tuple[GroundAtom, ...]
    goal: tuple[Literal, ...]

    @property
    def solved(self) -> bool:
        """Whether the goal holds at first."""
        facts = frozenset(self.init)
        return all((atom in facts) == holds for holds, atom in self.goal)


class Generator(Protocol):
    """A generator: the module `envs.generators.<name>`, or an object in one."""

    SIZES: tuple[Any, ...]  #: ten sizes, growing: those of the evaluation tasks

    def generate(self, rng: np.random.Generator, size: Any) -> TaskFacts:
        """A task of that size that can be solved and is not solved already."""
        ...


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


def generator_module(world: str) -> Generator:
    """The generator of a built-in world. Raises KeyError for any other name."""
    module, _, name = generator_of(world).partition(":")
    found: Any = import_module(f"envs.generators.{module}")
    generator: Generator = getattr(found, name) if name else found
    return generator


def task_seed(world: str, pool: Pool, index: int) -> np.random.SeedSequence:
    """The seed of task number `index` of a pool: no two tasks of one world, or of two, share a stream."""
    entropy = int.from_bytes(hashlib.sha256(world.encode()).digest()[:16], "big")
    return np.random.SeedSequence(entropy, spawn_key=(int(pool), index))


def size_of(world: str, pool: Pool, index: int) -> Any:
    """The size of task number `index` (from 1) of a pool.

    The example has the smallest, evaluation tasks grow from the first to the tenth, the feedback pool has the
    smaller half, and tasks on demand go round all ten.
    """
    sizes = generator_module(world).SIZES
    if pool is Pool.EXAMPLE:
        return sizes[0]
    if pool is Pool.FEEDBACK:
        return sizes[(index - 1) % (len(sizes) // 2)]
    return sizes[(index - 1) % len(sizes)]


def make_facts(world: str, pool: Pool, index: int, size: Any = None) -> TaskFacts:
    """Task number `index` (from 1) of a pool of a built-in world, of `size` or of the pool's own size."""
    rng = np.random.default_rng(task_seed(world, pool, index))
    return generator_module(world).generate(rng, size_of(world, pool, index) if size is None else size)


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
