"""The tree of walks changes no result, asks no question twice and never exceeds its budget."""

import pickle

import numpy as np
import pytest
from graph_worlds import GraphSystem, GraphWorld
from graphs import MODEL, PERMISSIVE, WORLD, any_graph
from hypothesis import given
from hypothesis import strategies as st

from ew.score.config import EWConfig, affordable
from ew.score.registry import ESTIMATORS
from ew.score.score import EWVerdict, ew_score
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.world_system import WorldSystem
from ew.walks.world_walks import WorldWalks

estimators = st.sampled_from(sorted(ESTIMATORS))


def results(score):
    return (score.verdict, score.forward, score.backward, score.score, score.stderr)


class Asked(GraphWorld):
    """Remembers every walk after which it was asked for what is applicable."""

    def __init__(self, graph):
        super().__init__(graph)
        self.walks = []

    def applicable(self, walk=()):
        self.walks.append(tuple(walk))
        return super().applicable(walk)


@given(any_graph, any_graph, st.integers(0, 30), estimators)
def test_remembering_changes_no_result_and_asks_no_walk_twice(world, model, seed, estimator):
    config = EWConfig(12, 3, estimator=estimator)
    real = Asked(world)
    tree = WorldWalks(WorldSystem(real))
    found = ew_score(tree, GraphSystem(model), np.random.default_rng(seed), config)
    bare = ew_score(GraphSystem(world), GraphSystem(model), np.random.default_rng(seed), config)
    assert results(found) == results(bare)
    assert len(real.walks) == len(set(real.walks)) == tree.queries == found.world_queries
    assert found.world_queries <= bare.world_queries


def test_a_second_candidate_gets_the_walks_of_the_world_for_nothing():
    tree, config = WorldWalks(GraphSystem(WORLD)), EWConfig(40, 5, estimator="prefix")
    first = ew_score(tree, GraphSystem(MODEL), np.random.default_rng(3), config)
    again = ew_score(tree, GraphSystem(MODEL), np.random.default_rng(3), config)
    other = ew_score(tree, GraphSystem(PERMISSIVE), np.random.default_rng(3), config)
    alone = ew_score(
        WorldWalks(GraphSystem(WORLD)), GraphSystem(PERMISSIVE), np.random.default_rng(3), config
    )
    assert again.world_queries == 0 and results(again) == results(first)
    assert other.world_queries < alone.world_queries and results(other) == results(alone)


@given(any_graph, any_graph, st.integers(0, 200), st.integers(0, 20), estimators)
def test_a_budget_is_never_overdrawn_and_a_partial_score_says_so(world, model, limit, seed, estimator):
    budget, config = QueryBudget(limit), EWConfig(40, 4, estimator=estimator)
    tree = WorldWalks(GraphSystem(world), budget)
    found = ew_score(tree, GraphSystem(model), np.random.default_rng(seed), config)
    assert budget.spent == tree.queries == found.world_queries <= limit
    if found.verdict is EWVerdict.SCORED:
        assert found.partial == (found.walks < 40)
        bare = ew_score(
            GraphSystem(world),
            GraphSystem(model),
            np.random.default_rng(seed),
            EWConfig(found.walks, 4, estimator=estimator),
        )
        assert results(found) == results(bare)
    if found.verdict is EWVerdict.OUT_OF_BUDGET:
        assert found.score is None and found.partial and affordable(config, limit) is None


@given(st.integers(0, 3000), estimators)
def test_as_many_walks_are_afforded_as_surely_fit(queries, estimator):
    config = EWConfig(100, 10, estimator=estimator)
    allowed = affordable(config, queries)
    if allowed is None:
        assert EWConfig(config.least_walks, 10, estimator=estimator).most_queries > queries
    else:
        assert allowed.most_queries <= queries
        assert allowed.walks == 100 or (
            EWConfig(allowed.walks + 1, 10, estimator=estimator).most_queries > queries
        )


def test_a_walk_beyond_the_budget_is_refused_before_the_world_is_asked():
    tree = WorldWalks(GraphSystem(WORLD), QueryBudget(1))
    states = tree.initial(3)
    assert tree.applicable(states).shape == (3, 4) and tree.queries == 1
    further = tree.successors(states, np.array([0, 1, -1]))
    assert further.tolist() == [1, 2, 0]
    with pytest.raises(BudgetExceeded, match="2 world queries are wanted, 0 are left"):
        tree.applicable(further)
    assert tree.queries == 1
    error = pickle.loads(pickle.dumps(BudgetExceeded(2, 0)))  # noqa: S301 (our own bytes)
    assert error.args == (2, 0)


def test_a_negative_budget_is_refused():
    with pytest.raises(ValueError, match="give 0 or more"):
        QueryBudget(-1)
