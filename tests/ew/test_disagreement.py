"""The first disagreement is real, minimal in its batch, and found in either direction."""

import numpy as np
from graph_worlds import BatchedGraphWorld, GraphSystem, GraphWorld
from hypothesis import given
from hypothesis import strategies as st

from ew.counterexample.disagreement import Direction, first_disagreement
from ew.score.score import EWConfig, ew_score
from ew.walks.adapter import transitions_of
from ew.walks.walk import sample_walks
from ew.walks.world_walks import WorldWalks

LABELS = ("(a)", "(b)", "(c)")
graphs = st.dictionaries(
    st.integers(0, 3), st.dictionaries(st.sampled_from(LABELS), st.integers(0, 3), max_size=3), max_size=4
)
dense = st.fixed_dictionaries(
    {i: st.dictionaries(st.sampled_from(LABELS), st.integers(0, 4), min_size=2, max_size=3) for i in range(5)}
)
#: A world, and a model that differs from it in one place: walks fail after different numbers of steps.
near = st.builds(
    lambda graph, place, edges: (graph, {**graph, place: edges}),
    dense,
    st.integers(1, 4),
    st.dictionaries(st.sampled_from(LABELS), st.integers(0, 4), max_size=3),
)
RING = {i: {"(go)": i + 1} for i in range(12)} | {12: {"(stop)": 12}}


def find(world, model, seed=0, kind=BatchedGraphWorld, **config):
    rng = np.random.default_rng(seed)
    return first_disagreement(kind(world), GraphSystem(model), rng, EWConfig(**config))


@given(graphs, graphs, st.integers(0, 50))
def test_a_disagreement_can_be_checked_on_both_sides(world, model, seed):
    found = find(world, model, seed, walks=12, t_max=3, longest=6)
    if found is None:
        return
    here, there = GraphWorld(world), GraphWorld(model)
    runs, refuses = (here, there) if found.direction is Direction.FORWARD else (there, here)
    assert runs.executable(found.walk).steps == len(found.walk)
    assert refuses.executable(found.walk).steps == len(found.walk) - 1
    assert found.state == here.describe(found.executed)
    assert found.failing == found.walk[-1]


@given(graphs, st.integers(0, 50))
def test_a_system_never_disagrees_with_itself(graph, seed):
    assert find(graph, graph, seed, walks=12, t_max=3, longest=6) is None


@given(graphs, graphs, st.integers(0, 50))
def test_none_is_found_in_the_score_s_walks_only_if_the_score_is_one(world, model, seed):
    if not world.get(0) or not model.get(0):
        return
    config = EWConfig(20, 5, longest=5)
    score = ew_score(GraphSystem(world), GraphSystem(model), np.random.default_rng(seed), config)
    found = first_disagreement(
        BatchedGraphWorld(world), GraphSystem(model), np.random.default_rng(seed), config
    )
    assert (found is None) == (score.score == 1.0)


def refusals(source, target, config, number, rng):
    """Of each of the score's walks in one direction that is refused: after how many steps, and its row."""
    lengths = config.by.lengths(config.walks, config.t_max, tuple(Direction)[number])
    system = GraphSystem(source)
    walks = sample_walks(system, lengths, rng)
    for row in range(len(lengths)):
        walk = walks.words(row, system)
        steps = GraphWorld(target).executable(walk).steps
        if steps < len(walk):
            yield steps, 2 * row + number, walk[: steps + 1]


@given(near, st.booleans(), st.integers(0, 50), st.sampled_from(["paper", "prefix"]))
def test_of_all_refused_walks_of_the_score_the_shortest_is_reported_and_of_equals_the_first(
    pair, swapped, seed, estimator
):
    world, model = reversed(pair) if swapped else pair
    config = EWConfig(20, 5, longest=5, estimator=estimator)
    forward, backward = np.random.default_rng(seed).spawn(2)
    refused = [*refusals(world, model, config, 0, forward), *refusals(model, world, config, 1, backward)]
    found = find(world, model, seed, walks=20, t_max=5, longest=5, estimator=estimator)
    assert (found and found.walk) == (min(refused)[2] if refused else None)


def nearest_difference(world, model):
    """The fewest steps to an operator that one side alone runs, by breadth-first search; None if none."""
    front, seen, steps = {(0, 0)}, set(), 0
    while front:
        seen |= front
        steps += 1
        if any(world.get(a, {}).keys() != model.get(b, {}).keys() for a, b in front):
            return steps
        front = {(world[a][x], model[b][x]) for a, b in front for x in world.get(a, {})} - seen
    return None


@given(near, st.integers(0, 50))
def test_joint_walks_report_a_nearest_difference(pair, seed):
    world, model = pair
    nearest = nearest_difference(world, model)
    found = find(world, model, seed, walks=400, t_max=3, longest=3, estimator="survival")
    if nearest is None or nearest <= 3:  # in 400 walks each of the at most 9 ways to there is taken
        assert (found and len(found.walk)) == nearest


def test_walks_grow_until_a_late_fault_is_found():
    broken = {**RING, 12: {"(halt)": 12}}
    assert find(RING, broken, t_max=10, longest=10) is None
    found = find(RING, broken, t_max=10, longest=20)
    assert found.direction is Direction.FORWARD
    assert found.walk == ("(go)",) * 12 + ("(stop)",)
    assert found.state == "You are at place 12."


def test_the_shortest_failing_walk_is_told():
    world = {0: {"(a)": 0, "(b)": 1}, 1: {"(a)": 1, "(c)": 1}}
    model = {0: {"(a)": 0, "(b)": 1}, 1: {"(a)": 1}}
    found = find(world, model)
    assert found.walk == ("(b)", "(c)")


def test_the_model_s_own_fault_is_told_in_the_world_s_words():
    found = find({0: {"(a)": 0}}, {0: {"(a)": 0, "(b)": 0}})
    assert (found.direction, found.walk) == (Direction.BACKWARD, ("(b)",))
    assert found.state == "You are at place 0."


def test_a_world_without_batches_gives_the_same_disagreement():
    broken = {**RING, 3: {"(halt)": 12}}
    assert find(RING, broken) == find(RING, broken, kind=GraphWorld)


def test_the_given_system_is_asked():
    model, config = GraphSystem({**RING, 3: {"(halt)": 12}}), EWConfig(20, 5, longest=20)
    world = GraphWorld(RING)
    asked, rng = WorldWalks(transitions_of(world)), np.random.default_rng(0)
    found = first_disagreement(world=world, model=model, rng=rng, config=config, asked=asked)
    assert found == find(RING, {**RING, 3: {"(halt)": 12}}, kind=GraphWorld) and asked.queries > 0
