"""The order among candidates is total and keeps kinds of failure off the score axis."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ew.score.rating import Outcome, Rating

ratings = st.one_of(
    st.sampled_from([o for o in Outcome if o < Outcome.WALKED]).map(Rating),
    st.builds(Rating, st.just(Outcome.WALKED), st.floats(0, 1)),
    st.just(Rating(Outcome.SOLVED, 1.0)),
)


@given(ratings, ratings, ratings)
def test_the_order_is_total_and_transitive(a, b, c):
    assert (a < b) + (b < a) + (a == b) == 1
    if a <= b and b <= c:
        assert a <= c


@given(st.floats(0, 1))
def test_any_walked_candidate_beats_any_unusable_one_and_loses_to_a_solved_one(ew):
    walked = Rating(Outcome.WALKED, ew)
    assert all(Rating(o) < walked for o in Outcome if o < Outcome.WALKED)
    assert walked < Rating(Outcome.SOLVED, 1.0)


@given(ratings, ratings)
def test_the_published_scale_never_contradicts_the_order(a, b):
    assert not (a < b and a.paper_scale > b.paper_scale)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_score_belongs_to_walked_candidates_and_to_no_others(outcome):
    ew = None if outcome >= Outcome.WALKED else 0.5
    with pytest.raises(ValueError, match=outcome.name):
        Rating(outcome, ew)


@given(ratings)
def test_ratings_survive_pickling(rating):
    assert pickle.loads(pickle.dumps(rating)) == rating  # noqa: S301 (our own bytes)
