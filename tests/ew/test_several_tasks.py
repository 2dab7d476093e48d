"""Several tasks at once: smallest first, in any order, under one budget."""

from itertools import permutations

import numpy as np
import pytest
from graph_worlds import GraphSystem
from graphs import MODEL, PERMISSIVE, WORLD

from ew.score.config import EWConfig
from ew.score.score import EWVerdict
from ew.score.several_tasks import TaskPair, score_tasks
from ew.walks.budget import QueryBudget

SMALL = {0: {"(a)": 0}}
CONFIG = EWConfig(20, 4, estimator="survival")


def pair(name, world, model):
    return TaskPair(name, GraphSystem(world), GraphSystem(model))


TASKS = (pair("wrong", WORLD, PERMISSIVE), pair("right", WORLD, WORLD), pair("small", SMALL, SMALL))


def test_the_order_of_the_tasks_does_not_matter_and_the_smallest_is_first():
    found = [score_tasks(order, np.random.default_rng(0), CONFIG) for order in permutations(TASKS)]
    assert all(f == found[0] for f in found)
    assert [name for name, _ in found[0].scores] == ["small", "right", "wrong"]


def test_the_score_over_tasks_is_equation_2_of_the_scored_ones():
    found = score_tasks(TASKS, np.random.default_rng(0), CONFIG)
    scores = [s for _, s in found.scores]
    forward, backward = (np.mean([getattr(s, way) for s in scores]) for way in ("forward", "backward"))
    assert found.over_tasks.score == pytest.approx(2 / (1 / forward + 1 / backward))
    assert found.over_tasks.mean_of_tasks == pytest.approx(np.mean([s.score for s in scores]))
    low, high = found.interval
    assert 0 <= low <= found.over_tasks.score <= high <= 1
    assert found.world_queries == sum(s.world_queries for _, s in found.scores)


def test_a_model_that_can_do_nothing_in_a_task_counts_as_zero_and_a_stuck_world_does_not_count():
    tasks = (TASKS[1], pair("nothing", WORLD, {}), pair("stuck", {}, WORLD))
    found = score_tasks(tasks, np.random.default_rng(0), CONFIG)
    assert dict(found.scores)["stuck"].verdict is EWVerdict.WORLD_STUCK
    assert found.over_tasks.score == 0.5 == found.over_tasks.mean_of_tasks


def test_the_uncertainty_of_one_task_is_its_own_and_that_of_several_is_seen_in_repeats():
    one = score_tasks(TASKS[:1], np.random.default_rng(0), CONFIG)
    (score,) = (s for _, s in one.scores)
    assert one.stderr == pytest.approx(score.stderr) and one.interval == pytest.approx(score.interval)
    tasks, config = (pair("large", WORLD, MODEL), TASKS[1]), EWConfig(100, 4)
    found = [score_tasks(tasks, np.random.default_rng(seed), config) for seed in range(200)]
    stated = np.mean([f.stderr for f in found])
    assert stated == pytest.approx(np.std([f.over_tasks.score for f in found]), rel=0.25)


def test_a_model_that_can_do_nothing_anywhere_is_0_for_certain():
    found = score_tasks((pair("nothing", WORLD, {}),), np.random.default_rng(0), CONFIG)
    assert (found.over_tasks.score, found.stderr, found.interval) == (0.0, 0.0, (0.0, 0.0))


@pytest.mark.parametrize("limit", [0, 5, 20, 100, 180, 1000])
def test_one_budget_serves_all_tasks_and_what_it_leaves_out_is_named(limit):
    budget = QueryBudget(limit)
    found = score_tasks(TASKS, np.random.default_rng(0), CONFIG, budget)
    assert found.world_queries == budget.spent <= limit
    assert {n for n, _ in found.scores} | set(found.left_out) == {"small", "right", "wrong"}
    assert (found.over_tasks is None) == (found.stderr is None) == (not found.scores)
    assert limit < 1000 or not found.left_out


def test_tasks_after_one_in_which_the_model_can_do_nothing_are_left_out():
    tasks = (pair("small", SMALL, {}), pair("large", WORLD, MODEL))
    assert score_tasks(tasks, np.random.default_rng(0), CONFIG, stop_below=0.1).left_out == ("large",)
    assert score_tasks(tasks, np.random.default_rng(0), CONFIG).left_out == ()


def test_tasks_after_a_surely_bad_one_are_left_out():
    tasks = (pair("small", SMALL, {0: {"(a)": 1}, 1: {"(b)": 0}}), pair("large", WORLD, MODEL))
    config = EWConfig(200, 4, estimator="survival")
    found = score_tasks(tasks, np.random.default_rng(0), config, stop_below=0.9)
    assert [n for n, _ in found.scores] == ["small"] and found.left_out == ("large",)
