"""Counts of actions in a score's walks agree with a recount, walk by walk."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.mutation.faults import MutationKind, mutated, mutations
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from ew.score.directed import Direction
from ew.score.exercised import ActionCount
from ew.score.score import EWConfig, ew_score
from ew.score.survival import GroundPair


def sides(env="termes", wrong=True):
    texts = read_texts(env, 1)
    domain = read_domain(texts.domain)
    world = compile_task(read_problem(texts.problem, domain))
    mutation = mutations(domain)[MutationKind.REMOVE][3]
    text = mutated(domain, mutation) if wrong else texts.domain
    return world, compile_task(read_problem(texts.problem, read_domain(text)))


@pytest.mark.parametrize("estimator", ["paper", "prefix", "survival"])
def test_a_world_is_never_refused_by_itself(estimator):
    world, same = sides(wrong=False)
    found = ew_score(world, same, np.random.default_rng(0), EWConfig(40, 10, estimator=estimator))
    assert found.actions and list(found.actions) == sorted(found.actions)
    for count in found.actions:
        assert count.world_executed == count.model_executed > 0
        assert count.world_refused == count.model_refused == 0


@pytest.mark.parametrize("direction", Direction)
def test_directed_walks_are_counted_operator_by_operator(direction):
    world, model = sides()
    walks = GroundPair(world, model).across(direction, [12] * 40, np.random.default_rng(1))
    source, other = ("world", "model") if direction is Direction.FORWARD else ("model", "world")
    expected: Counter[tuple[str, str]] = Counter()
    for row, ran in enumerate(walks.ran.tolist()):
        words = [walks.operators[o] for o in walks.walks.operators[row] if o >= 0]
        for step, operator in enumerate(words[: ran + 1]):
            action = operator[1:-1].split()[0]
            expected[action, f"{source}_executed"] += 1
            expected[action, f"{other}_{'executed' if step < ran else 'refused'}"] += 1
    assert walks.exercised(direction) == expected
    assert any(became.endswith("refused") for _, became in expected) == (not walks.executable.all())


def test_joint_walks_count_what_one_side_alone_lists():
    world, model = sides()
    score = ew_score(world, model, np.random.default_rng(0), EWConfig(40, 10, estimator="survival"))
    refused = sum(count.world_refused + count.model_refused for count in score.actions)
    assert (score.score == 1.0) == (refused == 0) and refused > 0
    turned = ew_score(model, world, np.random.default_rng(0), EWConfig(40, 10, estimator="survival"))
    swapped = [
        ActionCount(c.action, c.model_executed, c.model_refused, c.world_executed, c.world_refused)
        for c in turned.actions
    ]
    assert list(score.actions) == swapped
