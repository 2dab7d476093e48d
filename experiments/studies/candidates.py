"""Candidates made from a world's own rules: what studies use in the place of a language model's proposals.

Only studies read the rules. `Truth` holds the texts of one task and makes models of changed domains in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from envs.pddl.interface import World
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_in
from envs.pddl.simulation.simulator import Task
from envs.source import read_texts
from envs.world import open_world
from experiments.evaluation.judge import planned_by


@dataclass(frozen=True, eq=False)
class Truth:
    """The rules of one task."""

    env: str
    number: int
    domain: Domain
    domain_text: str
    problem_text: str
    task: Task

    def model(self, domain_text: str) -> Task | None:
        """The task by the rules of another domain; None if that is too large to ground."""
        problem = read_problem(self.problem_text, read_domain(domain_text))
        return model_of(problem, open_world(self.env, self.number))

    def plan(self, domain_text: str, planner: Planner) -> tuple[PlanOutcome, tuple[str, ...], bool]:
        """What the planner says of another domain, its plan (empty if none), and whether the world obeys it.

        Raises MachineFault if the planner was killed or crashed.
        """
        problem = read_problem(self.problem_text, read_domain(domain_text))
        result = planned_by(planner, *planner_texts(problem))
        plan = result.plan or ()
        works = result.plan is not None and open_world(self.env, self.number).verify(plan).valid
        return result.outcome, plan, works


def model_of(problem: Problem, world: World) -> Task | None:
    """The compiled model; None if it is too large to ground, for a model of this world."""
    try:
        return compile_task(problem, limits_in(world, Limits()))
    except GroundingExploded:
        return None


@lru_cache(maxsize=4)
def truth(env: str, number: int) -> Truth:
    """The rules of a bundled world's task."""
    texts = read_texts(env, number)
    domain = read_domain(texts.domain)
    task = compile_task(read_problem(texts.problem, domain))
    return Truth(env, number, domain, texts.domain, texts.problem, task)
