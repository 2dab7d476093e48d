"""Tasks as facts: streams that do not meet, draws that are fair, PDDL there and back."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.reading import read_facts
from envs.registry import WORLDS
from envs.tasks import Pool, TaskFacts, pick, problem_text, sample, shuffled, task_seed

DOMAIN = read_domain("""(define (domain d) (:requirements :typing :action-costs) (:types car van - vehicle)
    (:constants hub - vehicle) (:predicates (at ?v - vehicle ?w - vehicle) (on))
    (:functions (total-cost)) (:action go :parameters (?v - car) :precondition (on)
    :effect (and (at ?v ?v) (increase (total-cost) 1))))""")
VOCABULARY = DOMAIN.vocabulary
HEAD = (
    "(define (problem p) (:domain d) (:requirements :adl) (:objects a - car b - van) (:init (on) (at a b)) "
)


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(st.integers(0, 2**32), st.lists(st.integers(), max_size=30))
def test_shuffling_keeps_every_item_and_is_decided_by_the_seed(seed: int, items: list[int]) -> None:
    mixed = shuffled(_rng(seed), items)
    assert sorted(mixed) == sorted(items)
    assert mixed == shuffled(_rng(seed), items)


@given(st.integers(0, 2**32), st.integers(0, 12))
def test_a_sample_holds_different_items(seed: int, k: int) -> None:
    drawn = sample(_rng(seed), range(12), k)
    assert len(drawn) == k == len(set(drawn)) and set(drawn) <= set(range(12))


@pytest.mark.parametrize("k", [-1, 4])
def test_more_than_there_is_cannot_be_sampled(k: int) -> None:
    with pytest.raises(ValueError, match="3 items"):
        sample(_rng(0), "abc", k)


def test_all_orders_and_items_are_about_as_likely() -> None:
    rng = _rng(7)
    orders = Counter("".join(shuffled(rng, "abc")) for _ in range(6000))
    assert len(orders) == 6 and min(orders.values()) > 850
    picks = Counter(pick(rng, "abcd") for _ in range(4000))
    assert len(picks) == 4 and min(picks.values()) > 850


def test_no_two_tasks_share_a_stream() -> None:
    keys = [(world, pool, index) for world in WORLDS for pool in Pool for index in range(1, 20)]
    states = {tuple(task_seed(*key).generate_state(4).tolist()) for key in keys}
    assert len(states) == len(keys)


def test_facts_are_written_and_read_back_with_negative_goals_constants_and_costs() -> None:
    goal = ((True, ("at", "b", "hub")), (False, ("on",)))
    facts = TaskFacts({"hub": "vehicle", "a": "car", "b": "van"}, (("at", "a", "hub"), ("on",)), goal)
    text = problem_text("p", VOCABULARY, facts)
    assert read_facts(text, VOCABULARY) == facts
    problem = read_problem(text, DOMAIN)
    assert problem.costs == {("total-cost",): 0.0}


@pytest.mark.parametrize("init", [(), (("on",),)])
def test_a_task_is_solved_if_its_goal_holds_at_first(init: tuple[tuple[str, ...], ...]) -> None:
    assert TaskFacts({}, init, ((True, ("on",)),)).solved == bool(init)
    assert TaskFacts({}, init, ((False, ("on",)),)).solved != bool(init)


@pytest.mark.parametrize(
    ("goal", "literals"),
    [
        ("(on)", ((True, ("on",)),)),
        ("(and)", ()),
        ("(not (not (on)))", ((True, ("on",)),)),
        ("(and (on) (and (not (at a a))))", ((True, ("on",)), (False, ("at", "a", "a")))),
    ],
)
def test_goals_that_are_conjunctions_are_read(goal: str, literals: object) -> None:
    assert read_facts(f"{HEAD}(:goal {goal}))", VOCABULARY).goal == literals


@pytest.mark.parametrize(
    "goal",
    [
        "(or (on) (at a a))",
        "(forall (?v - car) (at ?v ?v))",
        "(not (and (on) (at a a)))",
        "(exists (?v) (on))",
    ],
)
def test_goals_that_are_none_are_refused_by_name(goal: str) -> None:
    with pytest.raises(ValueError, match="neither an atom nor a negated one"):
        read_facts(f"{HEAD}(:goal {goal}))", VOCABULARY)


def test_a_faulty_problem_is_reported_as_such() -> None:
    with pytest.raises(PDDLError, match="nowhere"):
        read_facts(f"{HEAD}(:goal (at a nowhere)))", VOCABULARY)
