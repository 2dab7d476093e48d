"""Texts and layouts that no honest problem has are named outcomes: no exception, no wrong answer."""

import pytest
from equivalence_cases import BLOCKS, GRIPPER, Facts, atoms, blocks

from envs.pddl.equivalence.compare import (
    NoCanonicalForm,
    ProblemPart,
    Verdict,
    canonical_digest,
    compare,
    compare_texts,
)
from envs.pddl.equivalence.goals.derive import Means, specify
from envs.pddl.equivalence.goals.goal import Exactness, NotLiterals, read_goal
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.sexpr import MAX_CHARACTERS

TABLE = "handempty, ontable a, ontable b, ontable c, clear a, clear b, clear c"
GOOD = blocks(TABLE, "on a b", 3)
ROOMS = "room r, room s, ball b, gripper g, at-robby r, at b r, free g"


def gripper(init, goal):
    return Facts(GRIPPER, ("r", "s", "b", "g"), atoms(init), atoms(goal))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (GOOD.text()[:-3], "error[unbalanced]"),
        (GOOD.text() + ")", "error[unbalanced]"),
        (GOOD.text() + " " * MAX_CHARACTERS, "error[too_large]"),
        ("(" * 100_000, "error[too_large]"),
        ("", "error[syntax]"),
        (GOOD.text().replace("(on a b)", "(on a z)"), "error[undeclared_object]"),
        (GOOD.text().replace("(on a b)", "(on a)"), "error[arity]"),
    ],
    ids=["cut off", "surplus", "huge", "deep", "empty", "unknown object", "arity"],
)
def test_a_text_that_cannot_be_read_is_named(text, named):
    for texts, side in (((text, GOOD.text()), "first problem:"), ((GOOD.text(), text), "second problem:")):
        found = compare_texts(*texts, BLOCKS)
        assert (found.verdict, found.part) == (Verdict.UNSUPPORTED, None)
        assert side in found.witness and named in found.witness


def test_an_object_of_two_types_is_named():
    domain = read_domain(
        "(define (domain d) (:requirements :typing) (:types ball room) (:predicates (at ?b - ball ?r - room))"
        "(:action go :parameters (?b - ball ?r - room) :effect (at ?b ?r)))"
    )
    text = "(define (problem p) (:domain d) (:objects b - ball b - room) (:init) (:goal (and)))"
    found = compare_texts(text, text, domain)
    assert found.verdict is Verdict.UNSUPPORTED and "error[duplicate]" in found.witness


def test_readable_texts_are_compared():
    assert compare_texts(GOOD.text(), GOOD.text(), BLOCKS).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    "goal",
    [
        "on a b, on b c, on c a",
        "on a a",
        "on a b, on a c",
        "on a c, on b c",
        "holding a, handempty",
        "holding a, holding b",
        "holding a, clear a",
        "on a b, ontable a",
        "on a b, clear b",
    ],
)
def test_a_goal_of_blocks_that_exclude_each_other_is_told_and_differs_from_any_that_does_not(goal):
    bad = blocks(TABLE, goal, 3).problem()
    completed = specify(bad, read_goal(bad))
    assert completed.exactness is Exactness.UNREACHABLE
    assert completed.reason.startswith("no reachable state satisfies (and (")
    for one, other in ((bad, GOOD.problem()), (GOOD.problem(), bad)):
        found = compare(one, other)
        assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)
        assert completed.reason in found.witness
    with pytest.raises(NoCanonicalForm, match="no reachable state"):
        canonical_digest(bad)


@pytest.mark.parametrize(
    "goal", ["at b r, at b s", "at b r, carry b g", "carry b g, free g", "at-robby r, at-robby s"]
)
def test_a_goal_of_gripper_that_excludes_itself_is_told(goal):
    bad, good = gripper(ROOMS, goal).problem(), gripper(ROOMS, "at b s").problem()
    assert specify(bad, read_goal(bad)).exactness is Exactness.UNREACHABLE
    assert compare(good, bad).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("placeholder", [False, True])
@pytest.mark.parametrize("means", [Means(), Means(by_rules=False)], ids=["rules", "derived"])
def test_two_goals_that_nothing_satisfies_are_the_same_as_neither_has_a_goal_state(means, placeholder):
    one, other = blocks(TABLE, "on a a", 3).problem(), blocks(TABLE, "on a b, on b a", 3).problem()
    again = blocks(TABLE, "on c c", 3).problem()
    for there in (other, again):
        found = compare(one, there, means=means, placeholder=placeholder)
        assert found.verdict is Verdict.EQUIVALENT and set(found.witness) == set("abc")
    moved = blocks(TABLE.replace("ontable a, ", ""), "on c c", 3).problem()
    assert compare(one, moved, means=means, placeholder=placeholder).part is ProblemPart.INIT


@pytest.mark.parametrize(
    ("init", "goals", "verdict"),
    [
        (ROOMS + ", at b s", ("at b r", "at b s"), Verdict.DIFFERENT),  # a ball in two rooms
        (ROOMS.replace("at b r, ", ""), ("free g", "at-robby s"), Verdict.DIFFERENT),  # a ball nowhere
    ],
)
def test_a_bad_initial_state_is_not_judged_by_rules_that_assume_a_good_one(init, goals, verdict):
    bad = [gripper(init, goal).problem() for goal in goals]
    assert compare(*bad).verdict is verdict
    good = gripper(ROOMS, goals[0]).problem()
    found = compare(good, bad[0])
    assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.INIT)


def test_a_cycle_of_blocks_at_first_is_explored_instead():
    init = "handempty, on a b, on b a, ontable c, clear c"
    one, other = blocks(init, "ontable c", 3).problem(), blocks(init, "ontable c, on a b", 3).problem()
    assert compare(one, other).verdict is Verdict.EQUIVALENT  # nothing can be done about the cycle
    assert compare(one, blocks(init, "holding c", 3).problem()).verdict is Verdict.DIFFERENT


def goal_problem(goal):
    text = GOOD.text().replace("(and (on a b))", goal)
    return read_problem(text, BLOCKS)


def test_a_goal_that_leaves_a_choice_is_not_judged_but_its_initial_state_is():
    one = goal_problem("(or (on a b) (on b c))")
    with pytest.raises(NotLiterals, match="leaves a choice"):
        read_goal(one)
    assert compare(one, goal_problem("(or (on b c) (on a b))")).verdict is Verdict.EQUIVALENT
    assert compare(one, goal_problem("(or (on b c) (on b a))")).verdict is Verdict.UNSUPPORTED
    other = blocks("handempty, ontable a, ontable b, on c b, clear a, clear c", "on a b", 3).problem()
    assert compare(one, other).part is ProblemPart.INIT
    with pytest.raises(NoCanonicalForm):
        canonical_digest(one)


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?x) (imply (= ?x a) (on ?x b)))",
        "(exists (?x) (and (= ?x a) (on ?x b)))",
        "(not (not (on a b)))",
        "(and (or (= a b) (on a b)) (not (= a c)))",
    ],
)
def test_a_goal_is_compared_by_what_is_left_when_what_is_settled_is_folded_away(goal):
    assert compare(goal_problem(goal), GOOD.problem()).verdict is Verdict.EQUIVALENT


def test_a_goal_that_wants_what_can_never_hold_is_unreachable():
    bad = gripper(ROOMS, "at b s, room b").problem()
    assert specify(bad, read_goal(bad)).reason == "no reachable state satisfies (room b)"
    assert compare(bad, gripper(ROOMS, "at b s").problem()).verdict is Verdict.DIFFERENT
