"""`learn` and `repair` on simulators: what they find holds on other seeds, and its plans work there.

What a job needs that a simulator has not (rules in PDDL), it says before it begins.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulator_models import DOORS, LAKE, TAXI, WRONG_DOORS, WRONG_LAKE, WRONG_TAXI, problem_of

from agents.operators.exploration import Exploration, Explorer, explore
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import domain_of
from agents.operators.turns import learn_in_turns
from agents.repair.repair import repair
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from envs.pddl.traces.trace import Traces
from envs.world import open_world
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of
from experiments.run import main
from experiments.runs.seeds import stream

TAXI_WORLD, LAKE_WORLD = "toytext:Taxi", "toytext:FrozenLake"


def holds_in(env: str, domain: str, *tasks: int | str) -> None:
    """The model agrees with the world in each task, and its plan works there."""
    for task in tasks:
        world, problem = open_world(env, task), problem_of(env, task)
        model = compile_task(read_problem(problem, read_domain(domain)))
        score = ew_score(transitions_of(world), model, np.random.default_rng(0)).score
        assert score is not None and score >= 0.99
        plan = Planner().plan(domain, problem).plan
        assert plan is not None and world.verify(plan).valid, (task, plan)


@pytest.mark.parametrize(
    ("env", "domain"),
    [
        pytest.param(TAXI_WORLD, TAXI, marks=pytest.mark.slow),
        (LAKE_WORLD, LAKE),
        ("minigrid:KeyCorridorS3R1", DOORS),
    ],
)
def test_a_right_model_agrees_with_its_simulator(env: str, domain: str) -> None:
    holds_in(env, domain, 2)


@pytest.mark.slow
@pytest.mark.parametrize("env", ["minigrid:DoorKey-5x5", "minigrid:UnlockPickup", "toytext:CliffWalking"])
def test_right_models_of_the_other_simulators_agree(env: str) -> None:
    from simulator_models import CLIFF

    holds_in(env, CLIFF if env.startswith("toytext") else DOORS, 1, "f02")


@pytest.mark.parametrize(
    ("env", "domain", "edit"),
    [
        pytest.param(
            *(TAXI_WORLD, WRONG_TAXI, "add (stand ?c) to the precondition of drop-off"),
            marks=pytest.mark.slow,
        ),
        (LAKE_WORLD, WRONG_LAKE, "add (ice ?from) to the precondition of move-south"),
    ],
)
def test_a_repaired_model_holds_on_other_seeds(env: str, domain: str, edit: str) -> None:
    given = read_problem(problem_of(env, 1), read_domain(domain))
    found = repair(
        [RepairTask(open_world(env, 1), given)], np.random.default_rng(0), RepairConfig(planner=Planner())
    )
    assert edit in found.described
    holds_in(env, found.domain, 2, "f01")


@pytest.mark.slow
@pytest.mark.parametrize("env", ["minigrid:DoorKey-5x5", "minigrid:KeyCorridorS3R1"])
def test_a_door_that_no_key_opens_is_repaired_in_several_tasks(env: str) -> None:
    domain = read_domain(WRONG_DOORS)
    tasks = ("f01", "f02", "f03")
    given = [RepairTask(open_world(env, task), read_problem(problem_of(env, task), domain)) for task in tasks]
    found = repair(given, np.random.default_rng(0), RepairConfig(planner=Planner(), wall_s=600))
    assert found.verdict.agrees and found.structural
    holds_in(env, found.domain, 1, 2, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("env", "tasks"), [(TAXI_WORLD, (1,)), (LAKE_WORLD, (1, 2, 3, 4, 5))])
def test_a_learned_model_holds_on_other_seeds(env: str, tasks: tuple[int, ...]) -> None:
    walks = Exploration(walks=100, length=20)
    seen = [explore(open_world(env, task), np.random.default_rng(task), walks)[0] for task in tasks]
    traces = Traces(seen[0].vocabulary, tuple(each for one in seen for each in one.traces), ())
    holds_in(env, domain_of(traces.vocabulary, learn_operators(traces)), 6, "f01", "g1")


@pytest.mark.slow
@pytest.mark.parametrize("env", ["minigrid:UnlockPickup", "minigrid:KeyCorridorS3R1"])
def test_doors_keys_and_locks_are_learned_in_turns(env: str) -> None:
    streams = ((task, stream(0, "learn", env, task)) for task in ("f01", "f02", "f03"))
    explorers = [Explorer(open_world(env, task), rng, Exploration()) for task, rng in streams]
    operators = learn_in_turns(explorers, Bias.LEAN)
    assert not any(operator.unexplained for operator in operators)
    holds_in(env, domain_of(explorers[0].vocabulary, operators, "minigrid"), 1, 2, 3)


def test_toggle_is_reported_as_not_explained_after_few_walks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--tasks", "1", "--turns", "1", "--walks", "3"]
    arguments = ["learn", "--env", "minigrid:KeyCorridorS3R1", *few, "--out", str(tmp_path / "o")]
    assert main(arguments) == 1
    printed = capsys.readouterr().out
    assert "toggle" in printed and "no operator leads from state to state" in printed
    unexplained = [line for line in printed.splitlines() if "no operator leads" in line]
    assert not any("turn-left" in line or "pick-up" in line for line in unexplained)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["repair", "--env", "minigrid:DoorKey-5x5", "--break", "2"],
            "give a model with --domain and --prob",
        ),
        (["study-removal", "--env", "toytext:Taxi"], "has no rules in PDDL, which this study needs"),
        (["learn", "--env", "toytext:Tacsi"], "or a simulator, toytext:Taxi"),
    ],
)
def test_a_job_says_at_once_what_it_needs(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
