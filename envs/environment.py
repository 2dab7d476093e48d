"""Worlds as Gymnasium environments.

    import envs, gymnasium
    env = gymnasium.make("groundwalk/Grippers-v0", problem=3)

Action interface, `action_interface=`:
  - "text": an action is an operator's text, `(move robot1 room1 room2)`; `info["applicable"]` lists those
    that may run now, sorted.
  - "discrete": an action is an index into `env.unwrapped.operators`, the sorted ground operators of the
    problem; `info["action_mask"]` says which may run now, in the form that `action_space.sample(mask)` takes.

Observation, `observation=`: "text" says the state in words, "facts" gives one 0 or 1 for each fluent atom.

A refused action changes nothing: `info["executable"]` is False and `info["reason"]` is a `Refusal` value,
which says what kind of refusal it is but never which condition was false. With `on_invalid="terminate"` the
episode ends with it, with `on_invalid="raise"` it is an `OperatorRefused` exception.

The reward is 1 when the goal is reached, which ends the episode, and 0 otherwise. A state in which no
operator may run ends it, too, with `info["dead_end"]`: True already in the info of `reset` if the episode
starts in one, and then whatever is tried next is refused and ends it.

`reset(options={"problem": 4})` changes to another problem of the same world until it is changed again. Where
the problems differ in objects or size, `action_space` and `observation_space` are new ones after it, so
vectorised environments (`envs.vector`), which read them once, should keep to one problem.

A folder of yours is `gymnasium.make("groundwalk/PDDL-v0", path="path/to/folder", problem=1)`. Episodes end by
themselves at the goal and in dead ends only; `gymnasium.make(..., max_episode_steps=100)` truncates them.
"""

from __future__ import annotations

import operator
import string
from pathlib import Path
from typing import Any, Literal, SupportsIndex, cast

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete, MultiBinary, Space, Text
from numpy.typing import NDArray

from envs.pddl.interface import Refusal, States
from envs.pddl.language.domain import GroundAtom
from envs.source import canonical_name
from envs.truth import GroundTruth, truth_of
from envs.world import PddlWorld

Observation = str | NDArray[np.int8]
Action = str | SupportsIndex

#: The characters of operator texts and, with those of the world's own phrases, of observations.
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"
#: Longer than any operator's text that a world gives out, short enough to sample.
LONGEST_ACTION = 400

_CHOICES = {
    "action_interface": ("text", "discrete"),
    "observation": ("text", "facts"),
    "on_invalid": ("info", "raise", "terminate"),
    "render_mode": (None, "ansi"),
}


class OperatorRefused(ValueError):
    """The world refused an action (`on_invalid="raise"`); its state is unchanged. Survives pickling."""

    def __init__(self, action: str, refusal: Refusal):
        super().__init__(action, refusal)
        self.action = action
        self.refusal = refusal

    def __str__(self) -> str:
        return f"{self.action} is refused: {self.refusal}"


class WorldEnv(gym.Env[Observation, Action]):
    """One task of a world, acted in one operator at a time. See the module's text for the interface."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium declares it so)

    def __init__(
        self,
        world: str = "grippers",
        problem: int | str = 1,
        *,
        action_interface: Literal["text", "discrete"] = "text",
        observation: Literal["text", "facts"] = "text",
        on_invalid: Literal["info", "raise", "terminate"] = "info",
        render_mode: Literal["ansi"] | None = None,
    ):
        check_choices(
            action_interface=action_interface,
            observation=observation,
            on_invalid=on_invalid,
            render_mode=render_mode,
        )
        self.render_mode = render_mode
        self._action_interface = action_interface
        self._observation = observation
        self._on_invalid = on_invalid
        self._state: States | None = None
        self._mask: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._open(PddlWorld(canonical_name(world), problem))

    @property
    def world(self) -> PddlWorld:
        """The world as an agent may see it, set to this environment's problem."""
        return self._world

    @property
    def operators(self) -> tuple[str, ...]:
        """The ground operators of the problem, sorted: what an action of the discrete interface indexes."""
        return self._truth().task.operators

    @property
    def facts(self) -> frozenset[GroundAtom]:
        """All atoms that hold now, static ones included. Raises ResetNeeded before the first `reset`."""
        if self._state is None:
            raise ResetNeeded("call reset() before you look at the state")
        return self._truth().task.atoms_of(self._state)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Back to the initial state; `options={"problem": 4}` changes the problem. Raises as `open_world`."""
        super().reset(seed=seed)
        options = dict(options or {})
        problem = options.pop("problem", None)
        if options:
            raise ValueError(f"reset knows the option 'problem' only, not {', '.join(sorted(options))}")
        if problem is not None:
            self._open(PddlWorld(self._world.key.world, problem))
        state = self._truth().task.initial(1)
        self._enter(state)
        return self._observe(state), self._info(state, None)

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Run one operator: observation, reward, terminated, truncated (never), info.

        Raises OperatorRefused with `on_invalid="raise"`, ResetNeeded before the first `reset`, and TypeError
        for an action that is neither a text nor an index, whichever the interface takes.
        """
        state = self._state
        if state is None:
            raise ResetNeeded("call reset() before the first step()")
        index = self._index(action)
        refusal = index if isinstance(index, Refusal) else None
        if refusal is not None and self._on_invalid == "raise":
            raise OperatorRefused(str(action), refusal)
        if refusal is None:
            state = self._truth().task.successors(state, np.array([index], dtype=np.int64))
            self._enter(state)
        info = self._info(state, refusal)
        refused_for_good = refusal is not None and self._on_invalid == "terminate"
        terminated = info["goal_reached"] or info["dead_end"] or refused_for_good
        return self._observe(state), float(info["goal_reached"]), terminated, False, info

    def render(self) -> str | None:
        """The state in words with `render_mode="ansi"`, else None."""
        if self.render_mode is None or self._state is None:
            return None
        return self._truth().describe(self._state)

    def _truth(self) -> GroundTruth:
        return truth_of(self._world.key)

    def _open(self, world: PddlWorld) -> None:
        """Turn to a world; the spaces are those of its problem."""
        self._world = world
        self.action_space = self._action_space()
        self.observation_space = self._observation_space()

    def _action_space(self) -> Space[Any]:
        if self._action_interface == "text":
            return Text(LONGEST_ACTION, charset=CHARACTERS)
        if not self.operators:
            raise ValueError(f"{self._world!r} has no operator at all: use action_interface='text'")
        return Discrete(len(self.operators))

    def _observation_space(self) -> Space[Any]:
        truth = self._truth()
        if self._observation == "facts":
            return MultiBinary(len(truth.task.atoms))
        characters = "".join(sorted(truth.writer.characters.union(CHARACTERS)))
        return Text(truth.writer.longest, min_length=0, charset=characters)

    def _enter(self, state: States) -> None:
        """Make `state` (one row) the current one, and look once at what may run in it."""
        self._state = state
        self._mask = self._truth().task.applicable(state)[0]

    def _index(self, action: Action) -> int | Refusal:
        """The index of an action that may run now, or why it may not."""
        if self._action_interface == "text":
            if not isinstance(action, str):
                raise TypeError(f"an action is an operator's text such as (move a b), not {action!r}")
            index = self._truth().index_of(action)
            if isinstance(index, Refusal):
                return index
        else:
            try:
                index = operator.index(cast(SupportsIndex, action))
            except TypeError:
                raise TypeError(
                    f"an action is an index into env.unwrapped.operators, not {action!r}"
                ) from None
            if not 0 <= index < len(self._mask):
                return Refusal.UNKNOWN_NAME
        return index if self._mask[index] else Refusal.NOT_EXECUTABLE

    def _info(self, state: States, refusal: Refusal | None) -> dict[str, Any]:
        task = self._truth().task
        info: dict[str, Any] = {
            "executable": refusal is None,
            "reason": None if refusal is None else str(refusal),
            "goal_reached": bool(task.goal_reached(state)[0]),
            "dead_end": not bool(self._mask.any()),
        }
        if self._action_interface == "text":
            info["applicable"] = tuple(task.operators[i] for i in np.flatnonzero(self._mask))
        else:
            info["action_mask"] = self._mask.astype(np.int8)
        return info

    def _observe(self, state: States) -> Observation:
        """A state as a fresh observation."""
        if self._observation == "text":
            return self._truth().describe(state)
        return self._truth().values(state).astype(np.int8)


class FolderEnv(WorldEnv):
    """A WorldEnv of a folder with `domain.pddl`, `domain.nl` and tasks, or of any other world's name."""

    def __init__(self, path: str | Path, problem: int | str = 1, **options: Any):
        super().__init__(str(path), problem, **options)


def check_choices(**chosen: str | None) -> None:
    """Raises ValueError if an option of an environment is none of its choices."""
    for name, value in chosen.items():
        if value not in _CHOICES[name]:
            allowed = ", ".join(repr(choice) for choice in _CHOICES[name])
            raise ValueError(f"{name}={value!r}: choose one of {allowed}")
