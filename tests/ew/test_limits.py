"""What fits a limit exactly is within it, and one less is not enough: states, rows and queries."""

import numpy as np
import pytest
from graph_worlds import GraphSystem
from graphs import any_graph, started
from hypothesis import given, settings
from hypothesis import strategies as st
from test_exposure import lamp

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.lifted import lift
from ew.counterexample.exposure import Kind, first_difference
from ew.lifted.relations import JoinTooLarge, choice, relations_of
from ew.score.config import EWConfig, affordable
from ew.score.exact import TooManyStates, exact_ew
from ew.score.registry import ESTIMATORS
from ew.score.score import EWVerdict, ew_score
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.rivals import reaching_walks
from ew.walks.world_walks import WorldWalks


@given(st.lists(st.integers(0, 9)), st.integers(0, 40))
def test_a_budget_gives_what_is_left_and_not_one_query_more(wishes, limit):
    budget, left = QueryBudget(limit), limit
    for queries in wishes:
        if queries <= left:
            budget.take(queries)
            left -= queries
        else:
            with pytest.raises(BudgetExceeded):
                budget.take(queries)
        assert (budget.left, budget.spent) == (left, limit - left)
    budget.take(budget.left)
    with pytest.raises(BudgetExceeded):
        budget.take(1)


@settings(max_examples=30)
@given(started, started, st.integers(0, 9), st.sampled_from(sorted(ESTIMATORS)))
def test_a_score_is_whole_within_the_most_it_can_ask_and_partial_with_one_query_less(
    world, model, seed, estimator
):
    config = EWConfig(12, 3, estimator=estimator)

    def scored(limit):
        tree = WorldWalks(GraphSystem(world), QueryBudget(limit))
        return ew_score(tree, GraphSystem(model), np.random.default_rng(seed), config)

    assert scored(config.most_queries).partial is False
    assert scored(config.most_queries - 1).partial is True
    least = EWConfig(config.least_walks, 3, estimator=estimator).most_queries
    assert affordable(config, least).walks == config.least_walks and affordable(config, least - 1) is None
    assert scored(least).verdict is EWVerdict.SCORED
    assert scored(least - 1).verdict is EWVerdict.OUT_OF_BUDGET


def widest(world, model, t_max):
    """The most joint places at one depth, by the obvious search."""
    front, most = {(0, 0)}, 0
    for _ in range(t_max):
        front = {
            (to, model[there][label])
            for here, there in front
            for label, to in world.get(here, {}).items()
            if label in model.get(there, {})
        }
        most = max(most, len(front))
    return most


@settings(max_examples=50)
@given(any_graph, any_graph)
def test_exact_values_take_exactly_as_many_joint_states_as_there_are_at_one_depth(world, model):
    sides, most = (GraphSystem(world), GraphSystem(model)), widest(world, model, 4)
    assert exact_ew(*sides, 4, max_states=max(1, most)) == exact_ew(*sides, 4)
    if most > 1:
        with pytest.raises(TooManyStates):
            exact_ew(*sides, 4, max_states=most - 1)


def test_exact_values_take_fifty_steps_a_state_and_no_more():
    for steps, allowed in ((100, 2), (101, 3)):
        fan = GraphSystem({0: {f"(o{i})": 0 for i in range(steps)}})
        exact_ew(fan, fan, 1, max_states=allowed)
        with pytest.raises(TooManyStates):
            exact_ew(fan, fan, 1, max_states=allowed - 1)


def test_pairs_of_states_are_compared_up_to_the_limit():
    whole = first_difference(lamp(), lamp())
    assert first_difference(lamp(), lamp(), whole.states) == whole and whole.kind is Kind.NONE
    assert first_difference(lamp(), lamp(), whole.states - 1).kind is Kind.UNKNOWN


@pytest.mark.parametrize("limit", range(1, 8))
def test_schemas_are_reached_from_as_many_states_as_the_limit_says(limit):
    chain = GraphSystem({i: {f"(o{i})": i + 1} for i in range(9)})
    assert reaching_walks(chain, limit) == tuple(
        tuple(f"(o{i})" for i in range(n)) for n in range(1, limit + 1)
    )


TIED = """(define (domain d) (:requirements :strips) (:predicates (p ?x ?y))
  (:action a :parameters (?x ?y ?z) :precondition (and (p ?x ?y) (p ?y ?z)) :effect (p ?x ?z)))"""


@settings(max_examples=20)
@given(st.sets(st.tuples(*[st.sampled_from("abc")] * 2), min_size=1))
def test_a_join_holds_as_many_rows_as_it_may_and_no_more(tied):
    facts = " ".join(f"(p {x} {y})" for x, y in sorted(tied))
    problem = f"(define (problem q) (:domain d) (:objects a b c) (:init {facts}) (:goal (and)))"
    task = lift(read_problem(problem, read_domain(TIED)))
    (schema,) = task.schemas
    chains = sum(y == z for _, y in tied for z, _ in tied)
    rows = max(len(tied), chains)
    found = choice(schema, relations_of(task), len(task.objects), max_rows=rows)
    assert found.exact and found.size == chains
    with pytest.raises(JoinTooLarge):
        choice(schema, relations_of(task), len(task.objects), max_rows=rows - 1)


LOOPS = """(define (domain d) (:requirements :strips) (:predicates (p ?x ?y))
  (:action a :parameters (?x) :precondition (p ?x ?x) :effect (not (p ?x ?x))))"""


@settings(max_examples=20)
@given(st.sets(st.tuples(*[st.sampled_from("abc")] * 2), min_size=1))
def test_a_literal_with_one_parameter_twice_makes_a_row_only_of_equal_arguments(tied):
    facts = " ".join(f"(p {x} {y})" for x, y in sorted(tied))
    problem = f"(define (problem q) (:domain d) (:objects a b c) (:init {facts}) (:goal (and)))"
    task = lift(read_problem(problem, read_domain(LOOPS)))
    (schema,) = task.schemas
    loops = sum(x == y for x, y in tied)
    found = choice(schema, relations_of(task), len(task.objects), max_rows=loops)
    assert found.exact and found.size == loops


def test_what_is_tied_is_joined_before_what_is_not():
    """p and q alone make one row an atom; with the untied r in between there would be a product of both."""
    domain = """(define (domain d) (:requirements :strips)
      (:predicates (p ?x ?y) (q ?x ?y ?z) (r ?x) (s ?x ?y))
      (:action a :parameters (?x ?y ?z ?w ?u)
        :precondition (and (p ?x ?y) (q ?y ?z ?w) (r ?u) (s ?w ?u)) :effect (r ?x)))"""
    names = [f"o{i}" for i in range(12)]
    facts = " ".join(f"(p {n} {n}) (q {n} {n} {n}) (r {n}) (s {n} {n})" for n in names)
    problem = f"(define (problem e) (:domain d) (:objects {' '.join(names)}) (:init {facts}) (:goal (and)))"
    task = lift(read_problem(problem, read_domain(domain)))
    found = choice(task.schemas[0], relations_of(task), len(task.objects), max_rows=len(names))
    assert found.exact and found.size == len(names)
