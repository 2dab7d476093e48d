"""Several copies of an environment that step together.

Gymnasium's own `make_vec` hands text over through shared memory when copies run in processes, which cuts it
off or fails; and it forks by default where it can. `make_vec` here chooses neither.

    vector = make_vec("groundwalk/Grippers-v0", 8, action_interface="discrete", observation="facts",
                      time_limit=100)
    _, infos = vector.reset(seed=0)
    actions = vector.action_space.sample(mask=tuple(infos["action_mask"]))
    observations, rewards, terminations, truncations, infos = vector.step(actions)

What an environment puts in its info comes as an array over the copies: `infos["action_mask"]` has shape
(copies, operators), and `infos["applicable"]` is an array of tuples of texts. An episode that ended is reset
by the next step, whose action is then ignored (Gymnasium's `AutoresetMode.NEXT_STEP`).
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.vector import VectorEnv


def make_vec(
    env_id: str, copies: int, *, processes: bool = False, time_limit: int | None = None, **arguments: Any
) -> VectorEnv[Any, Any, Any]:
    """`copies` of the environment `env_id`, each made with `arguments`, all of one problem.

    `processes` runs each in a process of its own, which pays if a step takes longer than sending its result.
    `time_limit` truncates episodes after so many steps (Gymnasium's TimeLimit). Raises what the environment
    raises.
    """
    return gym.make_vec(
        env_id,
        copies,
        vectorization_mode="async" if processes else "sync",
        vector_kwargs={"shared_memory": False, "context": "spawn"} if processes else {},
        max_episode_steps=time_limit,
        **arguments,
    )
