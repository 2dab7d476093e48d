"""How much is said about causes: as much as the limits allow, and what is left out is counted."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ew.counterexample.causes import MAX_SHOWN, Causes, cause_words
from ew.counterexample.doubting import MAX_DOUBTS, fact_doubts
from ew.counterexample.explanations import Change, Explanation, Together


@given(st.lists(st.integers(1, 2 * MAX_SHOWN), min_size=1, max_size=3))
def test_of_equal_changes_as_many_are_listed_as_fit_and_the_rest_of_a_begun_group_is_counted(sizes):
    changes = [
        Explanation(Change.ADD_PRECONDITION, "act", f"(p{rank} c{i})", len(sizes) - rank, 0)
        for rank, size in enumerate(sizes)
        for i in range(size)
    ]
    text = cause_words(Causes(len(sizes) + 1, tuple(changes)))
    listed = re.findall(r"^- act: .*\((p\d+) c\d+\)$", text, flags=re.MULTILINE)
    assert len(listed) == min(sum(sizes), MAX_SHOWN)
    left, counted = MAX_SHOWN, []
    for size in sizes:
        if 0 < left < size:
            counted.append(size - left)
        left -= size
    assert [int(n) for n in re.findall(r"or one of (\d+) more", text)] == counted


@given(st.integers(1, 3 * MAX_DOUBTS), st.booleans())
def test_facts_become_doubts_up_to_their_limit_and_beyond_it_none_does(number, together):
    facts = tuple((Change.ADD_FACT, f"(p c{i})") for i in range(number))
    causes = (
        Causes(7, together=Together(facts, 7))
        if together
        else Causes(7, tuple(Explanation(change, "", atom, 3, 0) for change, atom in facts))
    )
    assert len(fact_doubts("p01", causes)) == (number if number <= MAX_DOUBTS else 0)
