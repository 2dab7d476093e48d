"""Within a limit: exactly what had been found by then, whatever is inside."""

from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf

from drawn_trees import Ratings, roots, run, tables
from hypothesis import given
from hypothesis import strategies as st

from search.executors import SerialExecutor
from search.fakes import NumberEvaluator, number_roots, propose_numbers
from search.loop import run_search
from search.nodes import Node, order_of
from search.policies import Algorithm1, Beam, BestFirst, Budgeted


@dataclass(frozen=True)
class Costs:
    """A positive cost for every path, roots too."""

    ratings: Ratings

    def __call__(self, node: Node) -> int:
        return 1 + self.ratings.of(f"{node.id}.5")


policies = (
    st.builds(Algorithm1, st.integers(1, 3), st.integers(1, 3))
    | st.builds(BestFirst, st.integers(1, 3), st.integers(1, 6), st.integers(1, 3))
    | st.builds(Beam, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
)
costs = tables.map(Costs)
limits = st.integers(0, 1500)


@given(policies, costs, st.integers(0, 3), tables)
def test_without_a_limit_nothing_changes(policy, cost, count, ratings):
    assert run(Budgeted(policy, inf, cost), roots(count), ratings) == run(policy, roots(count), ratings)


@given(policies, st.lists(limits, min_size=2, max_size=5).map(sorted), costs, tables)
def test_a_larger_limit_never_gives_a_worse_best(policy, rising, cost, ratings):
    bests = [run(Budgeted(policy, limit, cost), roots(2), ratings)[1] for limit in rising]
    worth = [-1 if best is None else best.evaluation.rating for best in bests]
    assert all(less <= more for less, more in pairwise(worth))


@given(limits, costs, tables)
def test_the_best_is_that_of_the_nodes_whose_costs_add_up_to_no_more_than_the_limit(limit, cost, ratings):
    policy = Algorithm1(children=2, turns=3)
    nodes, _ = run(policy, roots(2), ratings)
    in_rounds = [*roots(2), *sorted(nodes, key=lambda n: (n.depth, order_of(n)))]
    sums = accumulate(cost(node) for node in in_rounds)
    within = [n for n, s in zip(in_rounds, sums, strict=True) if s <= limit and n.parent is not None]
    best = run(Budgeted(policy, limit, cost), roots(2), ratings)[1]
    assert (best and best.evaluation.rating) == max((n.evaluation.rating for n in within), default=None)


@given(costs, tables)
def test_the_best_is_found_at_the_sum_of_the_costs_up_to_it_and_not_for_one_less(cost, ratings):
    policy = Algorithm1(children=2, turns=3)
    nodes, best = run(policy, roots(2), ratings)
    if best is not None and best.parent is not None:
        in_rounds = [*roots(2), *sorted(nodes, key=lambda n: (n.depth, order_of(n)))]
        least = sum(cost(node) for node in in_rounds[: in_rounds.index(best) + 1])
        assert run(Budgeted(policy, least, cost), roots(2), ratings)[1] == best
        assert run(Budgeted(policy, least - 1, cost), roots(2), ratings)[1] != best


@given(policies, limits, tables)
def test_the_cost_of_every_node_is_asked_for_once(policy, limit, ratings):
    asked = []
    nodes, _ = run(Budgeted(policy, limit, lambda node: asked.append(node.id) or 3), roots(2), ratings)
    assert sorted(asked) == sorted([node.id for node in nodes] + ["1", "2"])


def test_no_round_is_asked_for_once_the_limit_is_used_up():
    policy = Algorithm1(children=2, turns=3)
    for limit, turns in ((2, 0), (3, 1), (6, 1), (7, 2)):
        nodes, _ = run(Budgeted(policy, limit, lambda node: 1), roots(2), Ratings((5,)))
        assert len(nodes) == 4 * turns


def test_the_result_is_the_same_on_every_executor(executor):
    policy = Budgeted(BestFirst(3, 8, 2), 15, lambda node: 1)

    def search(on, threads):
        return run_search(policy, number_roots(3), propose_numbers, NumberEvaluator(), on, threads=threads)

    assert search(executor, 8) == search(SerialExecutor(), 1)
