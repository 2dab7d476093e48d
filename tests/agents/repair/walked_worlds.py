"""Walks in worlds for the tests of repair, made from the ground truth, which repair itself never sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from agents.repair.examples import TrainingExamples
from agents.repair.model import Model
from agents.repair.operators import ExampleMaker
from agents.repair.search import Repairs
from envs.pddl.interface import PlanVerdict
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Term, without_terms
from envs.pddl.mutation.faults import sample_terms
from envs.pddl.simulation.simulator import Task
from envs.truth import truth_of
from envs.world import open_world
from ew.walks.policies import make_policy
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Seen, WorldWalks


@dataclass(frozen=True, eq=False)
class Walked:
    """A world's truth and some walks in it."""

    problem: Problem
    task: Task
    seen: Seen

    def examples(self, problem: Problem, hard=None) -> TrainingExamples:
        """What the walks teach about a model."""
        maker = ExampleMaker(Model.of(problem).tasks[0], self.task.operators)
        return TrainingExamples.of_tasks([maker], [self.seen], [hard or {}])

    def repairs(self, problem: Problem, hard=None) -> Repairs:
        """The candidates of a model for the walks."""
        return Repairs(Model.of(problem), self.examples(problem, hard))

    def walk_to(self, node: int) -> tuple[str, ...]:
        """The operators that lead to a node."""
        walk: list[str] = []
        while node > 0:
            walk.append(self.task.operators[self.seen.operators[node]])
            node = int(self.seen.parents[node])
        return tuple(reversed(walk))


@cache
def walked(
    world: str, walks: int = 8, length: int = 8, task: int | str = 1, policy: str = "coverage"
) -> Walked:
    """So many walks in one task of a built-in world."""
    truth = truth_of(open_world(world, task).key)
    tree = WorldWalks(truth.task)
    policy = make_policy(policy)(tree)
    policy_walks(tree, policy, [length] * walks, np.random.default_rng(5))
    return Walked(truth.problem, truth.task, tree.seen())


def with_domain(problem: Problem, domain: str) -> Problem:
    """The problem in another domain, given as text."""
    return read_problem(render_problem(problem), read_domain(domain))


def broken(problem: Problem, count: int, seed: int) -> tuple[Problem, tuple[Term, ...]]:
    """The problem in its domain without some terms, and these."""
    removed = sample_terms(problem.domain, count, np.random.default_rng(seed))
    return with_domain(problem, without_terms(problem.domain, removed)), removed


class Deaf:
    """A world that never says that its goal holds."""

    def __init__(self, env: str):
        self._world = open_world(env)

    def __getattr__(self, name: str):
        return getattr(self._world, name)

    def verify(self, plan) -> PlanVerdict:
        return PlanVerdict(self._world.verify(plan).execution, False)
