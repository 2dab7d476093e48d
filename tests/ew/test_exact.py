"""Propagation over joint states against the enumeration of every walk."""

import exact as enumerated
import numpy as np
import pytest
from graph_worlds import GraphSystem, GraphWorld
from graphs import MODEL, PAIRS, WORLD, started
from hypothesis import given

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from ew.score.config import EWConfig
from ew.score.exact import TooManyStates, exact_ew
from ew.score.score import ew_score
from ew.walks.world_system import WorldSystem


@given(started, started)
def test_propagation_agrees_with_the_enumeration_of_every_walk(world, model):
    found = exact_ew(GraphSystem(world), GraphSystem(model), 5)
    assert found.forward == pytest.approx(enumerated.direction(world, model, 5))
    assert found.backward == pytest.approx(enumerated.direction(model, world, 5))
    assert found.score == pytest.approx(enumerated.score(world, model, 5))


@pytest.mark.parametrize("pair", PAIRS)
def test_shares_never_grow_with_the_length(pair):
    found = exact_ew(*(GraphSystem(g) for g in PAIRS[pair]), 8)
    assert list(found.forward_at) == sorted(found.forward_at, reverse=True)
    assert list(found.backward_at) == sorted(found.backward_at, reverse=True)


def test_histories_of_a_world_without_batches_are_states_too():
    slow, fast = WorldSystem(GraphWorld(WORLD)), GraphSystem(WORLD)
    assert exact_ew(slow, GraphSystem(MODEL), 4) == exact_ew(fast, GraphSystem(MODEL), 4)


def test_a_pddl_task_has_exact_values_that_the_estimate_meets():
    texts = read_texts("blocksworld", 1)
    wrong = texts.domain.replace("(arm-empty)", "", 1) if "(arm-empty)" in texts.domain else texts.domain
    world, model = (compile_task(read_problem(texts.problem, read_domain(d))) for d in (texts.domain, wrong))
    exact = exact_ew(world, model, 4)
    assert exact_ew(world, world, 4).score == 1.0
    found = ew_score(world, model, np.random.default_rng(0), EWConfig(4000, 4, estimator="survival"))
    assert found.score == pytest.approx(exact.score, abs=4 * found.stderr)


def test_too_large_a_task_is_refused_with_the_step_at_which_it_grew():
    with pytest.raises(TooManyStates, match="joint states after 1 steps, more than 1"):
        exact_ew(GraphSystem(WORLD), GraphSystem(WORLD), 5, max_states=1)
