"""What a planner is handed is the problem, in words that it has."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_samples import SAMPLES, bundled, domain, problem, problem_of, random_states

from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts
from envs.pddl.planning.universals import written_out
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.compile import compile_task

ACTS = "(:action go :parameters (?x - {kind}) :precondition (p ?x) :effect (done ?x))"
#: What is declared; an action's parameter; objects. In each, `a` may go and `z` may not.
UNSAID = {
    "a union as a parameter's type": ("(:types t u v)", "(either t u)", "a - t z - v"),
    "an object of a union": ("(:types t u - w w v)", "w", "a - (either t u) z - v"),
    "a type below a union": ("(:types t u v - object b - (either t u))", "(either u t)", "a - b z - v"),
    "a type that planners take for numbers": ("(:types number v)", "number", "a - number z - v"),
    "a name like that of a guard": ("(:types of-type-0 number v)", "number", "a - number z - v"),
}


def typed(declared: str, kind: str, body: str = "") -> str:
    predicates = "(:predicates (p ?x) (done ?x) (of-type-0 ?x) (said))"
    return domain(f"{declared} {predicates} {ACTS.format(kind=kind)} {body}")


@pytest.mark.parametrize("name", UNSAID)
def test_types_that_a_planner_cannot_read_still_rule_what_it_plans(name: str) -> None:
    declared, kind, objects = UNSAID[name]
    for goal, outcome in (
        ("(done a)", PlanOutcome.SOLVED),
        ("(done z)", PlanOutcome.UNSOLVABLE_PROVED),
    ):
        task = problem_of(typed(declared, kind), problem(objects, "(p a) (p z)", goal))
        result = Planner(wall_s=240).plan(*planner_texts(task))
        assert result.outcome is outcome
        assert result.plan is None or validate_plan(task, result.plan).valid


QUANTIFIED = """
  (:action all :parameters ()
    :precondition (and (forall (?x - (either t u)) (p ?x)) (exists (?x - (either u v)) (not (p ?x))))
    :effect (and (said) (forall (?x - (either t v)) (when (p ?x) (done ?x)))))
  (:action flip :parameters (?x)
    :effect (and (when (p ?x) (not (p ?x))) (when (not (p ?x)) (p ?x))))
"""


def test_the_untyped_text_has_the_same_operators_and_successors() -> None:
    text = typed("(:types t u v)", "(either t u)", QUANTIFIED)
    task = problem_of(
        text, problem("a - t b - u c - v d", "(p a) (p b)", "(forall (?x - (either t v)) (done ?x))")
    )
    again = problem_of(*planner_texts(task))
    assert not again.domain.types and set(again.objects.values()) == {"object"}
    ours, theirs = compile_task(task), compile_task(again)
    assert ours.operators == theirs.operators
    states = random_states(ours, 200)
    twins = np.stack([theirs.state_of(ours.atoms_of(state) - ours.static) for state in states])
    mask = ours.applicable(states)
    assert (mask == theirs.applicable(twins)).all() and mask.any(axis=0).all()
    assert (ours.goal_reached(states) == theirs.goal_reached(twins)).all()
    for operator in range(len(ours.operators)):
        chosen = np.full(len(states), operator)
        pairs = zip(ours.successors(states, chosen), theirs.successors(twins, chosen), strict=True)
        assert all(ours.atoms_of(a) - ours.static == theirs.atoms_of(b) - theirs.static for a, b in pairs)


CASES = {**SAMPLES, **bundled(1)}


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_canonical_where_nothing_is_in_the_planner_s_way(name: str) -> None:
    task = problem_of(*CASES[name])
    texts = render_domain(task.domain), render_problem(task)
    words = ("either", "total-cost", ":functions", "number")
    if not any(word in text for text in texts for word in words) and written_out(task) is task:
        assert planner_texts(task) == texts


@pytest.mark.parametrize("cost", ["1.5", "999999999999", "(far ?x)"])
def test_no_cost_keeps_a_planner_from_a_plan(cost: str) -> None:
    text = domain(f"""(:predicates (p ?x)) (:functions (total-cost) - number (far ?x) - number)
        (:action go :parameters (?x) :effect (and (p ?x) (increase (total-cost) {cost})))""")
    told = problem("a", "(= (total-cost) 0)", "(p a)").replace(
        "(:goal", "(:metric minimize (total-cost)) (:goal"
    )
    assert Planner(wall_s=240).plan(*planner_texts(problem_of(text, told))).plan == ("(go a)",)
