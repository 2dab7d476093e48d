"""A repair that begins with what another one saw asks less of the world and finds no less."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from walked_worlds import broken, walked
from wide import wide

from agents.repair.repair import repair
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.rules.variants import parameter_words
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.mutation.parameters import ParameterFault
from envs.pddl.simulation.compile import compile_task
from envs.world import open_world
from ew.score.score import EWConfig, ew_score
from ew.walks.adapter import transitions_of
from ew.walks.world_walks import Evidence, WorldWalks

CONFIG = RepairConfig(wall_s=120, keeps_walked=True)


def lacking(env: str, seed: int) -> Problem:
    return broken(walked(env).problem, 3, seed)[0]


def repaired(env: str, seed: int, known: Evidence | None = None) -> Repaired:
    return repair(
        [RepairTask(open_world(env, 1), lacking(env, seed), known)], np.random.default_rng(seed), CONFIG
    )


@cache
def first_repair(env: str) -> Repaired:
    """A repair that nothing was known for."""
    return repaired(env, 0)


def fresh_ew(env: str, found: Repaired) -> float | None:
    model = compile_task(read_problem(found.problems[0], read_domain(found.domain)))
    config = EWConfig(walks=400, t_max=10, estimator="survival")
    world = transitions_of(open_world(env, 1))
    return ew_score(world, model, np.random.default_rng(99), config).score


@pytest.mark.parametrize("env", wide(["grippers", "blocksworld"], "grippers"))
def test_what_one_repair_walked_saves_another_one_queries(env: str) -> None:
    first, alone = first_repair(env), repaired(env, 1)
    assert 0 < first.world_queries - len(first.walked[0].states) <= 2  # which were about the goal
    known = pickle.loads(pickle.dumps(first.walked[0]))  # noqa: S301
    shared = repaired(env, 1, known)
    assert shared.verdict is alone.verdict is RepairVerdict.AGREES
    assert fresh_ew(env, shared) == fresh_ew(env, alone) == 1.0
    assert shared.world_queries < alone.world_queries
    assert set(known.states) <= set(shared.walked[0].states)


@pytest.mark.slow  # test_search states it of repairs without evidence
def test_the_same_evidence_gives_the_same_repair() -> None:
    known = first_repair("grippers").walked[0]
    one, other = (repaired("grippers", 2, known) for _ in range(2))
    assert (one.domain, one.problems, one.world_queries) == (
        other.domain,
        other.problems,
        other.world_queries,
    )


def test_little_evidence_does_not_take_the_place_of_a_look() -> None:
    walks = WorldWalks(transitions_of(open_world("grippers", 1)))
    walks.applicable(walks.initial(1))
    found = repaired("grippers", 1, walks.evidence())
    assert found.verdict is RepairVerdict.AGREES and fresh_ew("grippers", found) == 1.0


def test_another_parameter_list_is_told_as_what_to_do() -> None:
    given, taken = (ParameterFault("free", 0, "robot", dropped) for dropped in (False, True))
    assert parameter_words(given) == "give predicate free the parameter ?extra - robot at place 1"
    assert parameter_words(taken) == "take parameter 1 (robot) from predicate free"
