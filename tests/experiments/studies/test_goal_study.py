"""Completed goals against a list of all reachable states, on a small task of every world."""

from dataclasses import replace

import numpy as np
import pytest

from envs.pddl.equivalence.goals.consequences import Consequences, SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Exactness
from envs.pddl.planning.planner import Planner
from envs.registry import WORLDS_FOLDER
from experiments.studies.goal_completion import (
    SMALL_SIZES,
    listed,
    main,
    random_goal,
    small_problem,
    study_pairs,
    study_world,
)

GOALS = 40


def test_every_world_has_a_small_task():
    assert SMALL_SIZES.keys() == {path.name for path in WORLDS_FOLDER.iterdir() if path.is_dir()}


#: Worlds with types, with static facts, and with numbers that objects stand for.
FEW_WORLDS = ("blocksworld", "grippers", "logistics", "miconic_ood", "termes")


@pytest.mark.parametrize(
    "world",
    [pytest.param(name, marks=() if name in FEW_WORLDS else pytest.mark.slow) for name in SMALL_SIZES],
)
def test_completed_goals_are_sound_and_what_is_called_exact_is(world):
    tally = study_world(world, GOALS, np.random.default_rng(3))
    assert tally.states < 4000
    assert (tally.goals, tally.wrong) == (GOALS, 0)
    assert tally.complete >= GOALS / 3  # the invariants know most of it


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["blocksworld", "gripper"])
def test_pairs_are_judged_alike_by_the_rules_and_without_them(domain):
    found = study_pairs(domain, 30, np.random.default_rng(5))
    assert found.pairs == 30 and found.wrong == found.incomplete == 0
    assert min(found.equivalent, found.different) > 5


@pytest.mark.parametrize("world", ["movie", pytest.param("hiking", marks=pytest.mark.slow)])
def test_a_planner_makes_exact_what_few_states_leave_open(world):
    rng = np.random.default_rng(1)
    cases = listed(small_problem(world, rng))
    few = Means(by_rules=False, max_states=3, wall_s=3600)
    without = Derivation(cases.problem, replace(few, planner=None))
    helped = Derivation(cases.problem, replace(few, planner=Planner()))
    asked = 0
    while asked < 2:
        goal = random_goal(cases, rng, negations=bool(asked))
        if without.complete(goal).exactness is Exactness.SOUND:
            asked += 1
            completed = helped.complete(goal)
            assert (completed.exactness, completed.goal) == (Exactness.EXACT, cases.implied(goal))


def test_a_goal_that_takes_too_long_is_counted_and_not_called_wrong(monkeypatch):
    def never(*_):
        raise SolvingTooLong("too long")

    monkeypatch.setattr(Consequences, "of", never)
    tally = study_world("hiking", 4, np.random.default_rng(0))
    assert (tally.goals, tally.slow, tally.exact, tally.wrong) == (4, 4, 0, 0)


def test_the_command_shows_a_table(capsys):
    assert main(["worlds", "--goals", "4", "--env", "movie", "gripper"]) == 0
    assert main(["pairs", "--pairs", "4"]) == 0
    assert "incomplete" in capsys.readouterr().out
