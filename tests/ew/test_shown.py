"""EW as text is cut: what is shown is never more than the score, and 1 is shown of 1 alone."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ew.score.shown import shown

DIGITS = st.integers(1, 6)


@given(st.floats(0, 1), DIGITS)
def test_what_is_shown_is_within_one_last_digit_below_the_score(score: float, digits: int) -> None:
    text = shown(score, digits)
    assert len(text) == 2 + digits
    gap = Fraction(score) - Fraction(text)
    assert -Fraction(1, 10**9) < gap < Fraction(1, 10**digits)
    assert (Fraction(text) == 1) == (score == 1)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_a_score_with_no_more_digits_is_shown_as_it_is(number: int, digits: int) -> None:
    score = (number % (10**digits + 1)) / 10**digits
    assert Fraction(shown(score, digits)) == Fraction(number % (10**digits + 1), 10**digits)


@given(st.lists(st.sampled_from([0.1, 0.3, 0.7, 0.9]), min_size=1, max_size=9))
def test_the_noise_of_a_sum_does_not_cost_a_digit(scores: list[float]) -> None:
    exact = Fraction(sum(round(10 * s) for s in scores), 10 * len(scores))
    assert Fraction(shown(math.fsum(scores) / len(scores))) == Fraction(math.floor(exact * 100), 100)


@pytest.mark.parametrize("score", [0.995, 0.9999, 1 - 1e-10, math.nextafter(1, 0)])
def test_nearly_one_is_not_one(score: float) -> None:
    assert [shown(score), shown(-score, signed=True)] == ["0.99", "-0.99"]


def test_none_is_a_dash_and_nothing_has_no_sign_of_its_own() -> None:
    assert shown(None) == "–"
    assert [shown(v, 1, signed=True) for v in (0.25, 0.0, -0.01, -0.25)] == ["+0.2", "+0.0", "+0.0", "-0.2"]
