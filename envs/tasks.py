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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import Any, Protocol, TypeVar

import numpy as np

from envs.pddl.diagnosis.domain import CheckedDomain, check_domain
from envs.pddl.diagnosis.problem import CheckedProblem, check_problem
from envs.pddl.language.domain import build_domain, build_problem, vocabulary_in
from envs.pddl.language.issues import refuse_errors
from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.structure import Domain, GroundAtom, Problem
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Vocabulary
from envs.registry import generator_of

#: A ground atom that must hold (True) or must not hold (False).
Literal = tuple[bool, GroundAtom]
T = TypeVar("T")
_NO_ATOM = ("and", "or", "imply", "exists", "forall", "=")


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


def read_facts(text: str, domain: Vocabulary) -> TaskFacts:
    """The facts in a problem's PDDL, constants included: atoms by predicate, then by the order of objects.

    Raises PDDLError, and ValueError if the goal is not a conjunction of atoms and negated atoms.
    """
    return facts_in(check_problem(text, domain), domain)


def facts_in(checked: CheckedProblem, domain: Vocabulary) -> TaskFacts:
    """The facts in a problem that was checked against `domain`. Raises as `read_facts`."""
    refuse_errors(checked.issues)
    predicates = {name: place for place, name in enumerate(domain.predicates)}
    objects = {name: place for place, name in enumerate(checked.objects)}

    def place(atom: GroundAtom) -> tuple[int, ...]:
        return predicates[atom[0]], *(objects[name] for name in atom[1:])

    return TaskFacts(
        checked.objects, tuple(sorted(checked.init, key=place)), tuple(_literals(checked.goal, True))
    )


class DomainText:
    """A domain's PDDL, read when it is first asked for, and only once."""

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def _checked(self) -> CheckedDomain:
        return check_domain(self.text)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What it declares. Raises PDDLError."""
        return vocabulary_in(self._checked)

    @cached_property
    def domain(self) -> Domain:
        """The domain. Raises PDDLError."""
        return build_domain(self._checked)


class ProblemText:
    """A problem's PDDL beside its domain's, read when it is first asked for, and only once."""

    def __init__(self, domain: DomainText, text: str):
        self.domain = domain
        self.text = text

    @cached_property
    def _checked(self) -> CheckedProblem:
        return check_problem(self.text, self.domain.vocabulary)

    @cached_property
    def facts(self) -> TaskFacts:
        """Its facts. Raises as `read_facts`."""
        return facts_in(self._checked, self.domain.vocabulary)

    @cached_property
    def problem(self) -> Problem:
        """The problem. Raises PDDLError."""
        domain = self.domain.domain
        return build_problem(self._checked, domain)


def _literals(goal: Node | None, holds: bool) -> Iterator[Literal]:
    """The literals of a conjunction, in its order."""
    if not isinstance(goal, Group) or not goal.items:
        return
    if goal.head == "and" and (holds or len(goal.parts) == 1):
        for part in goal.parts:
            yield from _literals(part, holds)
    elif goal.head == "not":
        yield from _literals(goal.parts[0], not holds)
    elif goal.head in _NO_ATOM:
        raise ValueError(f"the goal holds {goal}, which is neither an atom nor a negated one")
    else:
        yield holds, tuple(map(str, goal.items))


def _atom(atom: GroundAtom) -> str:
    return f"({' '.join(atom)})"
