"""Whole repairs: what they may claim, what they give back when they fail, and wrong parameter lists."""

from __future__ import annotations

import numpy as np
import pytest
from wide import wide

from agents.repair.repair import repair
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.terms import without_terms
from envs.pddl.mutation.faults import sample_terms
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits
from envs.source import read_texts
from envs.world import open_world
from ew.score.score import EWConfig, ew_score
from ew.walks.adapter import transitions_of

TEXTS = read_texts("grippers", 1)
TRUE = read_domain(TEXTS.domain)
(MISSING_ROBOT,) = [
    fault
    for fault in parameter_faults(TRUE)
    if fault.predicate == "free" and fault.dropped and not fault.place
]


def lacking(count: int, seed: int) -> Problem:
    removed = sample_terms(TRUE, count, np.random.default_rng(seed))
    return read_problem(TEXTS.problem, read_domain(without_terms(TRUE, removed)))


def with_fault(fault: ParameterFault) -> Problem:
    problem = read_problem(TEXTS.problem, TRUE)
    return read_problem(faulty_problem(problem, fault), read_domain(faulty_domain(TRUE, fault)))


def repaired(problem: Problem, config: RepairConfig | None = None) -> Repaired:
    return repair([RepairTask(open_world("grippers", 1), problem)], np.random.default_rng(0), config)


def fresh_ew(found: Repaired) -> float | None:
    model = compile_task(read_problem(found.problems[0], read_domain(found.domain)))
    world = transitions_of(open_world("grippers", 1))
    config = EWConfig(walks=400, t_max=10, estimator="survival")
    return ew_score(world, model, np.random.default_rng(99), config).score


def test_a_right_model_is_left_as_it_is() -> None:
    found = repaired(read_problem(TEXTS.problem, TRUE))
    assert (found.verdict, found.edits, found.structural) == (RepairVerdict.AGREES, (), ())


@pytest.mark.parametrize(
    ("seed", "search"),
    wide(
        [(seed, search) for seed in (0, 1) for search in ("constraints", "best_first")],
        (0, "constraints"),
        (1, "best_first"),
    ),
)
def test_removed_terms_are_restored_to_agreement_on_fresh_walks(search: str, seed: int) -> None:
    found = repaired(lacking(3, seed), RepairConfig(search=search))  # type: ignore[arg-type]
    assert found.verdict is RepairVerdict.AGREES and found.unexplained == 0 and fresh_ew(found) == 1.0


@pytest.mark.slow
def test_a_predicate_that_lost_a_parameter_gets_it_back_with_its_initial_atoms() -> None:
    found = repaired(with_fault(MISSING_ROBOT))
    # whose gripper is free at the start is seen in this task alone
    assert found.verdict is RepairVerdict.HOLDS_FOR_SEEN and found.edits == ()
    assert len(found.structural) == 1 and found.structural[0].startswith("give predicate free the parameter")
    again = read_problem(found.problems[0], read_domain(found.domain))
    true = read_problem(TEXTS.problem, TRUE)
    assert {a for a in again.init if a[0] == "free"} == {a for a in true.init if a[0] == "free"}
    assert fresh_ew(found) == 1.0


def test_a_model_that_cannot_be_walked_is_never_said_to_agree() -> None:
    found = repaired(lacking(3, 0), RepairConfig(limits=Limits(max_groundings=3)))
    assert found.verdict is RepairVerdict.TOO_LARGE


def test_types_that_forbid_what_the_world_runs_are_widened() -> None:
    types = TEXTS.domain.replace("robot gripper)", "robot gripper - object box - obj)")
    start = types.index("?obj - obj", types.index("(:action drop"))
    narrow = read_domain(types[:start] + types[start:].replace("?obj - obj", "?obj - box", 1))
    found = repaired(read_problem(TEXTS.problem, narrow))
    assert found.verdict.agrees and found.structural and fresh_ew(found) == 1


def test_what_fails_gives_back_nothing_worse_than_was_given() -> None:
    given = with_fault(MISSING_ROBOT)
    found = repaired(given, RepairConfig(queries=5))
    assert found.verdict is RepairVerdict.OUT_OF_QUERIES and found.world_queries <= 5
    assert read_domain(found.domain).vocabulary == given.domain.vocabulary and found.structural == ()


@pytest.mark.parametrize(
    "precondition",
    [
        "(and (at ?obj ?room) (at-robby ?r ?room) (free ?r ?g) (carry ?r ?obj ?g) (carry ?r ?obj ?g))",
        pytest.param(
            "(and (and (at ?obj ?room) (carry ?r ?obj ?g)) (and (at-robby ?r ?room) (and (free ?r ?g))))",
            marks=pytest.mark.slow,
        ),
        "(and (and (and (carry ?r ?obj ?g))))",
    ],
)
def test_what_stands_twice_or_below_another_and_is_mended_too(precondition: str) -> None:
    right = "(and (at ?obj ?room) (at-robby ?r ?room) (free ?r ?g))"
    assert TEXTS.domain.count(right) == 1
    wrong = read_domain(TEXTS.domain.replace(right, precondition))
    found = repaired(read_problem(TEXTS.problem, wrong))
    assert found.verdict is RepairVerdict.AGREES and fresh_ew(found) == 1.0
