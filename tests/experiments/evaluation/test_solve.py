"""Evaluation tasks: the environment alone decides whether one is solved."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from envs.pddl.equivalence.compare import ProblemPart, Verdict
from envs.pddl.interface import World
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import Limits
from envs.source import read_texts
from envs.world import open_world
from ew.score.score import EWConfig
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import ModelSolver, PlanRunner, act, held_against_truth
from experiments.runs.records import TaskOutcome

TEXTS = read_texts("grippers", 2)
SOLVER = ModelSolver("grippers", 0, Judge(EWConfig(walks=20, t_max=5), Planner(wall_s=20)))


def test_the_environments_own_model_solves_its_task() -> None:
    found = pickle.loads(pickle.dumps(SOLVER))(2, TEXTS.domain, TEXTS.problem)  # noqa: S301
    assert found.solved and found.score.ew == 1.0 and found.plan_length and found.failed_step is None


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ("(free ?r ?g))\n    :effect", "(free ?r ?gg))\n    :effect", TaskOutcome.INVALID_DOMAIN),
        (":precondition (at-robby ?r ?from)", ":precondition (and)", TaskOutcome.STEP_REJECTED),
        ("(carry ?r ?obj ?g) (not (at ?obj ?room))", "(at ?obj ?from)", TaskOutcome.INVALID_DOMAIN),
        ("(at ?obj ?room) (free ?r ?g) (not", "(free ?r ?g) (not", TaskOutcome.UNSOLVABLE),
    ],
)
def test_a_wrong_model_fails_in_a_named_way(old: str, new: str, outcome: TaskOutcome) -> None:
    assert old in TEXTS.domain
    found = SOLVER(2, TEXTS.domain.replace(old, new), TEXTS.problem)
    assert found.outcome is outcome


def test_a_wrong_problem_is_told_from_a_wrong_domain() -> None:
    found = SOLVER(2, TEXTS.domain, TEXTS.problem.replace("(free robot1", "(fre robot1"))
    assert found.outcome is TaskOutcome.INVALID_PROBLEM and "fre" in found.detail


def test_a_problem_of_the_true_domain_is_held_against_the_true_one() -> None:
    other = TEXTS.problem.replace("(at ball1 room", "(at ball2 room", 1)
    assert other != TEXTS.problem
    verdicts = []
    for problem in (TEXTS.problem, other):
        compared = SOLVER(2, TEXTS.domain, problem).comparison
        verdicts.append(compared.verdict if compared else None)
    assert verdicts == [Verdict.EQUIVALENT, Verdict.DIFFERENT]


def test_a_goal_that_wants_too_little_is_found_different_in_a_task_of_full_size() -> None:
    texts = read_texts("floortile", 5)
    goal = texts.problem.index("(painted", texts.problem.index("(:goal"))
    less = texts.problem[:goal] + texts.problem[texts.problem.index(")", goal) + 1 :]
    problem = read_problem(less, read_domain(texts.domain))
    found = held_against_truth("floortile", open_world("floortile", 5), problem, Planner())
    assert found is not None and (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)


def test_nothing_is_held_against_an_environment_without_pddl() -> None:
    problem = read_problem(TEXTS.problem, read_domain(TEXTS.domain))
    assert held_against_truth("other", cast(World, object()), problem, Planner()) is None


def test_a_model_too_large_is_told_apart() -> None:
    tight = replace(SOLVER, judge=replace(SOLVER.judge, limits=Limits(max_groundings=3)))
    assert tight(2, TEXTS.domain, TEXTS.problem).outcome is TaskOutcome.EXPLODED


def test_a_planner_out_of_time_is_unsolved_and_listed() -> None:
    hasty = replace(SOLVER, judge=replace(SOLVER.judge, planner=Planner(wall_s=0.01)))
    assert hasty(2, TEXTS.domain, TEXTS.problem).outcome is TaskOutcome.TIMEOUT


def test_the_refused_step_is_named() -> None:
    found = act("grippers", 1, ["(move robot1 room2 room1)", "(move robot1 room2 room1)"])
    assert found.outcome is TaskOutcome.STEP_REJECTED and found.failed_step == 2 and found.plan_length == 2
    assert found.detail == "(move robot1 room2 room1): not_executable"


def test_a_plan_that_stops_early_does_not_reach_the_goal() -> None:
    assert PlanRunner("grippers")(1, ()).outcome is TaskOutcome.GOAL_NOT_REACHED


def test_steps_of_unknown_names_are_the_environments_to_refuse() -> None:
    assert "unknown_name" in PlanRunner("grippers")(1, ("(fly robot1)",)).detail


def test_where_a_world_lies_on_the_disk_changes_nothing(
    tmp_path: Path, copy_grippers: Callable[[Path], Path]
) -> None:
    copy = copy_grippers(tmp_path / "grippers")
    wrong = TEXTS.domain.replace(":precondition (at-robby ?r ?from)", ":precondition (and)")
    here = replace(SOLVER(2, wrong, TEXTS.problem), wall_s=0)
    there = replace(replace(SOLVER, env=str(copy))(2, wrong, TEXTS.problem), wall_s=0)
    assert here == there and 0 < (here.score.ew or 0) < 1
