"""What a model says of the goal: the same as the simulator on the walks, and hopeful beyond them."""

from __future__ import annotations

import numpy as np
import pytest
from walked_worlds import walked, with_domain
from wide import wide

from agents.repair.goal_reach import GoalReach
from agents.repair.operators import ExampleMaker
from agents.repair.session import GoalEvidence
from envs.pddl.language.domain import Problem, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Part, terms, without_terms
from envs.registry import WORLDS
from envs.world import open_world
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.world_walks import WorldWalks

every_world = pytest.mark.parametrize(
    "world", wide(WORLDS, *(name for name in WORLDS if name != "minecraft"))
)
NOTHING = frozenset()


def reach(world: str, problem: Problem) -> GoalReach:
    found = walked(world)
    repairs = found.repairs(problem)
    return GoalReach(repairs, ExampleMaker(repairs.model.tasks[0], found.task.operators).own())


@every_world
def test_the_goal_holds_where_the_simulator_says_so(world: str) -> None:
    found = walked(world)
    held = found.repairs(found.problem).goal_held(NOTHING)
    task = found.task
    states = [task.initial(1)]
    for parent, operator in zip(found.seen.parents[1:], found.seen.operators[1:], strict=True):
        states.append(task.successors(states[int(parent)], np.array([operator])))
    assert held.tolist() == task.goal_reached(np.concatenate(states)).tolist()


@every_world
def test_no_part_of_the_goal_is_out_of_reach_of_the_truth(world: str) -> None:
    found = reach(world, walked(world).problem)
    assert found.missing(NOTHING) == () and found.distance(NOTHING) == 0


@pytest.mark.parametrize(
    ("world", "atom"), [("childsnack", "(served"), ("movie", "(have-"), ("depot", "(on ")]
)
def test_what_nothing_adds_is_out_of_reach(world: str, atom: str) -> None:
    problem = walked(world).problem
    adds = [t for t in terms(problem.domain) if t.part is Part.EFFECT and t.text.startswith(atom)]
    found = reach(world, with_domain(problem, without_terms(problem.domain, adds)))
    assert found.missing(NOTHING) and found.distance(NOTHING) >= 1


@pytest.mark.parametrize("goal", [
    "(forall (?x) (not (holding ?x)))",
    "(and (handempty) (exists (?x ?y) (and (on ?x ?y) (not (ontable ?x)))))",
])  # fmt: skip
def test_a_negation_below_a_quantifier_is_never_out_of_reach(goal: str) -> None:
    own = walked("blocksworld").problem
    text = render_problem(own)
    problem = read_problem(f"{text[: text.index('(:goal')]}(:goal {goal}))", own.domain)
    assert reach("blocksworld", problem).missing(NOTHING) == ()


def test_a_verdict_is_asked_for_once_and_a_plan_is_followed_as_far_as_it_goes() -> None:
    walks = WorldWalks(transitions_of(open_world("movie")), QueryBudget(4))
    evidence = GoalEvidence(open_world("movie"), walks)
    plan = ("(reset-counter)", "(rewind-movie)", "(rewind-movie-2)")
    followed = evidence.follow(plan)
    assert followed.refused == plan[-1] and evidence.walk_to(followed.node) == plan[:2]
    assert [evidence.ask(followed.node) for _ in range(2)] == [False, False]
    assert evidence.queries == 1 and walks.budget is not None and walks.budget.left == 0
    with pytest.raises(BudgetExceeded):
        evidence.ask(0)
    assert evidence.verdicts == {followed.node: False}
