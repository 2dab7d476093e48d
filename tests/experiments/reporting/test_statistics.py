"""Means and intervals."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.reporting.statistics import (
    Estimate,
    mean,
    rank_correlation,
    rate,
    sign_flips,
    standard_error,
)


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_rate_lies_in_its_interval_and_the_interval_in_zero_to_one(successes: int, failures: int) -> None:
    found = rate(successes, successes + failures)
    if found.n:
        assert 0 <= found.low <= found.mean <= found.high <= 1


@given(st.integers(0, 40), st.integers(1, 40))
def test_a_rate_of_failures_mirrors_the_rate_of_successes(successes: int, failures: int) -> None:
    n = successes + failures
    one, other = rate(successes, n), rate(failures, n)
    assert math.isclose(one.low, 1 - other.high, abs_tol=1e-12)


def test_wilson_agrees_with_a_published_value() -> None:
    found = rate(8, 10)  # Wilson's interval of 8 in 10, e.g. Brown, Cai and DasGupta 2001
    assert (round(found.low, 4), round(found.high, 4)) == (0.4902, 0.9433)


def test_a_rate_of_nothing_has_no_value() -> None:
    assert rate(0, 0) == Estimate(0, None) and str(rate(0, 0)) == "–"


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="3 successes of 2"):
        rate(3, 2)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_a_mean_lies_in_its_interval_and_the_interval_in_the_values(values: list[float]) -> None:
    found = mean(values)
    assert found.low <= found.mean <= found.high
    assert min(values) - 1e-9 <= found.low and found.high <= max(values) + 1e-9


def test_the_mean_of_equal_values_is_not_outside_its_interval_by_a_rounding() -> None:
    for value in (0.1, 0.7, 1 / 3):
        for n in range(2, 12):
            found = mean([value] * n)
            assert found.low <= found.mean <= found.high


def test_the_interval_of_a_mean_is_the_same_every_time() -> None:
    assert mean([0.1, 0.5, 0.9]) == mean([0.1, 0.5, 0.9])


def test_the_interval_narrows_with_more_values() -> None:
    few, many = mean([0.0, 1.0] * 3), mean([0.0, 1.0] * 50)
    assert many.high - many.low < few.high - few.low


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert mean([0.25]) == Estimate(1, 0.25) and str(mean([0.25])) == "0.25"


def test_no_values_have_no_mean() -> None:
    assert mean([]).mean is None


values = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=12)


@given(values, values)
def test_a_rank_correlation_is_symmetric_bounded_and_blind_to_monotone_change(xs, ys) -> None:
    n = min(len(xs), len(ys))
    xs, ys = xs[:n], ys[:n]
    found = rank_correlation(xs, ys)
    if found is None:
        assert len(set(xs)) == 1 or len(set(ys)) == 1
        return
    assert -1 - 1e-9 <= found <= 1 + 1e-9
    assert math.isclose(found, rank_correlation(ys, xs), abs_tol=1e-9)
    assert math.isclose(found, rank_correlation([x**3 for x in xs], ys), abs_tol=1e-9)
    assert math.isclose(found, -rank_correlation([-x for x in xs], ys), abs_tol=1e-9)


def test_rank_correlation_and_standard_error_by_hand() -> None:
    assert math.isclose(rank_correlation([1, 2, 3, 4], [10, 30, 20, 40]), 0.8)
    # Ranks 0.5, 0.5, 2 and 0, 1, 2: covariance 1.5, variances 1.5 and 2.
    assert math.isclose(rank_correlation([1, 1, 2], [1, 2, 3]), 1.5 / math.sqrt(3))
    assert standard_error([1.0, 3.0]) == 1.0 and standard_error([1.0]) is None
    with pytest.raises(ValueError, match="cannot be paired"):
        rank_correlation([1], [1, 2])


@given(st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=7))
def test_flipping_signs_gives_a_probability_that_a_mirror_and_ties_do_not_change(differences) -> None:
    found = sign_flips(differences)
    n = sum(d != 0 for d in differences)
    assert 2.0**-n <= found <= 1
    assert found == sign_flips([-d for d in differences]) == sign_flips([0.0, *differences])


def test_flipping_signs_by_hand() -> None:
    assert sign_flips([1.0, 2.0, 3.0]) == 0.25  # all of one sign: 2 of 8
    assert sign_flips([1.0, -1.0]) == 1.0 and sign_flips([0.0]) == 1.0 and sign_flips([]) is None
    assert sign_flips([0.1, 0.2, 0.3, 0.4]) == 0.125
    many = [0.3] * 20
    assert sign_flips(many) == sign_flips(list(reversed(many))) < 0.001
