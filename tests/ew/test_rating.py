"""The order among candidates is total and keeps kinds of failure off the score axis."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ew.score.rating import Outcome, Rating

#: The published scale of kinds of failure (Mahdavi et al. 2024, Appendix B.3); EW is from 0 to 1, solved 2.
PUBLISHED = {
    Outcome.NO_PROBLEM: -5.0,
    Outcome.NO_ANSWER: -5.0,
    Outcome.NO_EDIT: -5.0,
    Outcome.REFUSED_EDIT: -4.0,
    Outcome.INSANE_DOMAIN: -3.0,
    Outcome.INVALID_DOMAIN: -2.0,
    Outcome.EXPLODED: -2.0,
    Outcome.NO_INITIAL_ACTION: -1.0,
}


def published(rating):
    if rating.outcome is Outcome.SOLVED:
        return 2.0
    return rating.ew if rating.ew is not None else PUBLISHED[rating.outcome]


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
    assert not (a < b and published(a) > published(b))


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_score_belongs_to_walked_candidates_and_to_no_others(outcome):
    ew = None if outcome >= Outcome.WALKED else 0.5
    with pytest.raises(ValueError, match=outcome.name):
        Rating(outcome, ew)


@given(ratings)
def test_ratings_survive_pickling(rating):
    assert pickle.loads(pickle.dumps(rating)) == rating  # noqa: S301 (our own bytes)
