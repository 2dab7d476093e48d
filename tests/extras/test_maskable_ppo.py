"""MaskablePPO of sb3-contrib trains on a simulator without a wrapper of ours."""

from __future__ import annotations

import gymnasium
import pytest

import envs  # noqa: F401 (registers groundwalk/World-v0)

pytestmark = pytest.mark.extras


def test_maskable_ppo_trains_and_never_takes_what_masks_forbid() -> None:
    sb3 = pytest.importorskip("sb3_contrib")
    masking = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = gymnasium.make(
        "groundwalk/World-v0",
        world="toytext:FrozenLake",
        action_interface="discrete",
        observation="facts",
        on_invalid="raise",  # a masked action would end the training
        max_episode_steps=50,
    )
    model = sb3.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, seed=0)
    assert masking.is_masking_supported(model.get_env())
    model.learn(256)
    observation, _ = env.reset(seed=0)
    action, _ = model.predict(observation, action_masks=env.get_wrapper_attr("action_masks")())
    assert env.step(int(action))[4]["executable"]
