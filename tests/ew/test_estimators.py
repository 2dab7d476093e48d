"""All estimators estimate the same exact numbers, the cheaper ones vary less, and the laws hold for all."""

import numpy as np
import pytest
from graph_worlds import GraphSystem
from graphs import MODEL, PAIRS, WORLD, any_graph, started
from hypothesis import given
from hypothesis import strategies as st
from wide import wide

from ew.score.config import EWConfig
from ew.score.exact import exact_ew
from ew.score.registry import ESTIMATORS
from ew.score.score import EWVerdict, ew_score
from ew.score.survival import GroundPair, joint_walks

T_MAX = 6
estimators = st.sampled_from(sorted(ESTIMATORS))


def scored(world, model, estimator, seed=0, walks=60, t_max=T_MAX):
    config = EWConfig(walks, t_max, estimator=estimator)
    return ew_score(GraphSystem(world), GraphSystem(model), np.random.default_rng(seed), config)


def assert_mean_is(values, exact):
    """Within four standard errors of the mean."""
    error = np.std(values, ddof=1) / len(values) ** 0.5
    assert abs(np.mean(values) - exact) <= 4 * error + 1e-12


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("pair", PAIRS)
def test_every_estimator_is_unbiased_in_both_directions(pair, estimator):
    world, model = PAIRS[pair]
    exact = exact_ew(GraphSystem(world), GraphSystem(model), T_MAX)
    found = [scored(world, model, estimator, seed, walks=300) for seed in range(60)]
    assert_mean_is([f.forward for f in found], exact.forward)
    assert_mean_is([f.backward for f in found], exact.backward)


@pytest.mark.parametrize("pair", PAIRS)
def test_joint_weights_are_unbiased_at_every_length(pair):
    world, model = (GraphSystem(g) for g in PAIRS[pair])
    joint = joint_walks(world, model, 20_000, T_MAX, np.random.default_rng(1))
    exact = exact_ew(world, model, T_MAX)
    for length in range(T_MAX):
        assert_mean_is(joint.forward[:, length], exact.forward_at[length])
        assert_mean_is(joint.backward[:, length], exact.backward_at[length])


@pytest.mark.parametrize("pair", PAIRS)
def test_one_walk_of_survival_varies_no_more_than_one_of_prefix_nor_that_than_one_of_paper(pair):
    world, model = (GraphSystem(g) for g in PAIRS[pair])
    forward, backward = ESTIMATORS["prefix"].directed(
        GroundPair(world, model), 20_000, T_MAX, np.random.default_rng(2)
    )
    joint = GroundPair(world, model).joint(20_000, T_MAX, np.random.default_rng(2))
    exact = exact_ew(world, model, T_MAX)
    for shares, of_prefix, of_survival in (
        (exact.forward_at, forward, joint.forward),
        (exact.backward_at, backward, joint.backward),
    ):
        paper = np.mean([p * (1 - p) for p in shares])
        prefix, survival = np.var(of_prefix.prefix_values(T_MAX)), np.var(of_survival)
        assert survival <= 1.02 * prefix + 1e-12
        assert prefix <= 1.05 * paper + 1e-12


@given(started, st.integers(0, 99), estimators)
def test_identical_systems_score_one(graph, seed, estimator):
    found = scored(graph, graph, estimator, seed)
    assert (found.forward, found.backward, found.score) == (1.0, 1.0, 1.0)
    assert found.interval[1] == 1.0


@given(any_graph, any_graph, st.integers(0, 99), estimators)
def test_everything_stays_in_bounds(world, model, seed, estimator):
    found = scored(world, model, estimator, seed)
    if found.verdict is EWVerdict.SCORED:
        low, high = found.interval
        assert 0 <= low <= found.score <= high <= 1
        assert 0 <= found.score <= max(found.forward, found.backward) <= 1 + 1e-12
        assert 0 < found.stderr < 0.5


@given(started, started, st.integers(0, 99))
def test_joint_walks_do_not_care_which_side_is_called_the_world(a, b, seed):
    there, back = scored(a, b, "survival", seed), scored(b, a, "survival", seed)
    assert (there.forward, there.backward) == (back.backward, back.forward)
    assert there.score == pytest.approx(back.score)
    assert there.interval == pytest.approx(back.interval)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_seed_gives_the_same_score_again_and_another_seed_another(estimator):
    assert scored(WORLD, MODEL, estimator, 5) == scored(WORLD, MODEL, estimator, 5)
    assert scored(WORLD, MODEL, estimator, 5).score != scored(WORLD, MODEL, estimator, 6).score


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("pair", "walks"),
    wide(
        [("two mistakes", 24), ("two mistakes", 100), ("permissive", 24), ("the model dies", 100)],
        ("two mistakes", 24),
    ),
)
def test_the_interval_covers_the_exact_value_as_often_as_it_says(pair, walks, estimator):
    world, model = PAIRS[pair]
    exact = exact_ew(GraphSystem(world), GraphSystem(model), T_MAX).score
    found = [scored(world, model, estimator, seed, walks).interval for seed in range(300)]
    assert np.mean([low - 1e-12 <= exact <= high + 1e-12 for low, high in found]) >= 0.925


@pytest.mark.parametrize("estimator", wide(ESTIMATORS, "survival"))
@pytest.mark.parametrize(("walks", "at_least"), wide([(24, 0.9), (100, 0.92)], (24, 0.9)))
def test_the_interval_covers_somewhat_less_often_where_a_rare_walk_decides(walks, at_least, estimator):
    world, model = PAIRS["a rare walk decides"]
    exact = exact_ew(GraphSystem(world), GraphSystem(model), T_MAX).score
    found = [scored(world, model, estimator, seed, walks).interval for seed in range(300)]
    assert np.mean([low <= exact <= high for low, high in found]) >= at_least


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_stated_error_is_about_the_spread_of_the_scores(estimator):
    found = [scored(WORLD, MODEL, estimator, seed, 200) for seed in range(120)]
    spread = np.std([f.score for f in found])
    assert 0.8 <= np.mean([f.stderr for f in found]) / spread <= 1.3


@pytest.mark.parametrize(("estimator", "walks"), [("paper", 19), ("prefix", 1), ("survival", 1)])
def test_too_few_walks_are_refused(estimator, walks):
    with pytest.raises(ValueError, match=estimator):
        EWConfig(walks, 10, estimator=estimator)
