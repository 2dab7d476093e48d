"""Copies of an environment that step together, in this process and in others; time limits."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from wide import wide

from envs.vector import make_vec

NUMBERS = {"action_interface": "discrete", "observation": "facts"}


def _first_applicable(infos: dict[str, Any], words: bool) -> Any:
    if words:
        return tuple(applicable[0] for applicable in infos["applicable"])
    return infos["action_mask"].argmax(axis=1)


def _trajectory(vector: VectorEnv, steps: int, words: bool) -> list[Any]:
    observations, infos = vector.reset(seed=3)
    seen = [observations]
    for _ in range(steps):
        observations, rewards, ended, truncated, infos = vector.step(_first_applicable(infos, words))
        seen.append([observations, rewards, ended, truncated, infos["dead_end"]])
    vector.close()
    return seen


@pytest.mark.parametrize("interface", wide(["words", "numbers"], "words"))
def test_copies_in_processes_do_what_copies_in_this_process_do(interface: str) -> None:
    """Text that is longer than shared memory would hold comes through whole."""
    arguments: dict[str, Any] = {} if interface == "words" else NUMBERS
    copies = [
        make_vec("groundwalk/Termes-v0", 2, processes=processes, time_limit=4, problem=3, **arguments)
        for processes in (True, False)
    ]
    assert [type(c) for c in copies] == [AsyncVectorEnv, SyncVectorEnv]
    apart, together = (_trajectory(c, 6, words=interface == "words") for c in copies)
    assert repr(apart) == repr(together)
    if interface == "words":
        alone, _ = gymnasium.make("groundwalk/Termes-v0", problem=3).reset(seed=0)
        assert apart[0] == (alone, alone)


def test_masks_of_all_copies_are_what_the_action_space_samples_with() -> None:
    vector = make_vec("groundwalk/Blocksworld-v0", 3, **NUMBERS)
    _, infos = vector.reset(seed=0)
    vector.action_space.seed(0)
    for _ in range(20):
        actions = vector.action_space.sample(mask=tuple(infos["action_mask"]))
        assert infos["action_mask"][np.arange(3), actions].all()
        *_, infos = vector.step(actions)
        assert infos["executable"].all()


@pytest.mark.parametrize("limit", [1, 5])
def test_a_time_limit_truncates_and_does_not_terminate(limit: int) -> None:
    env = gymnasium.make("groundwalk/Grippers-v0", max_episode_steps=limit)
    _, info = env.reset()
    for step in range(1, limit + 1):
        _, _, terminated, truncated, info = env.step(info["applicable"][0])
        assert (terminated, truncated) == (False, step == limit)
