"""Best-first search and beam search against obvious loops, and their rounds."""

from dataclasses import replace

import pytest
from drawn_trees import Ratings, after, roots, run, tables
from hypothesis import given
from hypothesis import strategies as st

from search.executors import SerialExecutor
from search.fakes import NumberEvaluation, NumberEvaluator, NumberPayload, number_roots, propose_numbers
from search.loop import run_search
from search.nodes import Expansion, Node, order_of
from search.policies import Beam, BestFirst, best_first, by_rating


def shallow_first(node):
    """A ranking of another's: breadth first, whatever the rating."""
    return -node.depth


def by_number(node):
    """Another one, which knows no equals."""
    return tuple(-step for step in order_of(node))


rankings = st.sampled_from([by_rating, shallow_first, by_number])
best_firsts = st.builds(BestFirst, st.integers(1, 3), st.integers(1, 9), st.integers(1, 3), ranking=rankings)
beams = st.builds(Beam, st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), ranking=rankings)
policies = best_firsts | beams


def obvious(policy, start, ratings):
    """Both policies as one loop over lists: (all nodes, best)."""
    open_nodes, nodes, expanded, rounds = list(start), [], 0, 0
    while True:
        ranked = sorted(
            (n for n in open_nodes if n.evaluation.expandable),
            key=lambda n: (n.depth, order_of(n)),
        )
        ranked.sort(key=policy.ranking, reverse=True)
        if isinstance(policy, Beam):
            taken = ranked[: policy.width] if rounds < policy.turns else []
            open_nodes = []
        else:
            taken = ranked[: min(policy.width, policy.expansions - expanded)]
            open_nodes = [n for n in ranked if n not in taken]
        made = [child for n in taken for child in ratings.children(Expansion(n, policy.children))]
        open_nodes, nodes = open_nodes + made, nodes + made
        expanded, rounds = expanded + len(taken), rounds + 1
        if not taken or any(n.evaluation.solved for n in made):
            best = min(nodes, key=lambda n: (-n.evaluation.rating, n.depth, order_of(n)), default=None)
            return sorted(nodes, key=order_of), best


@given(policies, st.integers(0, 4), tables)
def test_they_do_what_the_obvious_loop_does(policy, count, ratings):
    assert run(policy, roots(count), ratings) == obvious(policy, roots(count), ratings)


@given(policies, st.integers(1, 4), tables)
def test_more_is_never_worse(policy, count, ratings):
    grown = (
        {"expansions": policy.expansions + 1}
        if isinstance(policy, BestFirst)
        else {"turns": policy.turns + 1}
    )
    less, more = (run(p, roots(count), ratings)[1] for p in (policy, replace(policy, **grown)))
    assert less.evaluation.rating <= more.evaluation.rating


@given(st.randoms(), tables)
def test_best_first_is_an_order_without_equals(random, ratings):
    nodes = [
        Node(i, None, None, ratings.evaluation(i)) for i in ("1", "2", "10", "1.1", "1.2", "2.1", "10.1")
    ]
    shuffled = random.sample(nodes, len(nodes))
    assert best_first(shuffled) == best_first(nodes)


def test_best_first_comes_back_to_a_branch_that_it_left():
    ratings = {"1.1": 50, "1.2": 40, "1.1.1": 10, "1.1.2": 20}

    def children(expansion):
        ids = [f"{expansion.parent.id}.{i}" for i in (1, 2)]
        return [Node(i, expansion.parent.id, NumberPayload(0), NumberEvaluation(ratings[i])) for i in ids]

    policy, start = BestFirst(children=2, expansions=3), roots(1)
    first = children(Expansion(start[0], 2))
    assert after(policy, start, [first]) == (["1.1"], None)
    assert after(policy, start, [first], [children(Expansion(first[0], 2))]) == (["1.2"], None)


def test_a_beam_keeps_nothing_but_the_newest_generation_and_the_best_ever():
    nodes, best = run(Beam(children=2, turns=3, width=2), roots(4), Ratings((50, 40, 30, 20, 10)))
    assert {n.id[0] for n in nodes} == {"1", "2"}
    assert [sum(n.depth == depth for n in nodes) for depth in (1, 2, 3)] == [4, 4, 4]
    assert best == best_first(nodes)[0]


@pytest.mark.parametrize("policy", [BestFirst(2, 9, 3), Beam(2, 3, 3)])
def test_a_round_with_a_solved_node_is_finished_and_is_the_last(policy):
    nodes, best = run(policy, roots(3), Ratings((99,)))
    assert [n.id for n in nodes] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]
    assert best.id == "1.1"


@pytest.mark.parametrize("policy", [BestFirst(2, 9), Beam(2, 3, 3)])
def test_roots_that_cannot_be_expanded_and_expansions_without_children_are_the_end(policy):
    assert run(policy, roots(2, expandable=False), Ratings((5,))) == ([], None)
    assert after(policy, roots(1), [[]]) == (None, None)


@pytest.mark.parametrize("fields", [{"children": 0}, {"width": 0}, {"turns": 0}, {"expansions": 0}])
def test_settings_below_one_are_refused(fields):
    kind, plain = (Beam, {"turns": 1}) if "turns" in fields else (BestFirst, {"expansions": 1})
    with pytest.raises(ValueError, match="at least 1"):
        kind(**({"children": 1, "width": 1} | plain | fields))


@pytest.mark.parametrize("policy", [BestFirst(3, 6, 2), Beam(3, 3, 2)])
def test_the_tree_is_the_same_on_every_executor(policy, executor):
    def search(on, threads):
        return run_search(policy, number_roots(3), propose_numbers, NumberEvaluator(), on, threads=threads)

    assert search(executor, 8) == search(SerialExecutor(), 1)
