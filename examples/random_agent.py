"""A random agent: `python examples/random_agent.py [groundwalk/Termes-v0 [EPISODES]]`."""

import sys

import gymnasium
import numpy as np
from episode import run_episode

import envs  # noqa: F401 (registers the worlds)


class RandomAgent:
    """Takes any applicable operator, each with the same probability."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def act(self, observation, info):
        """One of the operators that may run now."""
        return info["applicable"][int(self._rng.random() * len(info["applicable"]))]

    def learn(self, *experience):
        """Nothing."""


def main(env_id="groundwalk/Grippers-v0", episodes=5):
    """Print what became of some episodes."""
    env = gymnasium.make(env_id, max_episode_steps=1000)
    for seed in range(int(episodes)):
        print(run_episode(env, RandomAgent(seed), seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
