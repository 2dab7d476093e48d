"""What was seen in the world once holds for every model, and a model that agrees with the world agrees."""

import numpy as np
import pytest
from graph_worlds import BatchedGraphWorld, GraphSystem, GraphWorld
from hypothesis import given
from hypothesis import strategies as st

from ew.counterexample.disagreement import (
    Direction,
    Observation,
    contradiction,
    first_contradiction,
    first_disagreement,
)
from ew.score.score import EWConfig

LABELS = ("(a)", "(b)", "(c)")
graphs = st.dictionaries(
    st.integers(0, 3), st.dictionaries(st.sampled_from(LABELS), st.integers(0, 3), max_size=3), max_size=4
)
walks = st.lists(st.sampled_from(LABELS), max_size=4)


def observe(world, walk, operator):
    """What the world of `world` shows of an operator after as much of `walk` as it executes."""
    ran = GraphWorld(world).executable(walk).steps
    executed = GraphWorld(world).executable([*walk[:ran], operator]).steps > ran
    return Observation.of("1", walk[:ran], operator, executed)


@given(graphs, walks, st.sampled_from(LABELS))
def test_the_world_itself_contradicts_nothing_that_was_seen_in_it(world, walk, operator):
    assert contradiction(GraphWorld(world), GraphSystem(world), observe(world, walk, operator)) is None


@given(graphs, graphs, walks, st.sampled_from(LABELS))
def test_a_contradiction_is_a_disagreement_that_both_sides_confirm(world, model, walk, operator):
    seen = observe(world, walk, operator)
    found = contradiction(GraphWorld(world), GraphSystem(model), seen)
    if found is None:
        assert GraphWorld(model).executable(seen.walk).steps == len(seen.walk)
        whole = (*seen.walk, seen.operator)
        assert (GraphWorld(model).executable(whole).steps == len(whole)) == seen.executed
        return
    here, there = GraphWorld(world), GraphWorld(model)
    runs, refuses = (here, there) if found.direction is Direction.FORWARD else (there, here)
    assert runs.executable(found.walk).steps == len(found.walk)
    assert refuses.executable(found.walk).steps == len(found.walk) - 1
    assert found.state == here.describe(found.executed)


@given(graphs, graphs, st.integers(0, 20))
def test_every_disagreement_is_an_observation_that_the_same_model_contradicts(world, model, seed):
    config = EWConfig(walks=12, t_max=3, longest=6)
    found = first_disagreement(
        BatchedGraphWorld(world), GraphSystem(model), np.random.default_rng(seed), config
    )
    if found is not None:
        executed = found.direction is Direction.FORWARD
        seen = Observation.of("1", found.executed, found.failing, executed)
        assert contradiction(GraphWorld(world), GraphSystem(model), seen) == found


def test_the_shortest_contradicted_observation_comes_first_whatever_the_order():
    world = GraphWorld({0: {"(a)": 1}, 1: {"(b)": 0}})
    long = Observation.of("1", ("(a)", "(b)"), "(b)", executed=False)
    short = Observation.of("1", (), "(c)", executed=False)
    model = GraphSystem({0: {"(a)": 0, "(b)": 0, "(c)": 0}})
    for seen in ((long, short), (short, long)):
        found = first_contradiction(world, model, seen)
        assert found is not None and found.walk == ("(c)",)


@pytest.mark.parametrize(
    ("walk", "executed", "words"),
    [
        ((), True, "At the start, the environment executes (c)."),
        (("(a)", "(b)"), False, "After (a), (b), the environment refuses (c)."),
    ],
)
def test_an_observation_is_one_sentence(walk, executed, words):
    assert str(Observation.of("1", walk, "(c)", executed)) == words
