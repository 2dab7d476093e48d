"""Worlds of other packages: a small distribution, installed for the test, is found by its entry point."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from graph_worlds import GraphWorld
from gymnasium.utils.env_checker import check_env

from envs.environment import OperatorRefused, SurfaceEnv, WorldEnv, open_environment
from envs.pddl.interface import BatchedWorld, NamesConstants, Refusal, ShowsStates
from envs.plugins import BrokenPlugin, is_plugin, open_plugin, plugin_names
from envs.source import WorldNotFound
from envs.world import open_world
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of
from experiments.config import ConfigError, RunConfig
from experiments.driver.preflight import check_names
from experiments.evaluation.solve import PlanRunner

LAMP = '''
from envs.pddl.interface import ActionSignature, Execution, Parameter, PlanVerdict, Refusal

class Lamp:
    """Lamps, each of which can be switched on once it is plugged in."""
    name, description = "lamp", "A lamp can be plugged in, and switched on once it is plugged in."
    types = {"lamp": None}
    actions = tuple(ActionSignature(n, (Parameter("?l", "lamp"),)) for n in ("plug-in", "switch-on"))
    def __init__(self, problem):
        if problem not in (1, 2):
            raise LookupError("there are tasks 1 and 2")
        self.objects = {f"lamp{i}": "lamp" for i in range(1, problem + 1)}
        self.task = "Make all lamps shine. There are: " + ", ".join(self.objects)
    def _next(self, walk, lamp):
        done = [o for o in ("plug-in", "switch-on") if f"({o} {lamp})" in walk]
        return ("plug-in", "switch-on")[len(done):][:1]
    def applicable(self, walk=()):
        return tuple(sorted(f"({name} {lamp})" for lamp in self.objects for name in self._next(walk, lamp)))
    def executable(self, walk):
        for steps, text in enumerate(walk):
            if text not in self.applicable(walk[:steps]):
                known = text.strip("()").split()[0] in ("plug-in", "switch-on")
                return Execution(steps, Refusal.NOT_EXECUTABLE if known else Refusal.UNKNOWN_NAME)
        return Execution(len(walk))
    def verify(self, plan):
        execution = self.executable(plan)
        return PlanVerdict(execution, all(f"(switch-on {l})" in plan[:execution.steps] for l in self.objects))
    def describe(self, walk=()):
        return f"{sum(o.startswith('(switch-on') for o in walk)} lamps shine."

open_lamp = Lamp
def open_nothing(problem):
    return object()
'''
ENTRIES = """[groundwalk.worlds]
lamp = lamp_worlds:open_lamp
nothing = lamp_worlds:open_nothing
absent = lamp_worlds:no_such_name
grippers = lamp_worlds:open_lamp
"""
PLAN = ("(plug-in lamp1)", "(switch-on lamp1)")


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution `lamp-worlds` with a module and its metadata, on the path like any installed one."""
    site = tmp_path / "site"
    metadata = site / "lamp_worlds-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "lamp_worlds.py").write_text(LAMP, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lamp-worlds\nVersion: 1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))


def test_worlds_of_installed_packages_are_listed_and_open_by_name() -> None:
    assert {"lamp", "nothing", "absent"} <= set(plugin_names())
    assert open_world("lamp").applicable() == ("(plug-in lamp1)",)
    assert len(open_world("lamp", 2).objects) == 2
    assert not is_plugin("lamb")


def test_a_built_in_world_is_never_taken_for_another_packages() -> None:
    assert "room1" in open_world("grippers").objects


def test_what_is_wrong_with_a_packages_world_is_said_with_the_packages_name() -> None:
    with pytest.raises(WorldNotFound, match="there are tasks 1 and 2"):
        open_world("lamp", 3)
    with pytest.raises(WorldNotFound, match="has no variant '\\+compact'"):
        open_world("lamp+compact")
    with pytest.raises(BrokenPlugin, match=r"nothing.*package lamp-worlds.*lacks name, description"):
        open_world("nothing")
    with pytest.raises(BrokenPlugin, match=r"absent.*cannot be imported"):
        open_world("absent")
    with pytest.raises(WorldNotFound, match="no installed package"):
        open_plugin("lamb", 1)
    error = pickle.loads(pickle.dumps(BrokenPlugin("why")))  # noqa: S301 (what this test wrote itself)
    assert str(error) == "why"


def test_two_packages_with_one_name_are_both_named(tmp_path: Path) -> None:
    second = tmp_path / "site" / "other_lamps-2.0.dist-info"
    second.mkdir()
    (second / "METADATA").write_text("Metadata-Version: 2.1\nName: other-lamps\nVersion: 2.0\n", "utf-8")
    (second / "entry_points.txt").write_text("[groundwalk.worlds]\nlamp = elsewhere:lamp\n", "utf-8")
    with pytest.raises(BrokenPlugin, match=r"lamp-worlds.*other-lamps|other-lamps.*lamp-worlds"):
        open_world("lamp")


def test_a_packages_world_is_walked_like_any_other() -> None:
    system = transitions_of(open_world("lamp", 2))
    score = ew_score(system, system, np.random.default_rng(0))
    assert score.score == 1.0 and score.world_queries > 1


def test_the_main_job_knows_the_names_of_packages_worlds() -> None:
    assert check_names(RunConfig(env=("lamp", "grippers"))).env == ("lamp", "grippers")
    with pytest.raises(ConfigError, match="lamp"):
        check_names(RunConfig(env=("lamb",)))


def test_a_plan_is_tried_in_a_packages_world() -> None:
    assert PlanRunner("lamp")(1, PLAN).solved
    rejected = PlanRunner("lamp")(1, PLAN[1:])
    assert (rejected.outcome.value, rejected.failed_step) == ("step_rejected", 1)


def test_a_packages_world_can_go_without_its_description_and_stays_what_it_is() -> None:
    world, silent = open_world("lamp", 2), open_world("lamp+undocumented", 2)
    assert silent.description == open_world("grippers+undocumented").description != world.description
    assert (silent.name, silent.task, silent.objects) == (world.name, world.task, world.objects)
    assert silent.applicable(PLAN[:1]) == world.applicable(PLAN[:1])
    reopened = pickle.loads(pickle.dumps(silent))  # noqa: S301
    assert (reopened.description, reopened.task) == (silent.description, silent.task)
    for optional in (ShowsStates, NamesConstants, BatchedWorld):
        assert isinstance(silent, optional) == isinstance(world, optional)
    assert PlanRunner("lamp+undocumented")(1, PLAN).solved


def test_a_packages_world_without_paragraphs_on_actions_cannot_be_outlined() -> None:
    with pytest.raises(WorldNotFound, match=r"world 'lamp' cannot be outlined: .* leave out \+outlined"):
        open_world("lamp+outlined")


def test_optional_protocols_of_a_packages_world_are_kept_without_its_description(tmp_path: Path) -> None:
    shows = """
class Seen(Lamp):
    predicates = {"shines": (("?l", "lamp"),)}
    goal = "(shines lamp1)"
    def facts(self, walk=()):
        return frozenset()
"""
    site = tmp_path / "site"
    (site / "lamp_worlds.py").write_text(LAMP + shows, encoding="utf-8")
    entries = site / "lamp_worlds-1.0.dist-info" / "entry_points.txt"
    entries.write_text(ENTRIES + "seen = lamp_worlds:Seen\n", encoding="utf-8")
    sys.modules.pop("lamp_worlds", None)
    silent = open_world("seen+undocumented")
    assert isinstance(silent, ShowsStates) and silent.goal == "(shines lamp1)"


# --- any World as an environment ---


def test_the_environment_of_a_name_is_the_one_that_suits_it() -> None:
    assert type(open_environment("lamp")) is SurfaceEnv
    assert type(open_environment("grippers")) is WorldEnv


def test_gymnasiums_checker_passes_on_a_packages_world() -> None:
    check_env(gymnasium.make("groundwalk/World-v0", world="lamp").unwrapped)


def test_an_episode_goes_from_reset_to_the_goal() -> None:
    env = gymnasium.make("groundwalk/World-v0", world="lamp", render_mode="ansi")
    observation, info = env.reset(seed=0)
    assert (observation, info["applicable"], info["dead_end"]) == ("0 lamps shine.", PLAN[:1], False)
    env.step(" (Plug-In LAMP1) ")
    observation, reward, terminated, truncated, info = env.step(PLAN[1])
    assert (observation, reward, terminated, truncated) == ("1 lamps shine.", 1.0, True, False)
    assert info["goal_reached"] and env.render() == "1 lamps shine."


def test_refusals_are_those_of_the_worlds_own_answer_and_change_nothing() -> None:
    env = SurfaceEnv("lamp")
    before, _ = env.reset()
    for action, refusal in {
        "(switch-on lamp1)": "not_executable",
        "(eat)": "unknown_name",
        "((": "unknown_name",
    }.items():
        after, reward, terminated, _, info = env.step(action)
        assert (after, reward, terminated, info["reason"]) == (before, 0.0, False, refusal)
    strict = SurfaceEnv("lamp", on_invalid="raise")
    strict.reset()
    with pytest.raises(OperatorRefused) as caught:
        strict.step("(switch-on lamp1)")
    assert caught.value.refusal is Refusal.NOT_EXECUTABLE
    final = SurfaceEnv("lamp", on_invalid="terminate")
    final.reset()
    assert final.step("(switch-on lamp1)")[2]


def test_a_dead_end_ends_the_episode() -> None:
    env = SurfaceEnv(GraphWorld({0: {"(fall)": 1}}, goal=5))
    env.reset()
    _, _, terminated, _, info = env.step("(fall)")
    assert terminated and info["dead_end"] and info["applicable"] == ()


def test_a_name_can_change_its_problem_and_an_object_cannot() -> None:
    env = SurfaceEnv("lamp")
    _, info = env.reset(options={"problem": 2})
    assert len(info["applicable"]) == 2
    with pytest.raises(ValueError, match="handed over as an object"):
        SurfaceEnv(GraphWorld({0: {"(a)": 0}})).reset(options={"problem": 2})
    with pytest.raises(ValueError, match="'problem' only, not speed"):
        env.reset(options={"speed": 1})
