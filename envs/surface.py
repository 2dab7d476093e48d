"""Any World as a Gymnasium environment, whatever stands behind it.

    gymnasium.make("groundwalk/World-v0", world=Lamp())          # an object with the World surface
    gymnasium.make("groundwalk/World-v0", world="lamp")          # a world of another package, by its name

The text interface of `envs.environment`, with the same infos, rewards, refusals and ends of episodes, built
from nothing but `applicable`, `executable`, `verify` and `describe`. The state is the walk since the reset,
so a step costs as much as the world takes to answer for the whole walk. A PDDL world has a faster environment
of its own with more to choose from; `open_environment` takes whichever suits a world's name.
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Text

from envs.environment import CHARACTERS, LONGEST_ACTION, OperatorRefused, WorldEnv, check_choices
from envs.pddl.interface import Refusal, ShowsStates, World
from envs.pddl.language.operators import format_operator, parse_operator
from envs.world import PddlWorld, open_world

#: A world's states are described in no more characters than this, unless it is told otherwise.
LONGEST_OBSERVATION = 10_000


class SurfaceEnv(gym.Env[str, str]):
    """One task of a World, acted in by operator texts. See the module's text for the interface."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium declares it so)

    def __init__(
        self,
        world: World | str,
        problem: int | str = 1,
        *,
        on_invalid: Literal["info", "raise", "terminate"] = "info",
        render_mode: Literal["ansi"] | None = None,
        characters: str = "",
        longest: int = LONGEST_OBSERVATION,
    ):
        """`problem` counts for a world's name only.

        `characters` and `longest` widen the observation space: characters of states in words that are in
        none of the world's other texts, and how many a state may take.
        """
        check_choices(on_invalid=on_invalid, render_mode=render_mode)
        self.render_mode = render_mode
        self._on_invalid = on_invalid
        self._name = world if isinstance(world, str) else None
        self._characters, self._longest = characters, longest
        self._walk: tuple[str, ...] | None = None
        self._applicable: tuple[str, ...] = ()
        self._open(open_world(world, problem) if isinstance(world, str) else world)

    @property
    def world(self) -> World:
        """The world, as an agent may see it."""
        return self._world

    @property
    def facts(self) -> frozenset[tuple[str, ...]]:
        """All atoms that hold now, of a world that shows its states.

        Raises ResetNeeded before the first `reset`, TypeError if the world does not show its states.
        """
        if self._walk is None:
            raise ResetNeeded("call reset() before you look at the state")
        if not isinstance(self._world, ShowsStates):
            raise TypeError(f"world {self._world.name!r} does not show its states: give it facts(walk)")
        return self._world.facts(self._walk)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Back to the initial state; `options={"problem": 4}` changes the problem of a world with a name."""
        super().reset(seed=seed)
        options = dict(options or {})
        problem = options.pop("problem", None)
        if options or (problem is not None and self._name is None):
            known = "nothing for a world handed over as an object" if self._name is None else "'problem' only"
            raise ValueError(f"reset knows the option {known}, not {', '.join(options) or 'problem'}")
        if problem is not None and self._name is not None:
            self._open(open_world(self._name, problem))
        self._enter(())
        return self._world.describe(()), self._info((), None)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Run one operator: observation, reward, terminated, truncated (never), info.

        Raises OperatorRefused with `on_invalid="raise"`, ResetNeeded before the first `reset`, and TypeError
        for an action that is no text.
        """
        if self._walk is None:
            raise ResetNeeded("call reset() before the first step()")
        if not isinstance(action, str):
            raise TypeError(f"an action is an operator's text such as (move a b), not {action!r}")
        operator, refusal = self._check(self._walk, action)
        if refusal is not None and self._on_invalid == "raise":
            raise OperatorRefused(action, refusal)
        if refusal is None:
            self._enter((*self._walk, operator))
        info = self._info(self._walk, refusal)
        refused_for_good = refusal is not None and self._on_invalid == "terminate"
        terminated = info["goal_reached"] or info["dead_end"] or refused_for_good
        return self._world.describe(self._walk), float(info["goal_reached"]), terminated, False, info

    def render(self) -> str | None:
        """The state in words with `render_mode="ansi"`, else None."""
        if self.render_mode is None or self._walk is None:
            return None
        return self._world.describe(self._walk)

    def _open(self, world: World) -> None:
        self._world = world
        texts = (CHARACTERS, self._characters, world.description, world.task, *world.objects)
        characters = "".join(sorted(set("".join(texts))))
        self.action_space = Text(LONGEST_ACTION, charset=CHARACTERS)
        self.observation_space = Text(self._longest, min_length=0, charset=characters)

    def _enter(self, walk: tuple[str, ...]) -> None:
        """Make the state after `walk` the current one, and ask once what may run in it."""
        self._walk = walk
        self._applicable = tuple(self._world.applicable(walk))

    def _check(self, walk: tuple[str, ...], action: str) -> tuple[str, Refusal | None]:
        """The canonical text of `action`, and why it may not run now, or None."""
        try:
            name, arguments = parse_operator(action)
        except ValueError:
            return action, Refusal.UNKNOWN_NAME
        operator = format_operator(name, arguments)
        if operator in self._applicable:
            return operator, None
        return operator, self._world.executable((*walk, operator)).refusal or Refusal.NOT_EXECUTABLE

    def _info(self, walk: tuple[str, ...], refusal: Refusal | None) -> dict[str, Any]:
        return {
            "executable": refusal is None,
            "reason": None if refusal is None else str(refusal),
            "goal_reached": bool(self._world.verify(walk).goal_reached),
            "dead_end": not self._applicable,
            "applicable": self._applicable,
        }


def open_environment(world: str, problem: int | str = 1) -> gym.Env[Any, Any]:
    """The environment of a world by its name or path, with the text interface. Raises as `open_world`."""
    opened = open_world(world, problem)
    return WorldEnv(world, problem) if isinstance(opened, PddlWorld) else SurfaceEnv(world, problem)
