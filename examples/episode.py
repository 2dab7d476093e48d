"""The loop that every agent here runs: one episode in a Gymnasium environment.

An agent answers `act(observation, info)` with an action, and may look at what came of it in `learn`. The
environments are those of groundwalk: an episode ends at the goal, in a dead end, or at the time limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium


class Agent(Protocol):
    """Anything that acts."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """The next action. `info` holds "applicable" (operator texts) or "action_mask" (0 or 1 each)."""
        ...

    def learn(self, observation: Any, info: dict[str, Any], action: Any, reward: float, final: bool) -> None:
        """What `action` led to; `final` says that nothing can follow it."""
        ...


@dataclass(frozen=True)
class Episode:
    """What became of one episode."""

    steps: int
    refused: int  #: how many of the steps the environment refused
    solved: bool


def run_episode(env: gymnasium.Env[Any, Any], agent: Agent, seed: int | None = None) -> Episode:
    """Reset, then act until the episode ends."""
    observation, info = env.reset(seed=seed)
    steps, refused, ended = 0, 0, bool(info["goal_reached"] or info["dead_end"])
    while not ended:
        action = agent.act(observation, info)
        observation, reward, terminated, truncated, info = env.step(action)
        agent.learn(observation, info, action, float(reward), terminated)
        steps += 1
        refused += not info["executable"]
        ended = terminated or truncated
    return Episode(steps, refused, bool(info["goal_reached"]))
