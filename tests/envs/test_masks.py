"""What MaskablePPO of sb3-contrib asks of an environment: `action_masks()`, through wrappers and vectors."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import envs  # noqa: F401 (registers the worlds)
from envs.environment import SurfaceEnv
from envs.vector import make_vec

KINDS = pytest.mark.parametrize(
    ("env_id", "more"),
    [
        ("groundwalk/Grippers-v0", {}),
        ("groundwalk/World-v0", {"world": "toytext:Taxi"}),
        ("groundwalk/World-v0", {"world": "grippers"}),
    ],
)


@KINDS
def test_masks_allow_exactly_what_runs(env_id: str, more: dict[str, str]) -> None:
    env = gymnasium.make(
        env_id, action_interface="discrete", observation="facts", max_episode_steps=50, **more
    )
    _, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(5):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == np.bool_ and masks.shape == (env.action_space.n,)  # type: ignore[attr-defined]
        assert (masks == info["action_mask"]).all()
        forbidden, allowed = np.flatnonzero(~masks), np.flatnonzero(masks)
        assert not env.step(int(forbidden[0]))[4]["executable"]
        observation, *_, info = env.step(int(allowed[int(rng.random() * len(allowed))]))
        assert info["executable"] and env.observation_space.contains(observation)


@KINDS
def test_copies_that_step_together_have_masks(env_id: str, more: dict[str, str]) -> None:
    vector = make_vec(env_id, 2, action_interface="discrete", observation="facts", **more)
    vector.reset(seed=0)
    masks = np.stack(vector.call("action_masks"))
    assert masks.shape[0] == 2 and masks.any(axis=1).all()


def test_masks_need_indices_and_a_state() -> None:
    with pytest.raises(TypeError, match="action_interface='discrete'"):
        SurfaceEnv("toytext:Taxi").action_masks()
    env = SurfaceEnv("toytext:Taxi", action_interface="discrete")
    with pytest.raises(ResetNeeded):
        env.action_masks()
    env.reset()
    with pytest.raises(TypeError, match="an index into"):
        env.step("(move-north cell-0-0 cell-0-1)")
    assert env.step(10**6)[4]["reason"] == "unknown_name"


def test_states_without_facts_cannot_be_observed_as_facts() -> None:
    from graph_worlds import GraphWorld

    with pytest.raises(TypeError, match="does not show its states"):
        SurfaceEnv(GraphWorld({0: {"(a)": 0}}), observation="facts")
    env = SurfaceEnv(GraphWorld({0: {"(a)": 0}}), action_interface="discrete")
    env.reset()
    assert env.action_masks().tolist() == [True]
