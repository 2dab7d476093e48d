"""Repair: the fewest edits of a model that make it agree with its world, found by walking and searching in turn.

Each round looks for the fewest edits that explain all that was seen so far, then walks in the world and in
the model so edited, side by side and by several policies. What the walks add is evidence for the next round.
It ends when an edited model explains its own walks too, or when its budget is spent: then the best model so
far is returned with what still speaks against it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from agents.repair.lessons import Lessons, lessons
from agents.repair.model import Model
from agents.repair.search import Candidate, Repairs, best_first
from agents.repair.text import Change, changed_domain, changed_problem, changes
from envs.pddl.compile import compile_task
from envs.pddl.grounding import GroundingExploded, Limits
from envs.pddl.interface import World
from envs.pddl.language import Problem, read_domain, read_problem
from envs.pddl.simulator import Task
from ew.adapter import transitions_of
from ew.budget import BudgetExceeded, QueryBudget
from ew.choosing import policy_walks
from ew.exposure import ExposureConfig, expose
from ew.policies import Hints, make_policy
from ew.world_walks import WorldWalks


class Verdict(StrEnum):
    """How a repair ended."""

    AGREES = "agrees"  #: nothing that was seen speaks against the model
    OUT_OF_QUERIES = "out_of_queries"
    OUT_OF_TIME = "out_of_time"
    UNEXPLAINED = "unexplained"  #: no edits that may be made explain all that was seen


@dataclass(frozen=True)
class RepairConfig:
    """How much may be spent, and how it is spent."""

    queries: int = 5000  #: of the world
    wall_s: float = 30.0
    walks: int = 30  #: of the first look, by coverage
    t_max: int = 15
    check: ExposureConfig = field(default_factory=lambda: ExposureConfig(budget=250, batch=10, horizon=25))
    policies: tuple[str, ...] = ("coverage", "uniform", "schema_first")  #: of the checks, in turn
    agreeing: int = 3  #: checks in a row that must show nothing
    expansions: int = 40
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Repaired:
    """What a repair came to."""

    verdict: Verdict
    domain: str
    problem: str
    edits: tuple[Change, ...]
    unexplained: int  #: operators seen that speak against the model
    world_queries: int
    rounds: int
    wall_s: float


def repair(
    world: World, problem: Problem, rng: np.random.Generator, config: RepairConfig | None = None
) -> Repaired:
    """The repair of a problem and its domain in `world`. Deterministic for a generator, but for the time limit."""
    return _Repair(world, problem, rng, config or RepairConfig()).run()


class _Repair:
    """One model, its world, and what was seen."""

    def __init__(self, world: World, problem: Problem, rng: np.random.Generator, config: RepairConfig):
        self._world, self._problem, self._rng, self._config = world, problem, rng, config
        self._model = Model.of(problem)
        self._walks = WorldWalks(transitions_of(world), QueryBudget(config.queries))
        self._started = time.monotonic()
        self._rounds = 0

    def run(self) -> Repaired:
        """Round after round."""
        config = self._config
        best = self._candidate(frozenset())
        try:
            chooser = make_policy("coverage").start(self._walks)
            policy_walks(self._walks, chooser, [config.t_max] * config.walks, self._rng)
            calm = 0
            while calm < config.agreeing:
                self._rounds += 1
                best = self._search()
                if self._late:
                    return self._result(Verdict.OUT_OF_TIME, best)
                before = self._walks.queries
                self._check(best, config.policies[(self._rounds - 1) % len(config.policies)])
                calm = calm + 1 if self._explains(best) else 0
                if not calm and self._walks.queries == before:
                    return self._result(Verdict.UNEXPLAINED, best)
        except BudgetExceeded:
            return self._result(Verdict.OUT_OF_QUERIES, best)
        return self._result(Verdict.AGREES, best)

    @property
    def _late(self) -> bool:
        return time.monotonic() - self._started > self._config.wall_s

    def _lessons(self) -> Lessons:
        return lessons(self._model.task, self._walks.operators, self._walks.seen())

    def _candidate(self, edits: frozenset[object]) -> Candidate:
        return Candidate(frozenset(), {})

    def _search(self) -> Candidate:
        repairs = Repairs(self._model, self._lessons())
        return best_first(repairs, self._config.expansions, lambda found: True, lambda: self._late)

    def _explains(self, candidate: Candidate) -> bool:
        """Whether the candidate, as it is, explains all that was seen by now."""
        again = Repairs(self._model, self._lessons()).candidate(candidate.edits)
        return not again.unexplained and again.fits == candidate.fits

    def _check(self, candidate: Candidate, policy: str) -> None:
        """Walk in the world and in the edited model, side by side."""
        task = self._compiled(candidate)
        if task is None:
            return
        left = self._walks.budget.left if self._walks.budget else self._config.check.budget
        check = replace(self._config.check, budget=max(1, min(self._config.check.budget, left)))
        expose(self._walks, task, make_policy(policy, Hints(model=task)), self._rng, check)

    def _compiled(self, candidate: Candidate) -> Task | None:
        """The edited model; None if it is too large to be walked."""
        edits = changes(self._model, candidate)
        domain = read_domain(changed_domain(self._problem, edits))
        problem = read_problem(changed_problem(self._problem, edits), domain)
        try:
            return compile_task(problem, self._config.limits)
        except GroundingExploded:
            return None

    def _result(self, verdict: Verdict, best: Candidate) -> Repaired:
        edits = changes(self._model, best)
        return Repaired(
            verdict,
            changed_domain(self._problem, edits),
            changed_problem(self._problem, edits),
            edits,
            best.unexplained,
            self._walks.queries,
            self._rounds,
            time.monotonic() - self._started,
        )
