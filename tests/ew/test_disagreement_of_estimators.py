"""Whatever estimator finds a score below 1, the same seed finds a disagreement, and it is a real one."""

import numpy as np
import pytest
from graph_worlds import BatchedGraphWorld, GraphSystem, GraphWorld
from graphs import MODEL, WORLD, started
from hypothesis import given
from hypothesis import strategies as st

from ew.counterexample.disagreement import Direction, first_disagreement
from ew.score.config import EWConfig
from ew.score.registry import ESTIMATORS
from ew.score.score import EWVerdict, ew_score


def assert_real(found, world, model):
    """Both sides run all but the last operator, which one of them refuses."""
    sides = GraphWorld(world), GraphWorld(model)
    runs, refuses = sides if found.direction is Direction.FORWARD else sides[::-1]
    assert runs.executable(found.walk).steps == len(found.walk)
    assert refuses.executable(found.walk).steps == len(found.walk) - 1
    assert found.state == GraphWorld(world).describe(found.executed)


@given(started, started, st.integers(0, 50), st.sampled_from(sorted(ESTIMATORS)))
def test_a_score_below_one_has_a_disagreement_to_show(world, model, seed, estimator):
    config = EWConfig(12, 3, longest=12, estimator=estimator)
    score = ew_score(GraphSystem(world), GraphSystem(model), np.random.default_rng(seed), config)
    found = first_disagreement(
        BatchedGraphWorld(world), GraphSystem(model), np.random.default_rng(seed), config
    )
    if score.verdict is EWVerdict.SCORED and score.score < 1:
        assert found is not None
    if found is not None:
        assert_real(found, world, model)


@pytest.mark.parametrize("seed", range(5))
def test_joint_walks_show_the_earliest_difference_they_meet(seed):
    config = EWConfig(40, 6, estimator="survival")
    found = first_disagreement(
        BatchedGraphWorld(WORLD), GraphSystem(MODEL), np.random.default_rng(seed), config
    )
    assert found.walk == ("(a)", "(d)") and found.direction is Direction.BACKWARD
