"""Every problem that can be read is equivalent to itself; where rules end, the planner decides by itself."""

from itertools import pairwise

import numpy as np
import pytest
from equivalence_cases import BLOCKS, Facts
from kernel_samples import SAMPLES, problem_of
from wide import wide

from envs.pddl.equivalence.aligned import compare_aligned
from envs.pddl.equivalence.compare import ProblemPart, Verdict, compare
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.equivalence.goals.goal import read_goal
from envs.pddl.equivalence.graphs import canonical
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.simulation.grounding import GroundingExploded, Limits, ground
from envs.pddlgym_suite import domain_file, problem_files

ALONE = Means(planner=None)
EXPLODING = """(define (domain d) (:requirements :adl) (:predicates (p ?a ?b) (q ?a))
 (:action go :parameters (?a ?b ?c ?d ?e ?f ?g)
  :precondition (or (p ?a ?b) (p ?c ?d)) :effect (and (p ?e ?f) (q ?g))))"""
#: Goals of that domain: a wide one, one that is never reached, a choice, quantifiers, none.
GOALS = (
    "(and (q o1) (p o1 o2))",
    "(and (q o1) (not (q o1)))",
    "(or (q o1) (p o2 o3))",
    "(forall (?x) (exists (?y) (and (p ?x ?y) (not (q ?y)))))",
    "(imply (q o1) (forall (?x ?y) (or (p ?x ?y) (= ?x ?y))))",
    "(and)",
)


def exploding(goal: str, names=lambda name: name) -> Problem:
    objects = [f"o{i}" for i in range(30)]
    text = f"(define (problem p) (:domain d) (:objects {' '.join(objects)}) (:init (p o1 o2)) (:goal {goal}))"
    for name in sorted(objects, key=len, reverse=True):
        text = text.replace(f"{name} ", f"{names(name)} ").replace(f"{name})", f"{names(name)})")
    return read_problem(text, read_domain(EXPLODING))


def ferry(number: int = 0) -> Problem:
    domain = read_domain(domain_file("ferry").read_text(encoding="utf-8"))
    return read_problem(problem_files("ferry")[number].read_text(encoding="utf-8"), domain)


def with_goal(problem: Problem, goal: str) -> Problem:
    """The problem with another goal, in PDDL."""
    text = render_problem(problem)
    start = text.index("(:goal")
    return read_problem(f"{text[:start]}(:goal {goal}))", problem.domain)


def assert_equivalent_to_itself(problem: Problem) -> None:
    again = read_problem(render_problem(problem), problem.domain)
    for other in (problem, again):
        for placeholder in (False, True):
            found = compare(problem, other, placeholder=placeholder, deadline_s=0, means=ALONE)
            assert found.verdict is Verdict.EQUIVALENT
            assert found.witness == {name: name for name in problem.objects}
        assert compare_aligned(problem, other, ALONE).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_problem_is_equivalent_to_itself(sample):
    assert_equivalent_to_itself(problem_of(*SAMPLES[sample]))


@pytest.mark.parametrize("goal", wide(GOALS, GOALS[2], GOALS[3]))
def test_a_problem_that_explodes_is_equivalent_to_itself_whatever_its_goal_is(goal):
    problem = exploding(goal)
    with pytest.raises(GroundingExploded):
        ground(problem, Limits())
    assert_equivalent_to_itself(problem)


@pytest.mark.parametrize("goal", GOALS)
def test_so_it_is_under_other_names(goal):
    found = compare(exploding(goal), exploding(goal, lambda name: f"x{name}"), means=ALONE)
    assert found.verdict is Verdict.EQUIVALENT
    assert (found.witness["o1"], found.witness["o2"]) == ("xo1", "xo2")


@pytest.mark.parametrize("goal", ["(at c0 c1)", "(and (at c0 l1) (not (at c0 l1)))", "(not-eq c0 c0)"])
def test_so_is_one_whose_goal_is_out_of_reach(goal):
    assert_equivalent_to_itself(with_goal(ferry(), goal))


def test_a_goal_less_is_shown_to_be_different_by_a_plan():
    problem = ferry()
    wanted = [f"({' '.join(atom)})" for atom in sorted(read_goal(problem).positive)]
    less = with_goal(problem, f"(and {' '.join(wanted[1:])})")
    assert compare(problem, less, means=ALONE).verdict is Verdict.UNSUPPORTED
    found = compare(problem, less, deadline_s=None)
    assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)


def test_a_goal_out_of_reach_differs_from_one_that_a_plan_reaches():
    problem = ferry()
    never = with_goal(problem, "(at c0 c1)")
    for pair in ((problem, never), (never, problem)):
        assert compare(*pair, means=ALONE).verdict is Verdict.UNSUPPORTED
        found = compare(*pair, deadline_s=None)
        assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)
        assert "no reachable state satisfies (at c0 c1)" in found.witness


def test_time_that_is_over_is_no_verdict():
    problem = ferry()
    assert compare(problem, with_goal(problem, "(at c0 l1)"), deadline_s=0).verdict is Verdict.TIMEOUT


def towers(count: int, number: int) -> Facts:
    """So many blocks in equal towers, to be piled up again in another order."""
    names = [f"b{i}" for i in range(count)]
    init, goal = [("handempty",)], []
    for first in range(number):
        tower = names[first::number]
        init += [("ontable", tower[0]), ("clear", tower[-1])]
        init += [("on", above, below) for below, above in pairwise(tower)]
        goal += [("on", below, above) for below, above in zip(tower, tower[2:], strict=False)]
    return Facts(BLOCKS, tuple(names), tuple(init), tuple(goal))


def assert_the_same_in_disguise(facts: Facts) -> None:
    found = compare(facts.problem(), facts.disguised(np.random.default_rng(0)).problem(), deadline_s=None)
    assert found.verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("number", wide([1, 2, 5], 2, 5))
def test_tall_towers_are_labelled_without_a_child(number, monkeypatch):
    def refuse(*_):
        raise AssertionError("a child was started")

    monkeypatch.setattr(canonical, "_ask_child", refuse)
    assert_the_same_in_disguise(towers(1500, number))


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 10])
def test_ten_thousand_blocks_are_the_same_in_disguise(number):
    assert_the_same_in_disguise(towers(10_000, number))
