"""Exact rules for Blocksworld and Gripper: recognised under any names, right for each goal of small tasks."""

from itertools import combinations

import numpy as np
import pytest
from equivalence_cases import (
    BLOCKS,
    GRIPPER,
    Facts,
    atoms,
    blocks,
    layout,
    placement,
    reachable_states,
    world_domain,
)
from kernel_samples import WORLDS

from envs.pddl.equivalence.goals.derive import specify_by_rules
from envs.pddl.equivalence.goals.goal import Exactness, Goal
from envs.pddl.equivalence.known_domains import blocks as blocks_rules
from envs.pddl.equivalence.known_domains import grippers as gripper_rules
from envs.pddl.equivalence.known_domains.patterns import cast
from envs.pddl.language.domain import read_domain

OTHER_BLOCKS = """
(define (domain stacks) (:requirements :typing) (:types brick)
  (:predicates (upon ?a ?b - brick) (grounded ?a - brick) (bare ?a - brick) (arm-empty) (held ?a - brick))
  (:action grab :parameters (?b - brick) :precondition (and (arm-empty) (bare ?b) (grounded ?b))
    :effect (and (not (grounded ?b)) (not (arm-empty)) (not (bare ?b)) (held ?b)))
  (:action drop :parameters (?b - brick) :precondition (held ?b)
    :effect (and (grounded ?b) (arm-empty) (bare ?b) (not (held ?b))))
  (:action put :parameters (?under ?b - brick) :precondition (and (held ?b) (bare ?under))
    :effect (and (not (held ?b)) (not (bare ?under)) (upon ?b ?under) (bare ?b) (arm-empty)))
  (:action take :parameters (?under ?b - brick) :precondition (and (upon ?b ?under) (bare ?b) (arm-empty))
    :effect (and (held ?b) (bare ?under) (not (upon ?b ?under)) (not (bare ?b)) (not (arm-empty)))))
"""
NEW = {"on": "upon", "ontable": "grounded", "clear": "bare", "handempty": "arm-empty", "holding": "held"}
TYPED_GRIPPER = """
(define (domain balls) (:requirements :typing) (:types place thing hand)
  (:predicates (here ?r - place) (lies ?b - thing ?r - place) (empty ?g - hand) (holds ?b - thing ?g - hand))
  (:action go :parameters (?a ?b - place) :precondition (here ?a) :effect (and (here ?b) (not (here ?a))))
  (:action lift :parameters (?g - hand ?b - thing ?r - place)
    :precondition (and (lies ?b ?r) (here ?r) (empty ?g))
    :effect (and (holds ?b ?g) (not (lies ?b ?r)) (not (empty ?g))))
  (:action lay :parameters (?g - hand ?b - thing ?r - place) :precondition (and (holds ?b ?g) (here ?r))
    :effect (and (lies ?b ?r) (empty ?g) (not (holds ?b ?g)))))
"""


def assert_exact_for_every_goal_of(facts, most_atoms):
    """Every set of at most so many fluent atoms, also those that no state satisfies."""
    problem = facts.problem()
    statics = {atom for atom in facts.init if atom[0] in ("room", "ball", "gripper")}
    states = [state - statics for state in reachable_states(problem)]
    every = sorted(frozenset().union(*states))
    reached = unreached = 0
    for size in range(most_atoms + 1):
        for goal in combinations(every, size):
            wanted = frozenset(goal)
            satisfying = [state for state in states if wanted <= state]
            found = specify_by_rules(problem, Goal(wanted))
            if satisfying:
                assert (found.exactness, found.goal) == (
                    Exactness.EXACT,
                    Goal(frozenset.intersection(*satisfying)),
                )
                reached += 1
            else:
                assert found.exactness is Exactness.UNREACHABLE
                unreached += 1
    assert reached and (unreached or len(every) < 3)


@pytest.mark.parametrize(("count", "most_atoms"), [(1, 3), (2, 4), (3, 3)])
def test_the_rules_of_blocks_are_exact_for_every_small_goal(count, most_atoms):
    names = "abc"[:count]
    rng = np.random.default_rng(count)
    assert_exact_for_every_goal_of(Facts(BLOCKS, tuple(names), layout(rng, names), ()), most_atoms)


@pytest.mark.parametrize("rooms", [1, 2])
@pytest.mark.parametrize(("balls", "hands"), [(0, 1), (1, 1), (2, 1), (1, 2), (2, 2)])
def test_the_rules_of_gripper_are_exact_for_every_small_goal(rooms, balls, hands):
    groups = [tuple(f"{kind}{i}" for i in range(n)) for kind, n in (("r", rooms), ("b", balls), ("g", hands))]
    static = [(k, n) for k, names in zip(("room", "ball", "gripper"), groups, strict=True) for n in names]
    init = (*static, *placement(np.random.default_rng(0), *groups))
    assert_exact_for_every_goal_of(Facts(GRIPPER, sum(groups, ()), init, ()), 3)


def test_blocksworld_is_recognised_under_other_names():
    domain = read_domain(OTHER_BLOCKS)
    found = cast(blocks_rules.RULES, domain)
    assert found.roles["upon"] == "on" and found.roles["bare"] == "clear"
    rng = np.random.default_rng(0)
    for _ in range(20):
        names = tuple("abcd")
        ours = Facts(BLOCKS, names, layout(rng, names), layout(rng, names, held=0.5)[:2])
        theirs = Facts(
            domain,
            (*names, "-", "brick"),
            tuple((NEW[a[0]], *a[1:]) for a in ours.init),
            tuple((NEW[a[0]], *a[1:]) for a in ours.goal),
        )
        known = specify_by_rules(ours.problem(), Goal(frozenset(ours.goal)))
        other = specify_by_rules(theirs.problem(), Goal(frozenset(theirs.goal)))
        assert {(NEW[a[0]], *a[1:]) for a in known.goal.positive} == other.goal.positive
        assert other.exactness is known.exactness


def test_gripper_is_recognised_with_types():
    found = cast(gripper_rules.RULES, read_domain(TYPED_GRIPPER))
    assert found.roles == {"here": "robot", "lies": "at", "empty": "free", "holds": "carry"}


@pytest.mark.parametrize("world", sorted(path.name for path in WORLDS.iterdir() if path.is_dir()))
def test_no_other_world_is_taken_for_one_with_rules(world):
    domain = world_domain(world)
    assert (cast(blocks_rules.RULES, domain) is not None) == (world == "blocksworld")
    assert (cast(gripper_rules.RULES, domain) is not None) == (world == "gripper")


@pytest.mark.parametrize(
    "change",
    [
        ("(not (bare ?under))", ""),
        ("(and (arm-empty) (bare ?b) (grounded ?b))", "(and (bare ?b) (grounded ?b))"),
    ],
)
def test_a_changed_rule_is_noticed(change):
    assert OTHER_BLOCKS.count(change[0])
    assert cast(blocks_rules.RULES, read_domain(OTHER_BLOCKS.replace(*change, 1))) is None


@pytest.mark.parametrize(
    "init",
    ["ontable a, clear a, ontable b, clear b", "handempty, ontable a, clear a", "handempty, on a b, on b a"],
    ids=["no hand", "a block nowhere", "a cycle"],
)
def test_the_rules_do_not_apply_to_a_state_that_is_none(init):
    assert specify_by_rules(blocks(init, "", 2).problem(), Goal(frozenset({("ontable", "a")}))) is None


def test_the_rules_do_not_apply_where_balls_are_rooms_or_there_is_no_gripper():
    overlap = atoms("room r, ball r, gripper g, at-robby r, at r r, free g")
    bare = atoms("room r, ball b, at-robby r, at b r")
    for objects, init in ((("r", "g"), overlap), (("r", "b"), bare)):
        problem = Facts(GRIPPER, objects, init, ()).problem()
        assert specify_by_rules(problem, Goal(frozenset({("at-robby", "r")}))) is None


def test_the_rules_do_not_judge_negations():
    problem = blocks("handempty, ontable a, clear a", "", 1).problem()
    assert specify_by_rules(problem, Goal(negative=frozenset({("handempty",)}))) is None
