"""A score's own uncertainty against exact fractions: variances, covariance, standard error."""

from fractions import Fraction as F

import numpy as np
import pytest
from graph_worlds import GraphSystem
from graphs import MODEL, PAIRS, WORLD, started
from hypothesis import assume, given
from hypothesis import strategies as st

from ew.score.config import EWConfig
from ew.score.score import ew_score
from ew.score.survival import joint_walks
from ew.score.uncertainty import Spread, mean_spread, spread_apart, spread_joint, standard_error

eighths = st.integers(0, 8).map(lambda n: F(n, 8))
values = st.lists(eighths, min_size=1, max_size=12)
pairs = st.lists(st.tuples(eighths, eighths), min_size=1, max_size=12)
shares = st.integers(1, 63).map(lambda n: F(n, 64))


def floats(fractions):
    return np.array([float(f) for f in fractions])


def moments(sample):
    """Means, variances and covariance of weighted pairs, by the definition."""
    total = sum(w for w, _, _ in sample)
    f, b = (sum(s[0] * s[i] for s in sample) / total for i in (1, 2))
    parts = [(w, x - f, y - b) for w, x, y in sample]
    return (
        f,
        b,
        *(
            sum(w * p * q for w, p, q in column) / total
            for column in ([(w, x, x) for w, x, _ in parts], [(w, y, y) for w, _, y in parts], parts)
        ),
    )


def smoothed(sample):
    """With half a walk of 0 on both sides and half a walk of 1."""
    return moments([*((F(1), x, y) for x, y in sample), (F(1, 2), F(0), F(0)), (F(1, 2), F(1), F(1))])


@given(pairs)
def test_pairs_spread_as_the_definition_of_variance_and_covariance_says(sample):
    f, b, var_f, var_b, cov = smoothed(sample)
    found = spread_joint(*(floats(side) for side in zip(*sample, strict=True)))
    n = len(sample)
    assert (found.forward, found.backward) == pytest.approx((float(f), float(b)))
    exact = [float(v / n) for v in (var_f, var_b, cov)]
    assert [found.forward_variance, found.backward_variance, found.covariance] == pytest.approx(
        exact, abs=1e-12
    )


@given(values, values)
def test_samples_apart_spread_each_by_its_own_number_of_walks_and_do_not_vary_together(forward, backward):
    f, _, var_f, _, _ = smoothed([(x, x) for x in forward])
    b, _, var_b, _, _ = smoothed([(y, y) for y in backward])
    found = spread_apart(floats(forward), floats(backward))
    exact = [float(v) for v in (f, b, var_f / len(forward), var_b / len(backward))]
    assert [found.forward, found.backward, found.forward_variance, found.backward_variance] == pytest.approx(
        exact, abs=1e-12
    )
    assert found.covariance == 0


def harmonic(f, b):
    return 2 * f * b / (f + b)


def propagated(f, b, var_f, var_b, cov):
    """The variance of the harmonic mean: its slopes by difference quotients, in fractions."""
    e = F(1, 10**9)
    df = (harmonic(f + e, b) - harmonic(f - e, b)) / (2 * e)
    db = (harmonic(f, b + e) - harmonic(f, b - e)) / (2 * e)
    return df**2 * var_f + db**2 * var_b + 2 * df * db * cov


@given(shares, shares, shares, shares, st.integers(-8, 8))
def test_the_standard_error_is_the_propagated_error(f, b, spread_f, spread_b, correlation):
    cov = F(correlation, 8) * spread_f * spread_b
    exact = propagated(f, b, spread_f**2, spread_b**2, cov)
    assume(exact > F(1, 10**9))
    found = standard_error(Spread(*(float(v) for v in (f, b, spread_f**2, spread_b**2, cov))))
    assert found == pytest.approx(float(exact) ** 0.5, rel=1e-5)


spreads = st.tuples(shares, shares, shares, shares, shares)


@given(st.lists(spreads | st.none(), min_size=1, max_size=5))
def test_a_mean_over_tasks_adds_variances_and_covariances_by_the_square_of_their_number(tasks):
    found = mean_spread([task and Spread(*(float(v) for v in task)) for task in tasks])
    there, n = [task for task in tasks if task], len(tasks)
    if not there:
        assert found is None
        return
    powers = (1, 1, 2, 2, 2)
    exact = [float(sum(task[i] for task in there) / n**power) for i, power in enumerate(powers)]
    got = [found.forward, found.backward, found.forward_variance, found.backward_variance, found.covariance]
    assert got == pytest.approx(exact)


def joint_values(world, model, t_max):
    """Every joint walk: its probability, and the means of its weights over the lengths, both ways."""

    def grown(here, there, forward, backward, chance, sums, left):
        if left == 0:
            yield chance, *(total / t_max for total in sums)
            return
        ours, theirs = world.get(here, {}), model.get(there, {})
        both = sorted(ours.keys() & theirs.keys())
        forward *= F(len(both), len(ours)) if ours else 1
        backward *= F(len(both), len(theirs)) if theirs else 1
        if not both:
            yield chance, (sums[0] + left * forward) / t_max, (sums[1] + left * backward) / t_max
            return
        for label in both:
            sum_now = (sums[0] + forward, sums[1] + backward)
            yield from grown(
                ours[label], theirs[label], forward, backward, chance / len(both), sum_now, left - 1
            )

    return list(grown(0, 0, F(1), F(1), F(1), (F(0), F(0)), t_max))


@given(started, started, st.integers(0, 99))
def test_every_joint_walk_that_is_drawn_is_one_of_all_there_are(world, model, seed):
    drawn = joint_walks(GraphSystem(world), GraphSystem(model), 8, 4, np.random.default_rng(seed))
    there = {(round(float(f), 9), round(float(b), 9)) for _, f, b in joint_values(world, model, 4)}
    means = zip(drawn.forward.mean(axis=1), drawn.backward.mean(axis=1), strict=True)
    assert {(round(float(f), 9), round(float(b), 9)) for f, b in means} <= there


@pytest.mark.parametrize("pair", [*PAIRS, "one mistake"])
def test_survival_s_error_is_that_of_its_walks_exact_distribution(pair):
    world, model = PAIRS.get(pair, (WORLD, {**MODEL, 2: WORLD[2]}))
    exact, walks, t_max = moments(joint_values(world, model, 4)), 4000, 4
    systems = GraphSystem(world), GraphSystem(model)
    config = EWConfig(walks, t_max, estimator="survival")
    found = ew_score(*systems, np.random.default_rng(1), config)
    scaled = [float(v) * walks for v in (found.spread.forward_variance, found.spread.backward_variance)]
    assert scaled == pytest.approx([float(v) for v in exact[2:4]], rel=0.1, abs=2e-3)
    assert found.spread.covariance * walks == pytest.approx(float(exact[4]), rel=0.1, abs=2e-3)
    assert found.stderr == pytest.approx(float(propagated(*exact) / walks) ** 0.5, rel=0.1, abs=2e-3)
