"""Facts of the initial state as causes: counted by the same walks as all others, and never a ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from wide import wide

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample.agreement import Agreement, AgreementConfig, agreement
from ew.counterexample.causes import Causes, cause_words, order, without_orders
from ew.counterexample.disagreement import Direction, Disagreement, first_disagreement
from ew.counterexample.doubting import fact_doubts, goal_doubts, may_be_initial
from ew.counterexample.explanations import FACTS, Change, Explanation
from ew.counterexample.feedback import Explained
from ew.counterexample.shrink import shrink
from ew.score.config import EWConfig

FOLDERS = Path(__file__).parents[1] / "data" / "faulty_texts"
#: Folder, task, facts that are taken away, facts that are added.
WRONG = {
    "a static fact is another one": ("static_fact", 2, ["(cable gorge meadow)"], ["(cable gorge summit)"]),
    "a fluent fact is another one": ("fluent_fact", 3, ["(potted ivy bench3)"], ["(potted ivy bench1)"]),
    "a fact is missing": ("missing_fact", 2, ["(charged flare)"], []),
    "a fact is too much": ("missing_fact", 3, [], ["(charged torch)"]),
}


def model_of(folder: str, task: int, gone: Sequence[str] = (), come: Sequence[str] = ()) -> Problem:
    texts = read_texts(str(FOLDERS / folder), task)
    problem = texts.problem
    for fact in gone:
        assert fact in problem
        problem = problem.replace(fact, "", 1)
    return read_problem(problem.replace("(:init", f"(:init {' '.join(come)}", 1), read_domain(texts.domain))


def compared(folder: str, task: int, model: Problem, seed: int = 0) -> Agreement:
    world = open_world(str(FOLDERS / folder), task)
    return agreement(world, model, np.random.default_rng(seed), AgreementConfig(walks=5))


def causes_of(found: Agreement) -> Causes:
    return Causes(found.differences, found.explanations, found.together, found.alike)


@pytest.mark.parametrize("seed", wide([0, 1], 0))
@pytest.mark.parametrize("name", WRONG)
def test_wrong_facts_are_what_explains_all_and_contradicts_nothing(name: str, seed: int) -> None:
    folder, task, gone, come = WRONG[name]
    causes = causes_of(compared(folder, task, model_of(folder, task, gone, come), seed))
    wanted = {(Change.ADD_FACT, fact) for fact in gone} | {(Change.DROP_FACT, fact) for fact in come}
    assert set(causes.facts) == wanted and causes.suspects_facts
    doubts = fact_doubts(str(task), causes)
    assert {doubt.subject for doubt in doubts} == {*gone, *come}


@pytest.mark.parametrize("name", wide(WRONG, "a fluent fact is another one", "a fact is missing"))
def test_counts_are_what_the_changed_model_shows_on_the_same_walks(name: str) -> None:
    """With all facts of an explanation of everything changed, no difference is left."""
    folder, task, gone, come = WRONG[name]
    found = compared(folder, task, model_of(folder, task, gone, come))
    assert found.differences and all(e.explains > e.contradicts for e in found.explanations)
    assert all(e.explains <= found.differences for e in found.explanations)
    right = compared(folder, task, model_of(folder, task))
    assert not right.differences and not right.explanations and not right.together.facts


def test_a_domain_at_fault_is_not_taken_for_a_fact() -> None:
    texts = read_texts("grippers", 1)
    model = read_problem(texts.problem, read_domain(texts.domain.replace(" (free ?r ?g))\n", ")\n", 1)))
    found = agreement(open_world("grippers", 1), model, np.random.default_rng(0), AgreementConfig(walks=5))
    assert not causes_of(found).facts and found.explanations[0].change is Change.ADD_PRECONDITION


@pytest.mark.parametrize("name", WRONG)
def test_a_step_that_depends_on_an_untouched_fact_makes_the_problem_a_suspect(name: str) -> None:
    folder, task, gone, come = WRONG[name]
    world, model = open_world(str(FOLDERS / folder), task), model_of(folder, task, gone, come)
    compiled = compile_task(model)
    found = first_disagreement(world, compiled, np.random.default_rng(0), EWConfig(40, 10))
    assert found is not None
    assert may_be_initial(model, shrink(world, compiled, found).disagreement)


def test_a_step_that_depends_on_what_the_walk_changed_makes_no_suspect_of_the_problem() -> None:
    """The model forgets that a gripper is free again: the drop had a say in it, the problem has not."""
    texts = read_texts("grippers", 1)
    broken = texts.domain.replace(
        "(at ?obj ?room) (free ?r ?g) (not (carry", "(at ?obj ?room) (not (carry", 1
    )
    assert broken != texts.domain
    model = read_problem(texts.problem, read_domain(broken))
    walk = tuple(f"({name} robot1 ball3 room2 rgripper1)" for name in ("pick", "drop", "pick"))
    assert not may_be_initial(model, Disagreement(Direction.FORWARD, walk, ""))


def test_a_step_that_looks_at_all_objects_makes_the_problem_a_suspect() -> None:
    """A literal with a variable that the walk gives no object is not looked up by itself."""
    domain = """(define (domain rooms) (:requirements :adl) (:predicates (open ?x) (seen ?x))
      (:action look :parameters (?x) :precondition (and (open ?x) {all}) :effect (seen ?x)))"""
    problem = "(define (problem one) (:domain rooms) (:objects a b) (:init (open a)) (:goal (seen a)))"
    found = Disagreement(Direction.FORWARD, ("(look a)",), "")
    for condition, suspected in (("(exists (?y) (seen ?y))", True), ("(not (seen ?x))", False)):
        model = read_problem(problem, read_domain(domain.replace("{all}", condition)))
        assert may_be_initial(model, found) is suspected


def test_equals_stand_under_one_count_and_are_cut_with_their_number() -> None:
    equals = tuple(Explanation(Change.ADD_PRECONDITION, "a", f"(p{i})", 3, 0) for i in range(9))
    text = cause_words(Causes(5, equals))
    assert text.count("Explains 3 of 5") == 1 and "or one of 3 more that fit as well" in text
    assert "likeliest" not in text
    assert "No single change of a literal explains all 5" in text
    for what in ("quantified or conditional", "facts of the initial state", "does not have"):
        assert what in text


def test_where_one_change_explains_all_nothing_else_is_said() -> None:
    text = cause_words(Causes(3, (Explanation(Change.DROP_FACT, "", "(p a)", 3, 0),)))
    assert "- initial state: drop the fact (p a)" in text and "No single change" not in text


def test_a_domain_that_stands_is_not_named_beside_facts_that_explain_all() -> None:
    fact = Explanation(Change.ADD_FACT, "", "(p a)", 3, 0)
    rule = Explanation(Change.DROP_PRECONDITION, "go", "(p ?x)", 3, 0)
    assert "(p ?x)" in cause_words(Causes(3, (fact, rule)))
    assert "(p ?x)" not in cause_words(Causes(3, (fact, rule)), domain_stands=True)
    assert "(p ?x)" in cause_words(Causes(3, (rule,)), domain_stands=True)


def test_what_is_proved_wrong_is_not_recommended() -> None:
    first = Explanation(Change.ADD_PRECONDITION, "go", "(p ?x)", 3, 0)
    second = Explanation(Change.DROP_PRECONDITION, "go", "(q ?x)", 2, 0)
    text = f"Incorrect.\n\n{cause_words(Causes(3, (first, second)))}"
    wrong = {order(first.change, first.action, first.literal)}
    left = without_orders(text, wrong)
    assert "(p ?x)" not in left and "Explains 3" not in left and "- go: drop the precondition (q ?x)" in left
    both = wrong | {order(second.change, second.action, second.literal)}
    assert without_orders(text, both) == "Incorrect." and without_orders(text, set()) == text


def test_predicates_that_only_the_described_state_has_are_named() -> None:
    texts = read_texts("grippers", 1)
    model = read_problem(texts.problem, read_domain(texts.domain.replace(" (free ?r ?g))\n", ")\n", 1)))
    world, compiled = open_world("grippers", 1), compile_task(model)
    found = first_disagreement(world, compiled, np.random.default_rng(0), EWConfig(40, 10))
    assert found is not None
    shrunk = shrink(world, compiled, found)
    told = Disagreement(
        found.direction, found.walk, "(locked door1)\n(not (at ball1 room1))\nA sentence (x)."
    )
    seen = agreement(world, model, np.random.default_rng(0), AgreementConfig(walks=2))
    lacking = Explained.by(type(shrunk)(told, 0, 0, True), seen, frozenset({"at"})).causes.lacking
    assert lacking == ("locked",)


def test_operators_that_no_predicate_tells_apart_are_named() -> None:
    """Without a word for a free gripper, nothing says which gripper can pick."""
    texts = read_texts("grippers", 1)
    domain = re.sub(r"\(not \(free [^()]*\)\)|\(free \?[rg][^()]*\)", "", texts.domain)
    problem = re.sub(r"\(free [^()]*\)", "", texts.problem)
    model = read_problem(problem, read_domain(domain))
    found = agreement(open_world("grippers", 1), model, np.random.default_rng(0), AgreementConfig(walks=5))
    assert [pair.executed.split()[0] for pair in found.alike] == ["(pick"]
    text = cause_words(Causes(found.differences, (), found.together, found.alike))
    assert found.alike[0].executed in text and found.alike[0].refused in text


@pytest.mark.parametrize("task", [1, 2, 4])
def test_a_right_goal_is_not_doubted_and_a_wrong_part_of_one_is(task: int) -> None:
    world, texts = open_world(str(FOLDERS / "goal"), task), read_texts(str(FOLDERS / "goal"), task)
    domain = read_domain(texts.domain)
    right = read_problem(texts.problem, domain)
    assert goal_doubts("1", world, right, compile_task(right), refuted=False)[0] == ()
    bells = [name for name, kind in right.objects.items() if kind == "bell"]
    unasked = [f"(rung {bell})" for bell in bells if f"(rung {bell})" not in texts.problem]
    for goal in chain(unasked):
        wrong = read_problem(texts.problem.replace("(:goal (and ", f"(:goal (and {goal} "), domain)
        doubts, queries = goal_doubts("1", world, wrong, compile_task(wrong), refuted=True)
        assert [doubt.subject for doubt in doubts] == [goal] and queries > 0


def test_changes_of_facts_are_the_only_ones_without_an_action() -> None:
    found = compared("static_fact", 2, model_of("static_fact", 2, ["(cable gorge meadow)"]))
    assert all((e.action == "") == (e.change in FACTS) for e in found.explanations)
