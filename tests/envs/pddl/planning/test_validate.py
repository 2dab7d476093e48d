"""Plan validation: the same verdict as two simulators, and the right step and conditions named."""

from __future__ import annotations

import pickle
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wide import wide

import envs
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.planning.planner import Planner
from envs.pddl.planning.validate import PlanFault, PlanReport, validate_plan
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.simulator import Task

WORLDS = sorted(path.parent for path in (Path(envs.__file__).parent / "worlds").glob("*/domain.pddl"))
SOON_PLANNED = ("blocksworld", "grippers", "hiking", "miconic", "urnsong")
#: The first task of every world is planned for in `test_worlds_suite`.
SMALL = [(world, "p01") for world in WORLDS if world.name in SOON_PLANNED]
PROBLEMS = wide([*SMALL, *((world, "p05") for world in WORLDS)], *SMALL)

#: One action for each kind of condition; `tidy` reads its conditions in the old state.
DOMAIN = """
(define (domain rooms) (:requirements :adl :typing)
  (:types room thing - object box - thing)
  (:constants hall - room)
  (:predicates (here ?r - room) (in ?t - thing ?r - room) (held ?t - thing) (lit ?r - room) (done))
  (:action go :parameters (?from ?to - room)
    :precondition (and (here ?from) (not (= ?from ?to)) (or (lit ?to) (= ?to hall)))
    :effect (and (not (here ?from)) (here ?to)))
  (:action light :parameters (?r - room) :precondition (here ?r) :effect (lit ?r))
  (:action take :parameters (?t - thing ?r - room)
    :precondition (and (here ?r) (in ?t ?r) (forall (?o - thing) (not (held ?o))))
    :effect (and (held ?t) (not (in ?t ?r))))
  (:action put :parameters (?b - box ?r - room) :precondition (and (here ?r) (held ?b))
    :effect (and (in ?b ?r) (not (held ?b))))
  (:action tidy :parameters ()
    :precondition (exists (?r - room)
      (and (here ?r) (forall (?t - thing) (imply (not (held ?t)) (in ?t ?r)))))
    :effect (and (done) (forall (?r - room) (when (here ?r) (not (lit ?r)))))))
"""
PROBLEM = """
(define (problem flat) (:domain rooms) (:objects attic cellar - room b1 b2 - box cat - thing)
  (:init (here hall) (in b1 hall) (in b2 attic) (in cat hall) (lit attic))
  (:goal (and (in b1 attic) (not (held b2)) (here attic))))
"""
PLAN = ("(take b1 hall)", "(go hall attic)", "(put b1 attic)")


@lru_cache
def rooms() -> Problem:
    return read_problem(PROBLEM, read_domain(DOMAIN))


@lru_cache
def bundled(world: Path, stem: str) -> Problem:
    domain = read_domain((world / "domain.pddl").read_text(encoding="utf-8"))
    return read_problem((world / f"{stem}.pddl").read_text(encoding="utf-8"), domain)


@lru_cache
def planned(world: Path, stem: str) -> tuple[str, ...]:
    domain, problem = world / "domain.pddl", world / f"{stem}.pddl"
    result = Planner().plan(domain.read_text(encoding="utf-8"), problem.read_text(encoding="utf-8"))
    assert result.plan is not None, result.outcome
    return result.plan


@lru_cache
def compiled(world: Path | None, stem: str = "") -> Task:
    return compile_task(rooms() if world is None else bundled(world, stem))


def replay(task: Task, plan: tuple[str, ...]) -> tuple[int, bool]:
    """Steps that ran and whether the goal holds then, by the fast simulator."""
    states = task.initial(1)
    for index, operator in enumerate(plan):
        number = task.operator_index.get(operator)
        if number is None or not task.applicable(states)[0, number]:
            return index, bool(task.goal_reached(states)[0])
        states = task.successors(states, np.array([number]))
    return len(plan), bool(task.goal_reached(states)[0])


def assert_report_is_whole(problem: Problem, report: PlanReport) -> None:
    assert report.valid == (report.failed_step is None and not report.unmet_goals)
    assert (report.reason is PlanFault.PRECONDITION) == bool(report.false_conditions)
    assert (report.failed_step is None) == (report.reason in (None, PlanFault.GOAL))
    assert (not report.unmet_goals) == ReferenceSimulator(problem).holds_goal(report.final_state)


def assert_agrees(problem: Problem, task: Task, plan: tuple[str, ...]) -> None:
    report = validate_plan(problem, plan)
    assert_report_is_whole(problem, report)
    steps, goal = replay(task, plan)
    assert (report.failed_step, report.valid) == (
        steps if steps < len(plan) else None,
        goal and steps == len(plan),
    )
    assert (not report.unmet_goals) == goal


@pytest.mark.parametrize(("world", "stem"), PROBLEMS, ids=lambda value: getattr(value, "name", value))
def test_what_the_planner_finds_is_valid(world: Path, stem: str) -> None:
    report = validate_plan(bundled(world, stem), planned(world, stem))
    assert report.valid and report.reason is None, report.render()


@pytest.mark.parametrize(("world", "stem"), PROBLEMS, ids=lambda value: getattr(value, "name", value))
def test_plans_with_steps_left_out_swapped_or_replaced_get_the_fast_simulators_verdict(
    world: Path, stem: str
) -> None:
    problem, task, plan = bundled(world, stem), compiled(world, stem), planned(world, stem)
    rng = np.random.default_rng(len(plan))
    for _ in range(15):
        place, other = (int(rng.random() * len(plan)) for _ in range(2))
        swapped = list(plan)
        swapped[place], swapped[other] = swapped[other], swapped[place]
        replaced = list(plan)
        replaced[place] = task.operators[int(rng.random() * len(task.operators))]
        for mutated in (plan[:place] + plan[place + 1 :], tuple(swapped), tuple(replaced)):
            assert_agrees(problem, task, mutated)


@given(st.data())
def test_any_sequence_of_operators_gets_the_fast_simulators_verdict(data: st.DataObject) -> None:
    task = compiled(None)
    states, plan = task.initial(1), list[str]()
    for _ in range(data.draw(st.integers(0, 6))):
        able = np.flatnonzero(task.applicable(states)[0])
        number = int(data.draw(st.sampled_from(able.tolist())))
        plan.append(task.operators[number])
        states = task.successors(states, np.array([number]))
    plan += data.draw(st.lists(st.sampled_from(task.operators), max_size=2))
    assert_agrees(rooms(), task, tuple(plan))


def test_the_final_state_is_the_one_that_the_reference_reaches() -> None:
    simulator = ReferenceSimulator(rooms())
    state = simulator.initial()
    for step in PLAN:
        state = simulator.successor(state, step)
    report = validate_plan(rooms(), PLAN)
    assert report.valid and report.final_state == state


def test_the_empty_plan_is_judged_by_the_goal_alone() -> None:
    report = validate_plan(rooms(), ())
    assert (report.reason, report.failed_step) == (PlanFault.GOAL, None)
    assert report.unmet_goals == ("(in b1 attic)", "(here attic)")
    assert report.final_state == rooms().init


@pytest.mark.parametrize(
    ("plan", "step", "false"),
    [
        (("(put b1 hall)",), 0, ("(held b1)",)),
        (("(take b1 hall)", "(take cat hall)"), 1, ("(not (held b1))",)),
        (("(go hall hall)",), 0, ("(not (= hall hall))",)),
        (("(go hall cellar)",), 0, ("(or (lit cellar) (= cellar hall))",)),
        (("(take b2 attic)",), 0, ("(here attic)",)),
        (("(go hall attic)", "(take cat cellar)"), 1, ("(here cellar)", "(in cat cellar)")),
    ],
)
def test_the_false_parts_of_a_precondition_are_named_with_their_objects(
    plan: tuple[str, ...], step: int, false: tuple[str, ...]
) -> None:
    report = validate_plan(rooms(), plan)
    assert (report.reason, report.failed_step, report.false_conditions) == (
        PlanFault.PRECONDITION,
        step,
        false,
    )
    assert all(condition in report.render() for condition in false)


def test_an_existential_condition_is_named_as_a_whole() -> None:
    (condition,) = validate_plan(rooms(), ("(tidy)",)).false_conditions
    assert condition.startswith("(exists (?r - room) (and (here ?r) (forall (?t - thing)")


def test_conditions_are_read_before_the_step_and_effects_after_it() -> None:
    state = validate_plan(rooms(), ("(light hall)",)).final_state
    assert ("lit", "hall") in state


@pytest.mark.parametrize(
    ("step", "fault", "word"),
    [
        ("(fly b1 hall)", PlanFault.UNKNOWN_ACTION, "fly"),
        ("(take b1)", PlanFault.WRONG_ARITY, "2 arguments"),
        ("(take b1 hall hall)", PlanFault.WRONG_ARITY, "not 3"),
        ("(tidy b1)", PlanFault.WRONG_ARITY, "not 1"),
        ("(take b9 hall)", PlanFault.UNKNOWN_OBJECT, "b9"),
        ("(put cat hall)", PlanFault.WRONG_TYPE, "cat is a thing"),
        ("(take hall b1)", PlanFault.WRONG_TYPE, "hall is a room"),
        ("", PlanFault.NOT_AN_OPERATOR, "not an operator"),
        ("(take (b1) hall)", PlanFault.NOT_AN_OPERATOR, "not an operator"),
    ],
)
def test_a_step_that_no_state_could_run_is_told_apart_from_one_that_this_state_cannot(
    step: str, fault: PlanFault, word: str
) -> None:
    report = validate_plan(rooms(), (PLAN[0], step, *PLAN[1:]))
    assert (report.reason, report.failed_step, report.false_conditions) == (fault, 1, ())
    assert word in report.render() and "step 2 of 4" in report.render()
    assert ("held", "b1") in report.final_state


def test_steps_are_read_in_any_case_and_spacing() -> None:
    assert validate_plan(rooms(), ("TAKE B1 Hall", "(go   hall attic )", PLAN[2])).valid


def test_a_report_survives_pickling() -> None:
    report = validate_plan(rooms(), PLAN[:1])
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301 (our own bytes)
