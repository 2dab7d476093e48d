"""Two models as one planning task: its plans are walks that one of them refuses at the end, and no others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from wide import wide

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Part, terms, without_terms
from envs.pddl.mutation.faults import BreakKind, break_domain
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates, Task
from envs.truth import truth_of
from envs.world import open_world
from ew.counterexample.exposure import Kind, first_difference
from ew.counterexample.side_by_side import SideBySide, goals_side_by_side, side_by_side

CASES = [
    (world, kind, seed)
    for world in ("blocksworld", "grippers", "miconic", "urnsong", "dimhollow", "household")
    for kind in (BreakKind.MIXED, BreakKind.NESTED, BreakKind.PARAMETER)
    for seed in range(2)
    if kind is not BreakKind.NESTED or world not in ("blocksworld", "grippers", "miconic")
]
ALWAYS = [
    (world, kind, seed)
    for world, kind, seed in CASES
    if seed == 0 and world in ("grippers", "miconic", "urnsong", "dimhollow")
    if kind is not BreakKind.PARAMETER or world == "grippers"
]
#: Effects that the goal of a world reads, by whose loss it is reached less often.
LOST = [("miconic", "depart", "(served ?p)"), ("grippers", "drop", "(at ?obj ?room)")]


def both(world: str, kind: BreakKind, seed: int) -> tuple[Problem, Problem]:
    """A world's rules, and these with a fault."""
    problem = truth_of(open_world(world).key).problem
    broken = break_domain(problem.domain, kind, 1, np.random.default_rng(seed))
    return problem, read_problem(broken.problem(problem), read_domain(broken.domain))


def allows(task: Task, walk: tuple[str, ...]) -> list[bool]:
    """Which operators of a walk a task allows, up to the first that it refuses."""
    numbers, state, allowed = {text: n for n, text in enumerate(task.operators)}, task.initial(1), []
    for operator in walk:
        number = numbers.get(operator, -1)
        allowed.append(number >= 0 and bool(task.applicable(state)[0, number]))
        if not allowed[-1]:
            break
        state = task.successors(state, np.array([number]))
    return allowed


def state_after(task: Task, walk: tuple[str, ...]) -> PackedStates:
    numbers, state = {text: n for n, text in enumerate(task.operators)}, task.initial(1)
    for operator in walk:
        state = task.successors(state, np.array([numbers[operator]]))
    return state


@pytest.mark.parametrize(("world", "kind", "seed"), wide(CASES, *ALWAYS))
def test_a_plan_is_a_walk_that_one_of_the_two_refuses_at_its_end(
    world: str, kind: BreakKind, seed: int
) -> None:
    problems = both(world, kind, seed)
    apart = side_by_side(*problems)
    result = Planner(wall_s=120).plan(*planner_texts(apart.problem))
    tasks = [compile_task(problem) for problem in problems]
    if result.plan is not None:
        walk = apart.walk(result.plan)
        ran = [allows(task, walk) for task in tasks]
        assert all(all(own[:-1]) and len(own) == len(walk) for own in ran)
        assert ran[0][-1] != ran[1][-1]
    else:
        assert result.outcome in (PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.UNSOLVABLE_INCOMPLETE)
        if result.outcome is PlanOutcome.UNSOLVABLE_PROVED:
            assert first_difference(*tasks, 100_000).kind is not Kind.EXECUTABLE


@pytest.mark.parametrize(("world", "action", "effect"), LOST)
def test_a_plan_leads_to_the_goal_of_one_of_the_two_alone(world: str, action: str, effect: str) -> None:
    problem = truth_of(open_world(world).key).problem
    (lost,) = (
        t for t in terms(problem.domain) if (t.action, t.part, t.text) == (action, Part.EFFECT, effect)
    )
    other = read_problem(render_problem(problem), read_domain(without_terms(problem.domain, [lost])))
    for both in ((problem, other), (other, problem)):
        apart = goals_side_by_side(*both)
        result = Planner(wall_s=120).plan(*planner_texts(apart.problem))
        assert result.plan is not None
        walk = apart.walk(result.plan)
        tasks = [compile_task(own) for own in both]
        assert all(all(allows(task, walk)) for task in tasks)
        held = [bool(task.goal_reached(state_after(task, walk))[0]) for task in tasks]
        assert held == [own is problem for own in both]


@pytest.mark.parametrize("joined", [side_by_side, goals_side_by_side])
@pytest.mark.parametrize("world", ["grippers", "dimhollow"])
def test_no_plan_shows_a_difference_between_a_model_and_itself(
    world: str, joined: Callable[[Problem, Problem], SideBySide]
) -> None:
    problem = truth_of(open_world(world).key).problem
    result = Planner(wall_s=120).plan(*planner_texts(joined(problem, problem).problem))
    assert result.outcome is PlanOutcome.UNSOLVABLE_PROVED


def test_an_action_keeps_its_name_whatever_it_is_called_and_costs_are_those_of_one() -> None:
    domain = """(define (domain odd) (:requirements :typing :action-costs) (:types t)
(:predicates (dist ?x - t) (done ?x - t)) (:functions (dist) (total-cost))
(:action b--other :parameters (?x - t) :precondition (dist ?x)
 :effect (and (not (dist ?x)) (done ?x) (increase (total-cost) (dist)))))"""
    task = (
        "(define (problem p) (:domain odd) (:objects c - t) (:init (dist c) (= (dist) 2)) (:goal (done c)))"
    )
    problems = [
        read_problem(task, read_domain(text)) for text in (domain, domain.replace("(not (dist ?x)) ", ""))
    ]
    apart = side_by_side(*problems)
    result = Planner(wall_s=120).plan(*planner_texts(apart.problem))
    assert result.plan is not None and apart.walk(result.plan) == ("(b--other c)", "(b--other c)")
