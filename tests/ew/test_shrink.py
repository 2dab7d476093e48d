"""Shrinking: the shorter walk still disagrees, nothing of it can be left out, and every query is counted."""

import numpy as np
import pytest
from graph_worlds import BatchedGraphWorld, GraphSystem, GraphWorld
from graphs import started
from hypothesis import given, settings
from hypothesis import strategies as st
from strips import planted

from ew.counterexample.disagreement import Direction, Disagreement, first_disagreement
from ew.counterexample.shrink import shrink
from ew.score.score import EWConfig

#: `(key)` opens the door for good; `(spin)` changes nothing.
WORLD = {0: {"(spin)": 0, "(key)": 1}, 1: {"(spin)": 1, "(key)": 1, "(door)": 2}, 2: {"(spin)": 2}}
MODEL = {0: {"(spin)": 0, "(key)": 1}, 1: {"(spin)": 1, "(key)": 1}}
LONG = ("(spin)",) * 5 + ("(key)",) + ("(spin)", "(key)", "(spin)", "(spin)") + ("(door)",)


class Counting(GraphWorld):
    """Counts the operators that were tried, and the most that any try might have brought the count to."""

    def __init__(self, graph):
        super().__init__(graph)
        self.tried = self.most = 0

    def executable(self, walk):
        found = super().executable(walk)
        self.most = max(self.most, self.tried + len(walk))
        self.tried += min(found.steps + 1, len(walk))
        return found


def disagrees(world, model, found):
    runs, refuses = (world, model) if found.direction is Direction.FORWARD else (model, world)
    walk = found.walk
    whole, part = GraphWorld(runs).executable(walk).steps, GraphWorld(refuses).executable(walk).steps
    return whole == len(walk) and part == len(walk) - 1


def test_a_long_walk_is_cut_to_what_it_takes():
    found = shrink(GraphWorld(WORLD), GraphSystem(MODEL), Disagreement(Direction.FORWARD, LONG, "old"))
    assert found.disagreement == Disagreement(Direction.FORWARD, ("(key)", "(door)"), "You are at place 1.")
    assert found.minimal and found.removed == len(LONG) - 2


@given(started, started, st.integers(0, 30))
def test_what_is_left_disagrees_and_no_operator_of_it_can_be_left_out(world, model, seed):
    rng = np.random.default_rng(seed)
    config = EWConfig(walks=12, t_max=6, longest=12)
    long = first_disagreement(BatchedGraphWorld(world), GraphSystem(model), rng, config)
    if long is None:
        return
    found = shrink(GraphWorld(world), GraphSystem(model), long)
    short = found.disagreement
    assert disagrees(world, model, short)
    assert (short.failing, short.direction) == (long.failing, long.direction)
    assert found.removed == len(long.walk) - len(short.walk) >= 0
    for i in range(len(short.executed)):
        walk = (*short.executed[:i], *short.executed[i + 1 :], short.failing)
        assert not disagrees(world, model, Disagreement(short.direction, walk, ""))


def needless(world, model, found):
    """The operators that can each be left out alone."""
    walk = found.executed
    without = [(*walk[:i], *walk[i + 1 :], found.failing) for i in range(len(walk))]
    return [w for w in without if disagrees(world, model, Disagreement(found.direction, w, ""))]


def both_ways(system):
    """The planted walk as a disagreement in either direction, with its world and model."""
    yield system.world, system.model, Disagreement(Direction.FORWARD, system.walk, "")
    yield system.model, system.world, Disagreement(Direction.BACKWARD, system.walk, "")


@given(planted)
def test_what_is_called_minimal_is_and_without_a_budget_everything_is(system):
    for world, model, long in both_ways(system):
        found = shrink(GraphWorld(world), GraphSystem(model), long)
        assert disagrees(world, model, found.disagreement)
        assert found.minimal and not needless(world, model, found.disagreement)


@settings(max_examples=40)
@given(planted, st.integers(0, 60))
def test_a_budget_that_pays_for_every_try_changes_nothing_and_a_smaller_one_stops_the_search(system, budget):
    for world, model, long in both_ways(system):
        whole, asked = Counting(world), Counting(world)
        best = shrink(whole, GraphSystem(model), long)
        found = shrink(asked, GraphSystem(model), long, budget)
        assert asked.tried == found.world_queries <= budget
        assert disagrees(world, model, found.disagreement)
        assert (found == best) if budget >= whole.most else not found.minimal
        assert shrink(Counting(world), GraphSystem(model), long, whole.most) == best
        if whole.most:
            assert not shrink(Counting(world), GraphSystem(model), long, whole.most - 1).minimal


def test_every_world_query_is_counted_and_walks_that_the_model_settles_cost_none():
    world = Counting(WORLD)
    found = shrink(world, GraphSystem(MODEL), Disagreement(Direction.FORWARD, LONG, ""))
    assert found.world_queries == world.tried > 0


@pytest.mark.parametrize("budget", [0, 5, 12, 20])
def test_a_budget_is_never_exceeded_and_the_best_so_far_is_kept(budget):
    world = Counting(WORLD)
    found = shrink(world, GraphSystem(MODEL), Disagreement(Direction.FORWARD, LONG, ""), budget)
    assert world.tried == found.world_queries <= budget
    assert disagrees(WORLD, MODEL, found.disagreement)
    assert found.minimal is False or len(found.disagreement.walk) == 2


def test_a_disagreement_at_the_start_cannot_be_shortened():
    start = Disagreement(Direction.BACKWARD, ("(door)",), "")
    model = {0: {"(door)": 0}}
    found = shrink(GraphWorld(WORLD), GraphSystem(model), start)
    assert found.disagreement.walk == ("(door)",) and found.world_queries == 0 and found.minimal


def test_what_is_no_disagreement_is_refused():
    with pytest.raises(ValueError, match="does not show"):
        shrink(GraphWorld(WORLD), GraphSystem(WORLD), Disagreement(Direction.FORWARD, LONG, ""))
