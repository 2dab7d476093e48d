"""Gymnasium's own checker over every id of ours in its registry: a new id is tested on arrival."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from graph_worlds import GraphWorld
from gymnasium.utils.env_checker import check_env

import envs  # noqa: F401 (registers the ids)
from envs.registry import WORLDS, WORLDS_FOLDER, gymnasium_id
from envs.world import open_world

IDS = sorted(env_id for env_id in gymnasium.registry if env_id.startswith("groundwalk/"))
GIVEN = ("groundwalk/PDDL-v0", "groundwalk/World-v0")


def arguments(env_id: str, folder: Path) -> dict[str, Any]:
    """What an id that stands for whatever it is given needs."""
    if env_id == "groundwalk/PDDL-v0":
        return {"path": _folder(folder / "mine")}
    if env_id == "groundwalk/World-v0":
        return {"world": GraphWorld({0: {"(go)": 1}, 1: {"(back)": 0, "(on)": 2}}, goal=2)}
    return {}


def test_every_built_in_world_has_its_id_and_no_two_share_one() -> None:
    assert {gymnasium_id(world) for world in WORLDS} | set(GIVEN) == set(IDS)
    assert len({gymnasium_id(world) for world in WORLDS}) == len(WORLDS)


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_checker_passes_without_a_warning(env_id: str, tmp_path: Path) -> None:
    made = gymnasium.make(env_id, **arguments(env_id, tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_a_time_limit_and_a_random_walk_within_the_spaces(env_id: str, tmp_path: Path) -> None:
    env = gymnasium.make(env_id, max_episode_steps=10, **arguments(env_id, tmp_path))
    observation, info = env.reset(seed=1)
    ended = False
    for _ in range(10):
        assert env.observation_space.contains(observation)
        if ended:
            break
        observation, _, terminated, truncated, info = env.step(info["applicable"][-1])
        ended = terminated or truncated
    assert ended


def _folder(folder: Path) -> Path:
    folder.mkdir()
    for name in ("domain.pddl", "domain.nl", "words.json", "p01.pddl"):
        (folder / name).write_text(
            (WORLDS_FOLDER / "grippers" / name).read_text(encoding="utf-8"), encoding="utf-8"
        )
    (folder / "p01.md").write_text("Four balls.", encoding="utf-8")
    (folder / "notes.rst").write_text("not of this world", encoding="utf-8")
    return folder


def test_a_folder_anywhere_is_an_environment_and_extra_files_are_ignored(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "mine")
    env = gymnasium.make("groundwalk/PDDL-v0", path=str(folder))
    _, info = env.reset(seed=0)
    assert info["applicable"] == open_world("grippers", 1).applicable()
    assert env.unwrapped.world.task == "Four balls."


def test_a_folder_of_pddl_alone_is_an_environment(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "mine")
    for text in ("domain.nl", "p01.nl", "p01.md", "p01.txt", "words.json"):
        (folder / text).unlink(missing_ok=True)
    env = gymnasium.make("groundwalk/PDDL-v0", path=folder)
    _, info = env.reset(seed=0)
    assert info["applicable"] == open_world("grippers", 1).applicable()
    assert (env.unwrapped.world.description, env.unwrapped.world.task) == ("", "")
