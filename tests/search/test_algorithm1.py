"""Algorithm 1 against the obvious nested loops, and the laws of ask and tell."""

import pytest
from drawn_trees import Ratings, roots, run, tables
from hypothesis import given
from hypothesis import strategies as st

from search.algorithm1 import Algorithm1
from search.fakes import NumberEvaluation, NumberPayload
from search.nodes import Expansion, Node, order_of
from search.policies import first_best


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


@given(policies, st.integers(1, 4))
def test_ask_hands_out_a_round_at_once_and_then_nothing(policy, count):
    state, wishes = policy.ask(policy.start(roots(count)))
    assert [w.parent.id for w in wishes] == [str(i + 1) for i in range(count)]
    assert policy.ask(state) == (state, ())


def test_a_round_is_finished_by_all_branches_before_the_next_one_begins():
    policy, ratings = Algorithm1(children=2, turns=3), Ratings((5,))
    state, wishes = policy.ask(policy.start(roots(2)))
    state = policy.tell(state, wishes[0], ratings.children(wishes[0]))
    assert policy.ask(state)[1] == ()
    state = policy.tell(state, wishes[1], ratings.children(wishes[1]))
    assert [w.parent.id for w in policy.ask(state)[1]] == ["1.1", "2.1"]


def test_the_current_node_may_be_worse_than_the_best_which_is_kept():
    policy = Algorithm1(children=2, turns=2)
    state, (wish,) = policy.ask(policy.start(roots(1)))
    first = [Node(f"1.{i}", "1", NumberPayload(i), NumberEvaluation(r)) for i, r in ((1, 40), (2, 70))]
    state, (wish,) = policy.ask(policy.tell(state, wish, first))
    assert wish.parent.id == "1.2"
    second = [Node(f"1.2.{i}", "1.2", NumberPayload(i), NumberEvaluation(10)) for i in (1, 2)]
    state = policy.tell(state, wish, second)
    assert policy.best(state) == first[1]
    assert policy.finished(state)


def test_a_solved_node_ends_the_search_after_its_round():
    ratings = Ratings((99,))
    nodes, best = run(Algorithm1(children=2, turns=4), roots(3), ratings)
    assert [n.id for n in nodes] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]
    assert best.id == "1.1"


def test_roots_and_turns_that_cannot_be_expanded_end_their_branch():
    assert run(Algorithm1(2, 3), roots(2, expandable=False), Ratings((5,))) == ([], None)
    policy = Algorithm1(children=1, turns=3)
    state, (wish,) = policy.ask(policy.start(roots(1)))
    hopeless = Node("1.1", "1", NumberPayload(0), NumberEvaluation(3, expandable=False))
    assert policy.finished(policy.tell(state, wish, [hopeless]))
    assert policy.finished(policy.tell(state, wish, []))


def test_a_tell_that_was_never_asked_for_is_refused():
    policy = Algorithm1(1, 1)
    state, (wish,) = policy.ask(policy.start(roots(1)))
    with pytest.raises(ValueError, match="node 7"):
        policy.tell(state, Expansion(Node("7", None, None, None), 1), [])
    with pytest.raises(ValueError, match="node 1 "):
        policy.tell(policy.tell(state, wish, []), wish, [])


@pytest.mark.parametrize("fields", [{"children": 0}, {"turns": 0}])
def test_settings_below_one_are_refused(fields):
    with pytest.raises(ValueError, match="at least 1"):
        Algorithm1(**fields)
