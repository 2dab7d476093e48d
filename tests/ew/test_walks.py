"""Walks against the obvious version: one walk at a time, by hand."""

from typing import ClassVar

import numpy as np
import pytest
from graph_worlds import BatchedGraphWorld, GraphSystem, GraphWorld
from hypothesis import given
from hypothesis import strategies as st

from ew.walks.adapter import transitions_of
from ew.walks.walk import align, run_walks, sample_walks
from ew.walks.world_system import WorldSystem

LABELS = ("(a)", "(b)", "(c)", "(d)")
graphs = st.dictionaries(
    st.integers(0, 4), st.dictionaries(st.sampled_from(LABELS), st.integers(0, 4), max_size=4), max_size=5
)
DEAD_END = {0: {"(a)": 1, "(b)": 2}, 1: {"(a)": 0}}


def walk_by_hand(graph, wished, uniforms):
    """The obvious sampler: sort what is applicable, take the one that the number points at."""
    state, walk = 0, []
    for u in uniforms[:wished]:
        options = sorted(graph.get(state, {}))
        if not options:
            break
        walk.append(options[min(int(u * len(options)), len(options) - 1)])
        state = graph[state][walk[-1]]
    return tuple(walk)


@given(graphs, st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(0, 99))
def test_a_batch_walks_like_each_walk_alone(graph, lengths, seed):
    system = GraphSystem(graph)
    walks = sample_walks(system, lengths, np.random.default_rng(seed))
    uniforms = np.random.default_rng(seed).random((len(lengths), max(lengths)))
    for row, wished in enumerate(lengths):
        assert walks.words(row, system) == walk_by_hand(graph, wished, uniforms[row])


@given(graphs, st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(0, 99))
def test_sampled_walks_run_to_their_end_where_they_were_sampled(graph, lengths, seed):
    system = GraphSystem(graph)
    walks = sample_walks(system, lengths, np.random.default_rng(seed))
    assert (run_walks(system, walks.operators) == walks.lengths).all()


@given(graphs, graphs, st.integers(0, 99))
def test_replay_stops_where_the_world_surface_stops(source, target, seed):
    system, other = GraphSystem(source), GraphSystem(target)
    walks = sample_walks(system, [1, 2, 3, 4, 5], np.random.default_rng(seed))
    ran = run_walks(other, align(system, other)[walks.operators])
    for row in range(5):
        assert ran[row] == GraphWorld(target).executable(walks.words(row, system)).steps


@given(graphs, graphs, st.permutations(range(6)), st.integers(0, 99))
def test_replay_of_a_walk_does_not_depend_on_its_row(source, target, order, seed):
    system, other = GraphSystem(source), GraphSystem(target)
    walks = sample_walks(system, [4] * 6, np.random.default_rng(seed))
    operators = align(system, other)[walks.operators]
    assert (run_walks(other, operators[list(order)]) == run_walks(other, operators)[list(order)]).all()


def test_a_dead_end_ends_the_walk_and_keeps_its_length():
    walks = sample_walks(GraphSystem(DEAD_END), [5] * 200, np.random.default_rng(0))
    assert set(walks.lengths.tolist()) == {1, 3, 5}
    assert ((walks.operators >= 0).sum(axis=1) == walks.lengths).all()


def test_a_dead_end_at_the_start_gives_walks_of_length_zero():
    walks = sample_walks(GraphSystem({}), [1, 2], np.random.default_rng(0))
    assert walks.lengths.tolist() == [0, 0]
    assert run_walks(GraphSystem({}), walks.operators).tolist() == [0, 0]


def test_operators_are_chosen_uniformly():
    system = GraphSystem({0: {label: 0 for label in LABELS}})
    walks = sample_walks(system, [10] * 2000, np.random.default_rng(1))
    shares = np.bincount(walks.operators.ravel(), minlength=4) / walks.operators.size
    assert shares == pytest.approx([0.25] * 4, abs=0.015)


def test_the_largest_uniform_number_still_chooses_the_last_operator():
    class Almost:
        def random(self, shape):
            return np.full(shape, np.nextafter(1.0, 0.0))

    walks = sample_walks(GraphSystem({0: {label: 0 for label in LABELS}}), [3], Almost())
    assert walks.operators.tolist() == [[3, 3, 3]]


def test_alignment_maps_by_text_and_keeps_padding():
    source, target = GraphSystem({0: {"(a)": 0, "(c)": 0}}), GraphSystem({0: {"(b)": 0, "(c)": 0}})
    assert align(source, target).tolist() == [-1, 1, -1]


@given(graphs, st.integers(0, 99))
def test_the_adapter_walks_like_the_batched_system(graph, seed):
    lengths = [1, 2, 3, 4]
    fast, slow = GraphSystem(graph), WorldSystem(GraphWorld(graph))
    assert slow.operators == fast.operators
    fast_walks = sample_walks(fast, lengths, np.random.default_rng(seed))
    slow_walks = sample_walks(slow, lengths, np.random.default_rng(seed))
    assert (fast_walks.operators == slow_walks.operators).all()
    assert (run_walks(slow, fast_walks.operators) == fast_walks.lengths).all()


def test_a_world_that_offers_batches_is_walked_in_batches():
    assert isinstance(transitions_of(BatchedGraphWorld({})), GraphSystem)
    assert isinstance(transitions_of(GraphWorld({})), WorldSystem)


def test_a_world_that_breaks_its_own_interface_is_named():
    class Broken(GraphWorld):
        name = "broken"

        def applicable(self, walk=()):
            return ("(nothing like that)",)

    with pytest.raises(ValueError, match=r"'broken'.*nothing like that"):
        sample_walks(WorldSystem(Broken({0: {"(a)": 0}})), [1], np.random.default_rng(0))


def test_an_interface_too_large_to_enumerate_is_refused():
    from envs.pddl.interface import ActionSignature, Parameter

    class Huge(GraphWorld):
        objects: ClassVar = {f"o{i}": "object" for i in range(200)}
        actions: ClassVar = (ActionSignature("f", tuple(Parameter(f"?{v}", "object") for v in "abc")),)

        def __init__(self):
            pass

    with pytest.raises(ValueError, match="8000000 operators"):
        _ = WorldSystem(Huge()).operators
