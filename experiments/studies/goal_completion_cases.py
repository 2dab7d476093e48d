"""Small tasks of every world whose reachable states can all be listed, random goals, and what those imply.

What a goal implies is read off the list of all reachable states: slow and obvious, it shares nothing with
invariants, rules or certificates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.pddl.equivalence.goals.goal import Goal
from envs.pddl.language.domain import GroundAtom, Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates, Task
from envs.source import read_texts
from envs.tasks import generator_module, problem_text

#: World → a size that has at most some 2,000 reachable states.
SMALL_SIZES: Mapping[str, Mapping[str, Any]] = {
    "barman": {"cocktails": 1, "ingredients": 2, "shots": 1},
    "blocksworld": {"blocks": 4},
    "blocksworld_ood": {"blocks": 4},
    "childsnack": {"children": 2, "allergic": 1, "trays": 1, "spare": 0, "tables": 1},
    "depot": {},
    "dimhollow": {"tenders": 1, "motes": 1, "hollows": 3, "loops": 0, "steps": 6},
    "driverlog": {},
    "floortile": {"rows": 2, "columns": 2, "robots": 1, "painted_rows": 1},
    "gripper": {"rooms": 2, "balls": 3, "grippers": 2},
    "grippers": {"robots": 1, "rooms": 2, "balls": 3},
    "grippers_ood": {"robots": 1, "rooms": 2, "balls": 2},
    "hiking": {},
    "household": {"chores": 1, "stores": 2, "clutter": 0, "hard": False},
    "logistics": {"cities": 2, "locations": 2, "planes": 1, "packages": 1},
    "miconic": {"floors": 4, "passengers": 3},
    "miconic_ood": {"floors": 4, "passengers": 3},
    "minecraft": {},
    "movie": {},
    "storage": {},
    "termes": {"columns": 2, "rows": 2, "max_height": 2, "towers": (1,)},
    "tyreworld": {"hubs": 1, "flats": 1},
    "urnsong": {"vaults": 2, "urns": 2, "pitches": 3, "chanters": 1, "sealed": 0, "goals": 1},
}
_BATCH = 256


@dataclass(frozen=True)
class Listed:
    """A problem and all its reachable states."""

    problem: Problem
    atoms: tuple[GroundAtom, ...]  #: the fluent ones
    states: NDArray[np.bool_]  #: shape (states, atoms)

    def implied(self, goal: Goal) -> Goal | None:
        """The completed goal, as `specify` has it; None if no reachable state satisfies the goal."""
        satisfying = self._satisfying(goal)
        if not len(satisfying):
            return None
        positive = frozenset(a for a, held in zip(self.atoms, satisfying.T, strict=True) if held.all())
        if not goal.negative:
            return Goal(positive)
        return Goal(positive, self.false_in_all(goal) - self.false_in_all(Goal(positive)))

    def false_in_all(self, goal: Goal) -> frozenset[GroundAtom]:
        """The atoms that are false in all reachable states that satisfy the goal."""
        satisfying = self._satisfying(goal)
        return frozenset(a for a, held in zip(self.atoms, satisfying.T, strict=True) if not held.any())

    def _satisfying(self, goal: Goal) -> NDArray[np.bool_]:
        place = {atom: i for i, atom in enumerate(self.atoms)}
        wanted = [(place[a], True) for a in goal.positive] + [(place[a], False) for a in goal.negative]
        held = np.ones(len(self.states), dtype=np.bool_)
        for at, sign in wanted:
            held &= self.states[:, at] == sign
        return self.states[held]


def small_problem(world: str, rng: np.random.Generator) -> Problem:
    """A random small task of a world; one of the world's own where the smallest are small enough."""
    texts = read_texts(world, 1)
    domain = read_domain(texts.domain)
    sizes = SMALL_SIZES[world]
    if not sizes:
        return read_problem(texts.problem, domain)
    module: Any = generator_module(world)
    facts = module.generate(rng, module.Size(**sizes))
    return read_problem(problem_text("small", domain.vocabulary, facts), domain)


def listed(problem: Problem) -> Listed:
    """The problem with all its reachable states."""
    task = compile_task(problem)
    packed = _reachable(task)
    bytes_of = np.ascontiguousarray(packed).view(np.uint8).reshape(len(packed), -1)
    bits = np.unpackbits(bytes_of, axis=1, count=len(task.atoms), bitorder="little")
    return Listed(problem, task.atoms, bits.astype(np.bool_))


def random_goal(cases: Listed, rng: np.random.Generator, negations: bool) -> Goal:
    """One to four atoms of a reachable state and, if asked for, one or two negations that it satisfies."""
    state = cases.states[int(rng.integers(len(cases.states)))]
    true, false = np.flatnonzero(state), np.flatnonzero(~state)
    positive = rng.permutation(true)[: int(rng.integers(1, 5))]
    negative = rng.permutation(false)[: int(rng.integers(1, 3))] if negations else false[:0]
    return Goal(
        frozenset(cases.atoms[i] for i in positive.tolist()),
        frozenset(cases.atoms[i] for i in negative.tolist()),
    )


def _reachable(task: Task) -> PackedStates:
    """All reachable states, by breadth-first search."""
    frontier = task.initial(1)
    found, seen = [frontier], {bytes(frontier[0])}
    while len(frontier):
        batches = (frontier[i : i + _BATCH] for i in range(0, len(frontier), _BATCH))
        after = np.concatenate([_successors(task, batch) for batch in batches])
        new = {bytes(row): i for i, row in enumerate(after) if bytes(row) not in seen}
        seen.update(new)
        frontier = after[sorted(new.values())]
        found.append(frontier)
    return np.concatenate(found)


def _successors(task: Task, states: PackedStates) -> PackedStates:
    rows, operators = np.nonzero(task.applicable(states))
    return task.successors(states[rows], operators)
