"""Plans without search: valid wherever there is one, under any names, and for tasks of any size."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from equivalence_cases import (
    BLOCKS,
    GRIPPER,
    Facts,
    blocks,
    layout,
    placement,
    random_facts,
    reachable_states,
)
from test_equivalence_rules import NEW, OTHER_BLOCKS

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.domain_specific import plan_by_rules
from envs.pddl.planning.planner import PlanOutcome
from envs.pddl.planning.validate import validate_plan


def assert_judged_as_by_all_states(facts, goals):
    states = reachable_states(facts.problem())
    for goal in goals:
        problem = facts.with_goal(goal).problem()
        result = plan_by_rules(problem)
        if any(set(goal) <= state for state in states):
            report = validate_plan(problem, result.plan)
            assert report.valid, (goal, report.render())
        else:
            assert result.outcome is PlanOutcome.UNSOLVABLE_PROVED and result.plan is None, goal


def goals_up_to(fluents, most):
    return [goal for count in range(1, most + 1) for goal in combinations(sorted(fluents), count)]


@pytest.mark.parametrize("held", [0.0, 1.0])
def test_every_small_goal_of_blocks_is_reached_or_refuted(held):
    facts = Facts(BLOCKS, ("a", "b", "c"), layout(np.random.default_rng(4), "abc", held), ())
    fluents = frozenset().union(*reachable_states(facts.with_goal(facts.init[:1]).problem()))
    assert_judged_as_by_all_states(facts.with_goal(facts.init[:1]), goals_up_to(fluents, 3))


@pytest.mark.parametrize("seed", range(3))
def test_every_small_goal_of_gripper_is_reached_or_refuted(seed):
    rooms, balls, hands = ("r", "s"), ("x", "y"), ("g", "h")[: 1 + seed % 2]
    static = tuple((k, n) for k, some in (("room", rooms), ("ball", balls), ("gripper", hands)) for n in some)
    init = static + placement(np.random.default_rng(seed), rooms, balls, hands)
    facts = Facts(GRIPPER, (*rooms, *balls, *hands), init, init[-1:])
    fluents = frozenset().union(*reachable_states(facts.problem())) - set(static)
    assert_judged_as_by_all_states(facts, goals_up_to(fluents, 3))


@pytest.mark.parametrize("domain", ["blocksworld", "gripper"])
def test_random_goals_are_reached_under_any_names(domain):
    rng = np.random.default_rng(11)
    for _ in range(150):
        facts = random_facts(rng, domain)
        problem = facts.disguised(rng).problem()
        assert validate_plan(problem, plan_by_rules(problem).plan).valid


def test_other_words_and_orders_of_parameters_are_no_obstacle():
    domain, rng = read_domain(OTHER_BLOCKS), np.random.default_rng(2)
    for _ in range(30):
        old = random_facts(rng, "blocksworld")
        init, goal = (tuple((NEW[a[0]], *a[1:]) for a in some) for some in (old.init, old.goal))
        text = Facts(domain, old.objects, init, goal).text().replace(") (:init", " - brick) (:init", 1)
        problem = read_problem(text, domain)
        assert validate_plan(problem, plan_by_rules(problem).plan).valid


def test_a_tower_of_a_thousand_is_turned_over_with_few_steps():
    names = tuple(f"b{i}" for i in range(1000))
    up = [("on", upper, lower) for lower, upper in pairwise(names)]
    down = [("on", lower, upper) for _, upper, lower in up]
    init = (("handempty",), ("ontable", names[0]), ("clear", names[-1]), *up)
    result = plan_by_rules(Facts(BLOCKS, names, init, tuple(down)).problem())
    assert result.outcome is PlanOutcome.SOLVED and len(result.plan) <= 4 * len(names)


def test_what_is_right_already_is_left_alone():
    assert plan_by_rules(blocks("handempty, ontable a, on b a, clear b", "on b a", 2).problem()).plan == ()
    plan = plan_by_rules(blocks("handempty, ontable a, on b a, on c b, clear c", "clear b", 3).problem()).plan
    assert plan == ("(unstack c b)", "(put-down c)")


@pytest.mark.parametrize(
    "init", ["handempty, ontable a, on b a, on c a, clear b, clear c", "ontable a, clear a, ontable b"]
)
def test_states_that_are_none_are_left_to_others(init):
    assert plan_by_rules(blocks(init, "on a b", 3).problem()) is None


def test_negations_and_other_domains_are_left_to_others():
    text = blocks("handempty, ontable a, clear a", "clear a", 1).text()
    assert plan_by_rules(read_problem(text.replace("(clear a)))", "(not (clear a))))"), BLOCKS)) is None
    other = read_domain("(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))")
    problem = read_problem("(define (problem p) (:domain d) (:init) (:goal (p)))", other)
    assert plan_by_rules(problem) is None
