"""Algorithm 1 against the obvious nested loops, and its rounds."""

import pytest
from drawn_trees import Ratings, after, roots, run, tables
from hypothesis import given
from hypothesis import strategies as st

from search.fakes import NumberEvaluation, NumberPayload
from search.nodes import Expansion, Node, order_of
from search.policies import Algorithm1, first_best


def nested_loops(policy, start, ratings):
    """The pseudo-code, turn by turn: (all nodes, best)."""
    currents, bests, nodes = list(start), [None] * len(start), []
    for _ in range(policy.turns):
        for i, current in enumerate(currents):
            if not current.evaluation.expandable:
                continue
            children = ratings.children(Expansion(current, policy.children))
            nodes += children
            currents[i] = first_best(children)
            bests[i] = first_best([bests[i], currents[i]])
        if any(b is not None and b.evaluation.solved for b in bests):
            break
    return sorted(nodes, key=order_of), first_best(bests)


policies = st.builds(Algorithm1, st.integers(1, 4), st.integers(1, 4))


@given(policies, st.integers(0, 4), tables)
def test_it_does_what_the_pseudo_code_does(policy, count, ratings):
    assert run(policy, roots(count), ratings) == nested_loops(policy, roots(count), ratings)


def test_a_round_is_a_turn_of_all_branches():
    policy, ratings = Algorithm1(children=2, turns=3), Ratings((5,))
    assert after(policy, roots(2)) == (["1", "2"], None)
    made = [ratings.children(Expansion(root, 2)) for root in roots(2)]
    assert after(policy, roots(2), made) == (["1.1", "2.1"], None)


def test_the_current_node_may_be_worse_than_the_best_which_is_kept():
    policy = Algorithm1(children=2, turns=2)
    first = [Node(f"1.{i}", "1", NumberPayload(i), NumberEvaluation(r)) for i, r in ((1, 40), (2, 70))]
    second = [Node(f"1.2.{i}", "1.2", NumberPayload(i), NumberEvaluation(10)) for i in (1, 2)]
    assert after(policy, roots(1), [first]) == (["1.2"], None)
    assert after(policy, roots(1), [first], [second]) == (None, first[1])


def test_a_solved_node_ends_the_search_after_its_round():
    ratings = Ratings((99,))
    nodes, best = run(Algorithm1(children=2, turns=4), roots(3), ratings)
    assert [n.id for n in nodes] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]
    assert best.id == "1.1"


def test_roots_and_turns_that_cannot_be_expanded_end_their_branch():
    assert run(Algorithm1(2, 3), roots(2, expandable=False), Ratings((5,))) == ([], None)
    policy = Algorithm1(children=1, turns=3)
    hopeless = Node("1.1", "1", NumberPayload(0), NumberEvaluation(3, expandable=False))
    assert after(policy, roots(1), [[hopeless]]) == (None, hopeless)
    assert after(policy, roots(1), [[]]) == (None, None)


@pytest.mark.parametrize("fields", [{"children": 0}, {"turns": 0}])
def test_settings_below_one_are_refused(fields):
    with pytest.raises(ValueError, match="at least 1"):
        Algorithm1(**fields)
