"""Problems without the parameters that no effect names: the same states, and plans that can be completed."""

import numpy as np
import pytest
from kernel_samples import SAMPLES, problem_of

from envs.pddl.equivalence.compare import ProblemPart, Verdict, compare
from envs.pddl.equivalence.goals.derive import Means, aiming_at
from envs.pddl.equivalence.goals.goal import read_goal
from envs.pddl.equivalence.goals.narrowed import Narrowed
from envs.pddl.equivalence.invariants.transitions import TooLarge, transitions
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddlgym_suite import domain_file, problem_files

#: Which key opens a door, and who stands by, is named by no effect.
DOORS = """(define (domain doors) (:requirements :adl) (:types door key person)
 (:predicates (open ?d - door) (held ?k - key) (fits ?k - key ?d - door)
  (awake ?p - person) (far ?p - person))
 (:action take :parameters (?k - key ?p - person) :precondition (and (awake ?p) (not (held ?k)))
  :effect (held ?k))
 (:action unlock :parameters (?d - door ?k ?other - key ?p ?q - person)
  :precondition (and (held ?k) (fits ?k ?d) (held ?other) (not (= ?k ?other)) (awake ?p) (not (far ?q)))
  :effect (and (open ?d)))
 (:action nap :parameters (?p - person) :precondition (awake ?p) :effect (not (awake ?p))))"""
DOORS_PROBLEM = """(define (problem p) (:domain doors)
 (:objects d e - door k l m - key x y - person)
 (:init (fits k d) (fits l e) (awake x) (awake y) (far x)) (:goal {}))"""
CASES = {**SAMPLES, "doors": (DOORS, DOORS_PROBLEM.format("(and (open d) (not (awake x)))"))}


def footwear():
    domain = read_domain(domain_file("footwear").read_text(encoding="utf-8"))
    return read_problem(problem_files("footwear")[0].read_text(encoding="utf-8"), domain)


def narrow_operator(problem, operator: str) -> str:
    """The operator without the arguments that the weakened problem leaves out."""
    name, arguments = parse_operator(operator)
    kept = {v.symbol for v in Narrowed(problem).weakened.domain.actions[name].parameters}
    parameters = problem.domain.actions[name].parameters
    return format_operator(name, [a for v, a in zip(parameters, arguments, strict=True) if v.symbol in kept])


@pytest.mark.parametrize("case", CASES)
def test_what_is_left_out_can_be_completed_in_every_state_and_leads_to_the_same(case):
    problem = problem_of(*CASES[case])
    world, narrowed = ReferenceSimulator(problem), Narrowed(problem)
    weak = ReferenceSimulator(narrowed.weakened)
    rng, state = np.random.default_rng(0), world.initial()
    for _ in range(12):
        operators = world.applicable(state)
        if not operators:
            break
        operator = operators[int(rng.integers(len(operators)))]
        less = narrow_operator(problem, operator)
        again = narrowed.completed(state, less)
        assert narrow_operator(problem, again) == less
        following = world.successor(state, operator)
        assert world.successor(state, again) == following == weak.successor(state, less)
        state = following


def test_a_step_that_nothing_suits_is_refused():
    problem = problem_of(*CASES["doors"])
    narrowed = Narrowed(problem)
    with pytest.raises(RuntimeError, match="not applicable"):
        narrowed.completed(problem.init, "(unlock d)")


@pytest.mark.parametrize(
    ("goal", "possible"),
    [("(and (open d) (open e) (not (awake y)))", True), ("(and (open d) (not (held k)))", False)],
)
def test_plans_for_the_narrowed_problem_are_plans_for_the_problem(goal, possible):
    problem = problem_of(DOORS, DOORS_PROBLEM.format(goal))
    world, narrowed = ReferenceSimulator(problem), Narrowed(problem)
    plan = Planner().plan(*narrowed.texts(problem)).plan
    assert (plan is not None) is possible
    state = world.initial()
    for step in plan or ():
        state = world.successor(state, narrowed.completed(state, step))
    assert world.holds_goal(state) is possible


@pytest.mark.slow
def test_a_problem_too_large_to_be_ground_has_a_plan_and_invariants():
    problem = footwear()
    with pytest.raises(TooLarge):
        transitions(problem)
    weak = transitions(Narrowed(problem).weakened)
    assert {atom for atom in problem.init if atom[0] in {a[0] for a in weak.atoms}} <= set(weak.atoms)
    goal = read_goal(problem)
    one, *rest = sorted(goal.positive)
    less = aiming_at(problem, [(atom, True) for atom in rest], [])
    found = compare(problem, less, deadline_s=None)
    assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)
    assert one


@pytest.mark.slow
def test_what_the_invariants_of_such_a_problem_imply_makes_no_difference():
    problem = footwear()
    bare = sorted(atom for atom in problem.init if atom[0] == "isbare")
    (place,) = (atom for atom in problem.init if atom[0] == "at")
    goal = [(atom, True) for atom in (*bare, place)]
    elsewhere = min(o for o, kind in problem.objects.items() if kind == "place" and o != place[1])
    one, other = aiming_at(problem, goal, []), aiming_at(problem, [*goal, (("at", elsewhere), False)], [])
    assert compare(one, other, deadline_s=None, means=Means(planner=None)).verdict is Verdict.EQUIVALENT
