"""What is derived from a problem's transitions holds in every reachable state, whatever the domain has."""

from dataclasses import replace

import numpy as np
import pytest
from equivalence_cases import blocks, random_blocks, random_gripper, reachable_states
from kernel_samples import SAMPLES, problem_of

from envs.pddl.equivalence.goals.consequences import BadRules
from envs.pddl.equivalence.goals.derive import Derivation, Means, derive
from envs.pddl.equivalence.goals.goal import Exactness, Goal, fluents_of
from envs.pddl.equivalence.invariants import transitions as steps
from envs.pddl.equivalence.invariants.invariants import derive_invariants, has_cycle
from envs.pddl.equivalence.invariants.transitions import transitions
from envs.pddl.language.domain import Problem
from envs.pddl.planning.planner import Planner

MOST_STATES = 300


def assert_holds_everywhere(problem):
    invariants = derive_invariants(transitions(problem))
    numbered = {atom: i for i, atom in enumerate(invariants.task.atoms)}
    fluents = fluents_of(problem.domain)
    for state in reachable_states(problem, MOST_STATES):
        held = {atom for atom in state if atom[0] in fluents}
        assert held <= numbered.keys()
        literals = {2 * number + (atom not in held) for atom, number in numbered.items()}
        assert not literals.intersection(invariants.never)
        assert not any(one in literals and other in literals for one, other in invariants.mutexes)
        assert all(sum(2 * atom in literals for atom in group) == 1 for group in invariants.groups)
        for name in invariants.acyclic:
            assert not has_cycle(atom[1:] for atom in held if atom[0] == name)
    return invariants


@pytest.mark.parametrize(
    ("sample", "most_conditions"),
    [
        pytest.param(
            sample,
            most,
            id=f"{sample}-{how}",
            marks=pytest.mark.slow if (sample, most) == ("atoms wider than 64 bits", 0) else (),
        )
        for sample in SAMPLES
        for most, how in ((steps.MAX_CONDITIONS, "split up"), (0, "left whole"))
    ],
)
def test_invariants_hold_in_every_reachable_state(sample, most_conditions, monkeypatch):
    monkeypatch.setattr(steps, "MAX_CONDITIONS", most_conditions)
    assert_holds_everywhere(problem_of(*SAMPLES[sample]))


def test_blocks_have_one_place_and_no_cycles():
    found = assert_holds_everywhere(blocks("handempty, ontable a, on b a, clear b", "", 2).problem())
    groups = {frozenset(found.task.atoms[i] for i in group) for group in found.groups}
    assert frozenset({("ontable", "a"), ("on", "a", "a"), ("on", "a", "b"), ("holding", "a")}) in groups
    assert frozenset({("handempty",), ("holding", "a"), ("holding", "b")}) in groups
    assert found.acyclic == ("on",)


def test_balls_and_the_robot_have_one_place():
    problem = random_gripper(np.random.default_rng(0), 2, 2, 1).problem()
    found = assert_holds_everywhere(problem)
    groups = {frozenset(found.task.atoms[i] for i in group) for group in found.groups}
    assert frozenset({("at", "b0", "r0"), ("at", "b0", "r1"), ("carry", "b0", "g0")}) in groups
    assert frozenset({("at-robby", "r0"), ("at-robby", "r1")}) in groups


def test_a_cycle_at_first_is_no_invariant():
    assert derive_invariants(transitions(blocks("handempty, on a b, on b a", "", 2).problem())).acyclic == ()


@pytest.mark.parametrize(
    ("edges", "cyclic"),
    [
        ([], False),
        ([("a", "b"), ("a", "c"), ("b", "c")], False),
        ([("a", "a")], True),
        ([("a", "b"), ("b", "a")], True),
        ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")], True),
    ],
)
def test_cycles_are_found(edges, cyclic):
    assert has_cycle(edges) is cyclic


CHESTS = """
(define (domain chests) (:requirements :strips) (:predicates (lit ?x) (out ?x) (near ?x ?y))
  (:action swap :parameters (?x ?y) :precondition (and (lit ?x) (out ?y) (near ?x ?y))
    :effect (and (lit ?y) (out ?x) (not (lit ?x)) (not (out ?y)))))
"""
CHEST = "(define (problem p) (:domain chests) (:objects a b c d) (:init {}) (:goal (lit c)))"


def chests() -> Problem:
    """Four chests in a row, of which two are lit."""
    return problem_of(
        CHESTS, CHEST.format("(lit a) (lit b) (out c) (out d) (near a b) (near b c) (near c d)")
    )


def test_invariants_of_a_world_are_used():
    problem = chests()
    goal = Goal(frozenset({("out", "a"), ("out", "b")}))
    without = Derivation(problem, Means()).implied(goal)
    assert ("lit", "c") not in without.positive  # how many are lit is no group
    for rule in (
        ':- #count { X : holds("lit", X) } != 2.',
        ':- object(X, "object"), X = "c", holds("out", "a"), holds("out", "b"), not holds("lit", X).'
        ' :- static("near", "c", Y), holds("out", "a"), holds("out", "b"), not holds("lit", Y).',
    ):
        given = Derivation(problem, Means(invariants=rule)).implied(goal)
        assert given.positive == {*goal.positive, ("lit", "c"), ("lit", "d")}


def test_a_planner_proves_that_a_goal_is_out_of_reach_where_invariants_do_not():
    helped = Derivation(chests(), Means(max_states=1, planner=Planner()))
    goal = Goal(frozenset({("out", "a"), ("out", "b"), ("out", "c")}))
    assert helped.complete(goal).exactness is Exactness.UNREACHABLE


@pytest.mark.slow
def test_a_planner_proves_what_the_invariants_do_not_know():
    problem = chests()
    helped = Derivation(problem, Means(max_states=1, planner=Planner()))
    two = frozenset({("out", "a"), ("out", "b")})
    completed = helped.complete(Goal(two))
    assert completed.exactness is Exactness.EXACT
    assert completed.goal.positive == two | {("lit", "c"), ("lit", "d")}


@pytest.mark.parametrize("rules", [":- holds(", "#script(python) print(1) #end.", '#include "x.lp".'])
def test_invariants_that_are_none_are_refused(rules):
    problem = problem_of(CHESTS, CHEST.format("(lit a) (out b)"))
    with pytest.raises(BadRules):
        Derivation(problem, Means(invariants=rules)).implied(Goal())


@pytest.mark.parametrize(
    ("rules", "told"),
    [(':- holds("lit", "a").', "exclude the initial state"), (':- holds("lit", "c").', "can be reached")],
)
@pytest.mark.parametrize(
    "means",
    [Means(max_states=3), pytest.param(Means(max_states=1, planner=Planner()), marks=pytest.mark.slow)],
    ids=["states", "planner"],
)
def test_invariants_that_a_state_breaks_are_refused(rules, told, means):
    problem = chests()
    goal = Goal(frozenset({("out", "a")}))
    with pytest.raises(BadRules, match=told):
        Derivation(problem, replace(means, invariants=rules)).complete(goal)
    assert Derivation(problem, Means(max_states=3)).complete(goal).goal.positive == goal.positive


def test_a_problem_that_takes_too_long_or_is_too_large_keeps_its_goal_as_it_is():
    facts = random_blocks(np.random.default_rng(0), 14)
    goal = Goal(frozenset({("clear", "b3"), ("on", "b1", "b2")}))
    hurried = derive(facts.problem(), goal, Means(max_states=1, wall_s=0.0))
    assert (hurried.goal, hurried.exactness) == (goal, Exactness.SOUND)
    assert "not found in 0 s" in hurried.reason
    large = derive(random_blocks(np.random.default_rng(0), 50).problem(), goal, Means(max_states=1))
    assert (large.goal, large.exactness) == (goal, Exactness.SOUND)
    assert "atoms are more than" in large.reason
