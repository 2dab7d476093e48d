"""Problems of replies: fitted to the environment's objects, or refused with the place of the fault."""

from __future__ import annotations

import pytest
from example_world import example_world
from hypothesis import given
from hypothesis import strategies as st

from agents.draft import DomainDraft
from agents.edits import read_edits
from agents.problems import read_problem_reply
from agents.replies import call_blocks
from agents.requests import example_answer
from envs.pddl.diagnosis.diagnose import diagnose

WORLD = example_world()
ANSWER = example_answer("problem")
DRAFT = DomainDraft.empty("blocksworld", WORLD.types, WORLD.actions).apply(
    read_edits(call_blocks(example_answer("domain"))).edits
)[0]


def test_the_example_answer_is_usable_and_fits_the_example_domain() -> None:
    reading = read_problem_reply(ANSWER, WORLD)
    assert reading.fault is None
    assert reading.problem is not None
    assert diagnose(DRAFT.text(), reading.problem).issues == ()
    assert read_problem_reply(ANSWER, WORLD, DRAFT) == reading


def test_reading_what_was_read_changes_nothing() -> None:
    reading = read_problem_reply(ANSWER, WORLD)
    assert read_problem_reply(reading.problem or "", WORLD) == reading


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("```pddl", "```lisp"),
        ("```pddl", ""),
        ("(problem blocksworld-task)", "(problem another)"),
        ("(:domain blocksworld)", "(:domain blocks)"),
        ("a b c - block", "a b - block c"),
        ("a b c - block", "a b - block"),
        ("a b c - block", "a b c unused - brick"),
        ("(clear c)\n", "(CLEAR C)  ; nothing on c\n"),
        ("(define", "(define (problem draft) (:domain d) (:init) (:goal (and)))\n(define"),
    ],
)
def test_names_objects_and_layout_come_from_the_environment(old: str, new: str) -> None:
    assert read_problem_reply(ANSWER.replace(old, new), WORLD) == read_problem_reply(ANSWER, WORLD)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("(clear b)", "(clear e)", "undeclared_object"),
        ("(clear b)", "(clear b a)", "error[arity]"),
        ("(:init", "(:init (and (on b a))", "error"),
        ("(clear b)", "(clear ?x)", "error"),
        ("(:goal (on a b))", "", "no goal"),
        ("(:goal (on a b))", "(:goal (and))", "no goal"),
        ("(:goal (on a b))", "(:goal (= a b))", "no goal"),
        ("(arm-empty))", "(arm-empty)", "do not balance"),
        ("(define (problem", "(define (domain", "no whole (define (problem"),
    ],
)
def test_what_no_domain_could_fit_is_refused(old: str, new: str, fault: str) -> None:
    assert old in ANSWER
    reading = read_problem_reply(ANSWER.replace(old, new), WORLD)
    assert reading.problem is None
    assert fault in (reading.fault or "")


def test_against_a_domain_its_predicates_bind() -> None:
    reply = ANSWER.replace("(arm-empty)", "(hand-empty)")
    assert read_problem_reply(reply, WORLD).fault is None
    assert "undeclared_predicate" in (read_problem_reply(reply, WORLD, DRAFT).fault or "")


@pytest.mark.parametrize(
    "goal",
    [
        "(on a b)",
        "(not (on a b))",
        "(or (on a b) (imply (clear a) (= a b)))",
        "(forall (?x - block) (exists (?y - block) (on ?x ?y)))",
    ],
)
def test_goals_may_be_any_formula(goal: str) -> None:
    reading = read_problem_reply(ANSWER.replace("(:goal (on a b))", f"(:goal {goal})"), WORLD)
    assert reading.fault is None
    assert f"(:goal {goal})" in (reading.problem or "")


@pytest.mark.parametrize(
    "reply", ["", "(" * 10_000, "(define " * 10_000, "x" * 10_000_000, "(define (problem p))"]
)
def test_hostile_replies_hold_no_problem(reply: str) -> None:
    reading = read_problem_reply(reply, WORLD)
    assert reading.problem is None
    assert reading.fault


def test_deep_goals_are_refused() -> None:
    deep = "(not " * 5_000 + "(on a b)" + ")" * 5_000
    assert "nested" in (
        read_problem_reply(ANSWER.replace("(:goal (on a b))", f"(:goal {deep})"), WORLD).fault or ""
    )


_JUNK = st.recursive(
    st.sampled_from(["a", "on", "and", "?x", "not", "-", ":init", "=", "either", "9"]),
    lambda inner: st.lists(inner, max_size=4).map(lambda items: f"({' '.join(items)})"),
    max_leaves=12,
)


@given(_JUNK, _JUNK)
def test_no_init_or_goal_makes_reading_fail(fact: str, goal: str) -> None:
    reading = read_problem_reply(f"(define (problem p) (:domain d) (:init {fact}) (:goal {goal}))", WORLD)
    assert (reading.problem is None) != (reading.fault is None)
