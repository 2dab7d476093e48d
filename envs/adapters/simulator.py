"""A Gymnasium environment that is counted, set back, and kept where it can be copied."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import data_equivalence

Env = gym.Env[Any, Any]
#: What keeps the state of an environment, and what sets it to such a state again.
Keep = tuple[Callable[[Any], Any], Callable[[Any, Any], None]]

#: Up to so many primitive actions are played to see whether an environment set back goes on as before.
_PLAYED = 8
#: What an environment raises where it cannot be copied, or stepped, as after the end of an episode.
FAULTS = (
    TypeError, ValueError, AttributeError, LookupError, RuntimeError, AssertionError, ArithmeticError,
    gym.error.Error,
)  # fmt: skip


class Simulator(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose steps and resets are counted, and whose state is kept where that can be done."""

    def __init__(self, env: Env, seed: int, keep: Keep | None = None, *, copies: bool = True):
        """`keep` says how its state is kept; without it, `copies` tries `copy.deepcopy`.

        Raises ValueError if the environment goes on in another way after `keep` has set it back.
        """
        super().__init__(env)
        self._seed, self._keep = seed, keep
        self.keeps = (copies or keep is not None) and self._goes_on_alike()
        if keep is not None and not self.keeps:
            raise ValueError("the environment goes on in another way after `keep` has set it back")
        self.steps = self.resets = 0
        self.start()

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step of the environment."""
        self.steps += 1
        return self.env.step(action)

    def start(self) -> None:
        """Reset to the initial state: the same one each time, as the seed is."""
        self.resets += 1
        self.env.reset(seed=self._seed)

    def save(self) -> Any:
        """The current state, which later steps do not change."""
        return deepcopy(self.env) if self._keep is None else self._keep[0](self.env)

    def load(self, state: Any) -> None:
        """Make a state that `save` returned the current one."""
        if self._keep is None:
            self.env = deepcopy(state)
        else:
            self._keep[1](self.env, state)

    def _goes_on_alike(self) -> bool:
        """Whether the environment, played on and set back, does the same again, whatever the length."""
        try:
            return all(self._set_back(length) for length in range(1, _PLAYED + 1))
        except FAULTS:
            return False

    def _set_back(self, length: int) -> bool:
        self.env.reset(seed=self._seed)
        saved = self.save()
        first = self._played(length)
        self.load(saved)
        return data_equivalence(first, self._played(length))

    def _played(self, length: int) -> tuple[Any, ...]:
        """What the environment answers to some actions, up to the end of its episode."""
        actions, seen = deepcopy(self.env.action_space), []
        actions.seed(length)
        for _ in range(length):
            observation, reward, terminated, truncated, _ = self.env.step(actions.sample())
            seen.append((deepcopy(observation), np.asarray(reward, np.float64), bool(terminated)))
            if terminated or truncated:
                break
        return tuple(seen)
