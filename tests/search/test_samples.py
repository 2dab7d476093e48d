"""Best of n: the same proposals however they are batched, and its rounds."""

from drawn_trees import Ratings, roots, run, tables
from hypothesis import given
from hypothesis import strategies as st

from search.executors import SerialExecutor
from search.fakes import NumberEvaluator, number_roots, propose_numbers
from search.loop import run_search
from search.nodes import Expansion, order_of
from search.policies import Samples, first_best

policies = st.builds(Samples, st.integers(1, 4), st.integers(1, 4))
unsolved = st.lists(st.integers(0, 98), min_size=1, max_size=40).map(lambda t: Ratings(tuple(t)))


@given(policies, st.integers(0, 4), unsolved)
def test_without_a_solved_node_it_draws_n_children_of_every_root_and_keeps_the_best(policy, count, ratings):
    n = policy.children * policy.batches
    start = roots(count)
    nodes = [child for root in start for child in ratings.children(Expansion(root, n))]
    assert run(policy, start, ratings) == (sorted(nodes, key=order_of), first_best(nodes))


@given(policies, st.integers(1, 4), tables)
def test_a_solved_node_ends_it_after_its_batch(policy, count, ratings):
    nodes, best = run(policy, roots(count), ratings)
    batches = {(order_of(node)[-1] - 1) // policy.children for node in nodes}
    last = [n for n in nodes if (order_of(n)[-1] - 1) // policy.children == max(batches)]
    assert all(not n.evaluation.solved for n in nodes if n not in last)
    assert len(batches) == policy.batches or best.evaluation.solved


def test_a_root_that_cannot_be_expanded_is_left_out():
    assert run(Samples(2, 2), roots(3, expandable=False), Ratings((5,))) == ([], None)


def test_the_loop_numbers_the_children_of_all_batches_in_one_row():
    found = run_search(Samples(2, 3), number_roots(1), propose_numbers, NumberEvaluator(), SerialExecutor())
    assert [node.id for node in found.nodes] == [f"1.{i}" for i in range(1, 7)]
