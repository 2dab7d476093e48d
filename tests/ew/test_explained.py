"""How a disagreement is told: its queries are bounded, and a cause is sought only where that is cheap."""

from __future__ import annotations

import numpy as np
import pytest

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample import explained as explaining
from ew.counterexample.disagreement import first_disagreement
from ew.counterexample.explained import Counterexample, explained, weighed
from ew.counterexample.feedback import Explained
from ew.counterexample.shrink import Shrunk
from ew.score.config import EWConfig

WORLD = open_world("grippers", 1)


def model() -> Problem:
    texts = read_texts("grippers", 1)
    return read_problem(texts.problem, read_domain(texts.domain.replace(" (free ?r ?g))\n", ")\n", 1)))


def tell(seed: int = 0) -> Counterexample:
    problem = model()
    task = compile_task(problem)
    found = first_disagreement(WORLD, task, np.random.default_rng(seed), EWConfig(40, 10))
    assert found is not None
    return explained(WORLD, problem, task, found, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(2))
def test_the_disagreeing_action_is_always_among_those_told(seed: int) -> None:
    told = tell(seed)
    assert isinstance(told.failure, Explained)
    failing = told.failure.shrunk.disagreement.failing
    assert [a.action for a in told.failure.actions] == [failing[1:].split()[0]] == ["pick"]
    assert told.failure.causes.explanations[0].literal == "(free ?r ?g)"
    assert told.world_queries == told.failure.shrunk.world_queries + 2 * told.failure.states
    assert tell(seed) == told


def test_a_model_of_very_many_literals_is_told_its_shortest_walk_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explaining, "MAX_WEIGHED", 10)
    told = tell()
    assert isinstance(told.failure, Shrunk) and told.world_queries == told.failure.world_queries


def test_literals_are_counted_by_parameters_and_arities() -> None:
    wide = "(define (domain w) (:predicates (p ?a ?b ?c) (q)) (:action a :parameters (?x ?y) :effect (q)))"
    assert weighed(read_domain(wide)) == 2**3 + 1
