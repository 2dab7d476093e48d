"""Tabular Q-learning with action masks: `python examples/q_learning.py [--episodes 300] [--seed 0]`.

The learner knows nothing of PDDL: a state is the bytes of the fact observation, an action an index, and only
what `info["action_mask"]` allows is ever tried or bootstrapped from. It learns to bring two balls of a
`grippers` task of its own, smaller than those that come with the world: one robot, three rooms, two balls.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from episode import Episode, run_episode
from numpy.typing import NDArray

import envs  # noqa: F401 (registers the worlds)
from envs.registry import WORLDS_FOLDER

TASK = """(define (problem small) (:domain gripper-strips)
  (:objects robot1 - robot  lgripper1 rgripper1 - gripper  room1 room2 room3 - room  ball1 ball2 - obj)
  (:init (at-robby robot1 room1) (free robot1 lgripper1) (free robot1 rgripper1)
         (at ball1 room2) (at ball2 room2))
  (:goal (and (at ball1 room3) (at ball2 room3))))"""


class QLearner:
    """Q-learning with an epsilon-greedy policy over the applicable actions."""

    def __init__(self, actions: int, rng: np.random.Generator, *, rate: float = 0.5, discount: float = 0.95):
        self._rng, self._rate, self._discount = rng, rate, discount
        self._actions = actions
        self._values: dict[bytes, NDArray[np.float64]] = {}
        self._state = b""
        self.epsilon = 1.0  #: the share of random actions

    def act(self, observation: NDArray[np.int8], info: dict[str, Any]) -> int:
        """A random applicable action with probability epsilon, else one of the best known."""
        self._state = observation.tobytes()
        allowed = np.flatnonzero(info["action_mask"])
        if self._rng.random() >= self.epsilon:
            values = self._of(self._state)[allowed]
            allowed = allowed[values == values.max()]
        return int(allowed[int(self._rng.random() * len(allowed))])

    def learn(
        self, observation: NDArray[np.int8], info: dict[str, Any], action: int, reward: float, final: bool
    ) -> None:
        """Move the value of what was done towards the reward and the best that may follow."""
        best = 0.0 if final else self._of(observation.tobytes())[info["action_mask"] == 1].max()
        values = self._of(self._state)
        values[action] += self._rate * (reward + self._discount * best - values[action])

    def _of(self, state: bytes) -> NDArray[np.float64]:
        return self._values.setdefault(state, np.zeros(self._actions))


def small_task(folder: Path) -> gymnasium.Env[Any, Any]:
    """The environment of TASK, in a world's folder written to `folder`."""
    domain = (WORLDS_FOLDER / "grippers" / "domain.pddl").read_text(encoding="utf-8")
    texts = {"domain.pddl": domain, "p01.pddl": TASK, "domain.nl": "Grippers.", "p01.nl": "Bring both balls."}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return gymnasium.make(
        "groundwalk/PDDL-v0",
        path=folder,
        action_interface="discrete",
        observation="facts",
        max_episode_steps=200,
    )


def train(env: gymnasium.Env[Any, Any], episodes: int, seed: int) -> tuple[list[Episode], Episode]:
    """The learning curve, epsilon falling from 1 to 0 over the first two thirds, and a greedy episode."""
    learner = QLearner(int(env.action_space.n), np.random.default_rng(seed))  # type: ignore[attr-defined]
    curve = []
    for number in range(episodes):
        learner.epsilon = max(0.0, 1.0 - 1.5 * number / episodes)
        curve.append(run_episode(env, learner, seed))
    learner.epsilon = 0.0
    return curve, run_episode(env, learner, seed)


def main(arguments: Sequence[str] | None = None) -> Episode:
    """Train, print the curve in ten lines, and return what the learned policy does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="groundwalk-q-") as folder:
        curve, learned = train(small_task(Path(folder)), options.episodes, options.seed)
    width = max(1, options.episodes // 10)
    for start in range(0, len(curve), width):
        part = curve[start : start + width]
        steps = sum(episode.steps for episode in part) / len(part)
        print(f"episodes {start + 1:4}-{start + len(part):4}: {steps:6.1f} steps  {'#' * round(steps / 4)}")
    print(f"learned: {'solved' if learned.solved else 'not solved'} in {learned.steps} steps")
    return learned


if __name__ == "__main__":
    main()
