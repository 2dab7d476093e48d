"""Bounds that hold at every look, and comparisons that stop early without being wrong too often."""

import numpy as np
import pytest
from graphs import MODEL, PAIRS, PERMISSIVE, WORLD, any_graph, started
from hypothesis import given
from hypothesis import strategies as st
from wide import wide

from ew.score.bounds import lower_bound, upper_bound
from ew.score.config import EWConfig
from ew.score.exact import exact_ew
from ew.score.score import EWVerdict, ew_score
from ew.score.sequential import ERROR, compare
from ew.walks.budget import QueryBudget
from ew.walks.fakes import GraphSystem
from ew.walks.world_walks import WorldWalks

CONFIG = EWConfig(100, 5, estimator="survival")
LOOKS = (1, 2, 5, 10, 20, 50, 100, 200)
samples = {
    "coins": lambda rng: (rng.random(200) < 0.9).astype(float),
    "rare failures": lambda rng: (rng.random(200) < 0.99).astype(float),
    "flat": lambda rng: rng.random(200),
    "eighths": lambda rng: np.floor(rng.random(200) * 9) / 8,
}
MEANS = {"coins": 0.9, "rare failures": 0.99, "flat": 0.5, "eighths": 0.5}


@pytest.mark.parametrize("kind", wide(samples, "coins", "rare failures"))
@pytest.mark.parametrize("bound", [upper_bound, lower_bound])
def test_a_bound_fails_at_any_look_no_more_often_than_it_may(kind, bound):
    failed = 0
    for seed in range(200):
        values = samples[kind](np.random.default_rng(seed))
        found = [bound(values[:n], 0.1) for n in LOOKS]
        failed += any((f < MEANS[kind]) if bound is upper_bound else (f > MEANS[kind]) for f in found)
    assert failed / 200 <= 0.1 + 3 * (0.1 * 0.9 / 200) ** 0.5


@given(st.lists(st.floats(0, 1), max_size=30), st.sampled_from([0.01, 0.05, 0.2]))
def test_bounds_enclose_each_other_and_never_widen(values, alpha):
    values = np.array(values)
    highs = [upper_bound(values[:n], alpha) for n in range(len(values) + 1)]
    lows = [lower_bound(values[:n], alpha) for n in range(len(values) + 1)]
    assert highs[0] == 1.0 and lows[0] == 0.0
    assert highs == sorted(highs, reverse=True) and lows == sorted(lows)
    assert all(0 <= b <= 1 for b in (*highs, *lows))


@pytest.mark.parametrize("estimator", ["prefix", "survival"])
@given(world=any_graph, model=any_graph, seed=st.integers(0, 50))
def test_a_comparison_that_is_not_stopped_is_the_score(estimator, world, model, seed):
    config = EWConfig(24, 4, estimator=estimator)
    sides = GraphSystem(world), GraphSystem(model)
    found = compare(*sides, np.random.default_rng(seed), config)
    assert not found.surely_worse
    assert found.score == ew_score(*sides, np.random.default_rng(seed), config)


def test_a_much_worse_candidate_is_dropped_after_few_walks():
    world = GraphSystem(WORLD)
    incumbent = compare(world, GraphSystem(MODEL), np.random.default_rng(0), CONFIG)
    worse = compare(world, GraphSystem(PERMISSIVE), np.random.default_rng(1), CONFIG, incumbent.lower)
    assert worse.surely_worse and worse.upper < incumbent.lower
    assert worse.score.walks <= 20 and worse.score.partial


@pytest.mark.parametrize("estimator", wide(["prefix", "survival"], "survival"))
def test_an_equal_candidate_is_dropped_no_more_often_than_promised(estimator):
    world, model = GraphSystem(WORLD), GraphSystem(MODEL)
    config = EWConfig(60, 5, estimator=estimator)
    dropped = 0
    for seed in range(100):
        first, second = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
        floor = compare(world, model, first, config).lower
        dropped += compare(world, model, second, config, floor).surely_worse
    assert dropped / 100 <= ERROR + 3 * (ERROR * (1 - ERROR) / 100) ** 0.5


@pytest.mark.parametrize("model", [MODEL, PERMISSIVE, WORLD])
def test_the_bounds_enclose_the_exact_score(model):
    exact = exact_ew(GraphSystem(WORLD), GraphSystem(model), 5).score
    for seed in range(20):
        found = compare(GraphSystem(WORLD), GraphSystem(model), np.random.default_rng(seed), CONFIG)
        assert found.lower <= exact <= found.upper


@given(started, st.integers(0, 20))
def test_a_candidate_that_can_do_nothing_loses_to_any_incumbent(graph, seed):
    found = compare(GraphSystem(graph), GraphSystem({}), np.random.default_rng(seed), CONFIG, floor=0.1)
    assert found.surely_worse and found.score.verdict is EWVerdict.NO_INITIAL_ACTION
    unrivalled = compare(GraphSystem(graph), GraphSystem({}), np.random.default_rng(seed), CONFIG)
    assert (unrivalled.lower, unrivalled.upper, unrivalled.surely_worse) == (0.0, 0.0, False)


@pytest.mark.parametrize("estimator", wide(["prefix", "survival"], "survival"))
def test_even_a_floor_at_the_exact_value_seldom_drops_the_candidate_itself(estimator):
    pair, config = (
        [GraphSystem(g) for g in PAIRS["a rare walk decides"]],
        EWConfig(60, 5, estimator=estimator),
    )
    floor = exact_ew(*pair, 5).score
    found = [compare(*pair, np.random.default_rng(seed), config, floor) for seed in range(100)]
    assert np.mean([f.surely_worse for f in found]) <= ERROR
    assert np.mean([f.lower > floor for f in found]) <= ERROR


def test_a_budget_caps_a_comparison():
    budget = QueryBudget(120)
    found = compare(
        WorldWalks(GraphSystem(WORLD), budget), GraphSystem(MODEL), np.random.default_rng(0), CONFIG
    )
    assert found.score.walks == 23 and found.score.partial
    assert budget.spent == found.score.world_queries <= 120


def test_walks_of_different_lengths_cannot_be_stopped_at_any_time():
    with pytest.raises(ValueError, match="choose one of prefix, survival"):
        compare(GraphSystem(WORLD), GraphSystem(MODEL), np.random.default_rng(0), EWConfig())
