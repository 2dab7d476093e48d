"""What holds for every policy: ask and tell in any order, and a state that can be kept and taken up again."""

from drawn_trees import in_any_order, roots, run, tables
from hypothesis import given
from hypothesis import strategies as st

from search.algorithm1 import Algorithm1
from search.open_list import Beam, BestFirst
from search.samples import Samples

policies = (
    st.builds(Algorithm1, st.integers(1, 4), st.integers(1, 4))
    | st.builds(BestFirst, st.integers(1, 3), st.integers(1, 9), st.integers(1, 3))
    | st.builds(Beam, st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
    | st.builds(Samples, st.integers(1, 4), st.integers(1, 4))
)


@given(policies, st.integers(0, 4), tables, st.randoms())
def test_the_order_of_tells_makes_no_difference(policy, count, ratings, random):
    assert in_any_order(policy, roots(count), ratings, random) == run(policy, roots(count), ratings)


@given(policies, st.integers(0, 4), tables)
def test_a_search_pickled_at_every_step_grows_the_same_tree(policy, count, ratings):
    assert run(policy, roots(count), ratings, reload=True) == run(policy, roots(count), ratings)
