"""Problems of Blocksworld and Gripper as facts, written in any order and under any names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from kernel_samples import WORLDS

from envs.pddl.language.domain import Domain, GroundAtom, Problem, read_domain, read_problem
from envs.pddl.simulation.reference import ReferenceSimulator


def world_domain(world: str) -> Domain:
    return read_domain((WORLDS / world / "domain.pddl").read_text(encoding="utf-8"))


BLOCKS, GRIPPER = world_domain("blocksworld"), world_domain("gripper")


def atoms(text: str) -> tuple[GroundAtom, ...]:
    """`on a b, clear a` as atoms."""
    return tuple(tuple(part.split()) for part in text.split(",") if part.strip())


@dataclass(frozen=True)
class Facts:
    """A problem before it is written."""

    domain: Domain
    objects: tuple[str, ...]
    init: tuple[GroundAtom, ...]
    goal: tuple[GroundAtom, ...]

    def text(self) -> str:
        goal = " ".join(shown(self.goal))
        return (
            f"(define (problem p) (:domain {self.domain.name}) (:objects {' '.join(self.objects)})"
            f" (:init {' '.join(shown(self.init))}) (:goal (and {goal})))"
        )

    def problem(self) -> Problem:
        return read_problem(self.text(), self.domain)

    def renamed(self, names: Mapping[str, str]) -> Facts:
        return Facts(
            self.domain,
            tuple(names[o] for o in self.objects),
            tuple((a[0], *(names[o] for o in a[1:])) for a in self.init),
            tuple((a[0], *(names[o] for o in a[1:])) for a in self.goal),
        )

    def disguised(self, rng: np.random.Generator) -> Facts:
        """The same under other names, everything in another order."""
        new = [f"x{i}" for i in rng.permutation(len(self.objects)).tolist()]
        other = self.renamed(dict(zip(self.objects, new, strict=True)))
        return Facts(self.domain, mixed(rng, other.objects), mixed(rng, other.init), mixed(rng, other.goal))

    def with_goal(self, goal: Iterable[GroundAtom]) -> Facts:
        return replace(self, goal=tuple(goal))


def shown(some: Iterable[GroundAtom]) -> list[str]:
    return [f"({' '.join(atom)})" for atom in some]


def mixed(rng, items):
    return tuple(items[i] for i in rng.permutation(len(items)).tolist())


def blocks(init: str, goal: str, count: int = 4) -> Facts:
    """Blocks a, b, ..."""
    return Facts(BLOCKS, tuple("abcdefgh"[:count]), atoms(init), atoms(goal))


def layout(rng, names, held=0.0) -> tuple[GroundAtom, ...]:
    """A random state of blocks; with chance `held`, one of them is in the hand."""
    order = list(mixed(rng, tuple(names)))
    found: list[GroundAtom] = []
    if rng.random() < held and order:
        found.append(("holding", order.pop()))
    else:
        found.append(("handempty",))
    tops: list[str] = []
    for block in order:
        if tops and rng.random() < 0.6:
            under = tops.pop(int(rng.integers(len(tops))))
            found.append(("on", block, under))
        else:
            found.append(("ontable", block))
        tops.append(block)
    return (*found, *(("clear", top) for top in tops))


def random_blocks(rng, count: int) -> Facts:
    """Blocks in one random state, and some atoms of another as the goal."""
    names = tuple(f"b{i}" for i in range(count))
    wanted = layout(rng, names, held=0.2)
    kept = tuple(atom for atom in wanted if rng.random() < 0.6) or wanted[:1]
    return Facts(BLOCKS, names, layout(rng, names), kept)


def placement(rng, rooms, balls, hands) -> tuple[GroundAtom, ...]:
    """A random state of Gripper, without what is static."""
    free = list(hands)
    found: list[GroundAtom] = [("at-robby", rooms[int(rng.integers(len(rooms)))])]
    for ball in balls:
        if free and rng.random() < 0.3:
            found.append(("carry", ball, free.pop(int(rng.integers(len(free))))))
        else:
            found.append(("at", ball, rooms[int(rng.integers(len(rooms)))]))
    return (*found, *(("free", hand) for hand in free))


def random_gripper(rng, rooms: int, balls: int, hands: int) -> Facts:
    """Balls in one random state, and some atoms of another as the goal."""
    kinds = {
        "room": tuple(f"r{i}" for i in range(rooms)),
        "ball": tuple(f"b{i}" for i in range(balls)),
        "gripper": tuple(f"g{i}" for i in range(hands)),
    }
    static = tuple((kind, name) for kind, names in kinds.items() for name in names)
    groups = tuple(kinds.values())
    wanted = placement(rng, *groups)
    kept = tuple(atom for atom in wanted if rng.random() < 0.6) or wanted[:1]
    objects = tuple(name for names in groups for name in names)
    return Facts(GRIPPER, objects, static + placement(rng, *groups), kept)


def random_facts(rng, domain: str) -> Facts:
    """A small random problem of `blocksworld` or `gripper`."""
    if domain == "blocksworld":
        return random_blocks(rng, int(rng.integers(2, 6)))
    return random_gripper(rng, int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 4)))


def reachable_states(problem: Problem, most: int | None = None) -> list[frozenset[GroundAtom]]:
    """All reachable states, or the first so many, breadth first, by the reference simulator."""
    simulator = ReferenceSimulator(problem)
    found = {simulator.initial(): None}
    waiting = [*found]
    for state in waiting:
        for operator in simulator.applicable(state):
            after = simulator.successor(state, operator)
            if after not in found and (most is None or len(found) < most):
                found[after] = None
                waiting.append(after)
    return waiting
