"""Worlds as Gymnasium environments.

    import envs, gymnasium
    env = gymnasium.make("groundwalk/Grippers-v0", problem=3)

Action interface, `action_interface=`:
  - "text": an action is an operator's text, `(move robot1 room1 room2)`; `info["applicable"]` lists those
    that may run now, sorted.
  - "discrete": an action is an index into `env.unwrapped.operators`, the sorted ground operators of the
    problem; `info["action_mask"]` says which may run now, in the form that `action_space.sample(mask)` takes,
    and `action_masks()` in the form that MaskablePPO of sb3-contrib asks for.

Observation, `observation=`: "text" says the state in words, "facts" gives one 0 or 1 for each fluent atom
(of a world without PDDL, for each well-typed atom of `env.unwrapped.atoms`).

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
from typing import Any, Literal, SupportsIndex

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete, MultiBinary, Space, Text
from numpy.typing import NDArray

from envs.environment_choices import OperatorRefused as OperatorRefused
from envs.environment_choices import check_choices
from envs.pddl.enumeration import atoms_of, operators_of
from envs.pddl.interface import ListsApplicable, Refusal, ShowsStates, States, World
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.operators import format_operator, parse_operator
from envs.source import read_task, split_name
from envs.truth import GroundTruth, truth_of
from envs.world import PddlWorld, open_world

Observation = str | NDArray[np.int8]
Action = str | SupportsIndex

#: The characters of operator texts and, with those of the world's own phrases, of observations.
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"
#: Longer than any operator's text that a world gives out, short enough to sample.
LONGEST_ACTION = 400
#: A world's states are described in no more characters than this, unless it is told otherwise.
LONGEST_OBSERVATION = 10_000
#: A world without PDDL may have so many operators in the discrete interface, and atoms observed as facts.
MOST_ACTIONS = MOST_ATOMS = 200_000


class SurfaceEnv(gym.Env[Any, Any]):
    """One task of a World, whatever stands behind it, acted in by operator texts; the base of `WorldEnv`.

        gymnasium.make("groundwalk/World-v0", world=Lamp())          # an object with the World surface
        gymnasium.make("groundwalk/World-v0", world="lamp")          # a world of another package, by its name

    It has the module's interface, built from nothing but `applicable`, `executable`, `verify` and
    `describe`, and from `facts` where states are observed as facts. The state is the walk since the reset,
    so a step costs as much as the world takes to answer for the whole walk.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium declares it so)
    #: The state that the environment is in: here a walk; None before the first `reset`.
    _state: Any = None
    _world: Any

    def __init__(
        self,
        world: World | str,
        problem: int | str = 1,
        *,
        action_interface: Literal["text", "discrete"] = "text",
        observation: Literal["text", "facts"] = "text",
        on_invalid: Literal["info", "raise", "terminate"] = "info",
        render_mode: Literal["ansi"] | None = None,
        characters: str = "",
        longest: int = LONGEST_OBSERVATION,
    ):
        """`problem` counts for a world's name only.

        `characters` and `longest` widen the observation space: characters of states in words that are in
        none of the world's other texts, and how many a state may take.
        """
        check_choices(action_interface=action_interface, observation=observation)
        check_choices(on_invalid=on_invalid, render_mode=render_mode)
        self._action_interface, self._observation = action_interface, observation
        self.render_mode, self._on_invalid = render_mode, on_invalid
        self._mask: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._name = world if isinstance(world, str) else None
        self._characters, self._longest = characters, longest
        self._open(self._opened(world, problem) if isinstance(world, str) else world)

    @property
    def world(self) -> World:
        """The world, as an agent may see it, set to this environment's problem."""
        world: World = self._world
        return world

    @property
    def facts(self) -> frozenset[GroundAtom]:
        """All atoms that hold now, static ones included, of a world that shows its states.

        Raises ResetNeeded before the first `reset`, TypeError if the world does not show its states.
        """
        if self._state is None:
            raise ResetNeeded("call reset() before you look at the state")
        return self._facts()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Back to the initial state; `options={"problem": 4}` changes the problem of a world with a name.

        Raises as `open_world`.
        """
        super().reset(seed=seed)
        options = dict(options or {})
        problem = options.pop("problem", None)
        if options or (problem is not None and self._name is None):
            known = "nothing for a world handed over as an object" if self._name is None else "'problem' only"
            named = ", ".join(sorted(options)) or "problem"
            raise ValueError(f"reset knows the option {known}, not {named}")
        if problem is not None and self._name is not None:
            self._open(self._opened(self._name, problem))
        self._enter(self._initial())
        return self._observe(), self._info(None)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Run one operator: observation, reward, terminated, truncated (never), info.

        Raises OperatorRefused with `on_invalid="raise"`, ResetNeeded before the first `reset`, and TypeError
        for an action that is neither a text nor an index, whichever the interface takes.
        """
        if self._state is None:
            raise ResetNeeded("call reset() before the first step()")
        operator, refusal = self._judged(action)
        if refusal is not None and self._on_invalid == "raise":
            raise OperatorRefused(str(action), refusal)
        if refusal is None:
            self._enter(self._after(operator))
        info = self._info(refusal)
        refused_for_good = refusal is not None and self._on_invalid == "terminate"
        terminated = info["goal_reached"] or info["dead_end"] or refused_for_good
        return self._observe(), float(info["goal_reached"]), terminated, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions of the discrete interface may run now.

        Raises ResetNeeded before the first `reset`, TypeError with the text interface.
        """
        if self._action_interface != "discrete":
            raise TypeError("masks are of indices: make the environment with action_interface='discrete'")
        if self._state is None:
            raise ResetNeeded("call reset() before you ask for action_masks()")
        return self._mask.copy()

    def render(self) -> str | None:
        """The state in words with `render_mode="ansi"`, else None."""
        return None if self.render_mode is None or self._state is None else self._described()

    def _info(self, refusal: Refusal | None) -> dict[str, Any]:
        reason = None if refusal is None else str(refusal)
        return {"executable": refusal is None, "reason": reason, **self._situation()}

    # --- What `WorldEnv` does in its own way. ---

    def _opened(self, name: str, problem: int | str) -> World:
        return open_world(name, problem)

    def _open(self, world: World) -> None:
        """Turn to a world; the spaces are those of its problem."""
        self._world = world
        if self._action_interface == "discrete":
            self._operators = operators_of(world, MOST_ACTIONS)
        if self._observation == "facts":
            self._atoms = atoms_of(world, MOST_ATOMS)
        self.action_space = self._action_space()
        self.observation_space = self._observation_space()

    @property
    def operators(self) -> tuple[str, ...]:
        """All operators of the problem, sorted: what an action of the discrete interface indexes."""
        return self._operators

    @property
    def atoms(self) -> tuple[GroundAtom, ...]:
        """What the places of an observation as facts stand for."""
        return self._atoms

    def _action_space(self) -> Space[Any]:
        if self._action_interface == "text":
            return Text(LONGEST_ACTION, charset=CHARACTERS)
        if not self.operators:
            raise ValueError(f"{self._world!r} has no operator at all: use action_interface='text'")
        return Discrete(len(self.operators))

    def _observation_space(self) -> Space[Any]:
        if self._observation == "facts":
            return MultiBinary(len(self.atoms))
        world = self._world
        texts = (CHARACTERS, self._characters, world.description, world.task, *world.objects)
        return Text(self._longest, min_length=0, charset="".join(sorted(set("".join(texts)))))

    def _initial(self) -> Any:
        return ()

    def _enter(self, state: Any) -> None:
        """Make `state` the current one, and look once at what may run in it, if the world lists that."""
        self._state = state
        self._applicable = None
        if isinstance(self._world, ListsApplicable):
            self._applicable = tuple(self._world.applicable(state))
        elif self._action_interface == "discrete":  # for the mask, each is tried
            runs = self._world.executable
            self._applicable = tuple(o for o in self._operators if runs((*state, o)).refusal is None)
        if self._action_interface == "discrete":
            self._mask = np.isin(self._operators, self._applicable or ())

    def _judged(self, action: Any) -> tuple[Any, Refusal | None]:
        """The operator that an action names, and why it may not run now, or None. Raises TypeError."""
        if self._action_interface == "discrete":
            index = self._place_of(action)
            if isinstance(index, Refusal):
                return action, index
            return self._operators[index], None if self._mask[index] else Refusal.NOT_EXECUTABLE
        try:
            operator = format_operator(*parse_operator(_text_of(action)))
        except ValueError:
            return action, Refusal.UNKNOWN_NAME
        if self._applicable is not None and operator in self._applicable:
            return operator, None
        refusal = self._world.executable((*self._state, operator)).refusal
        return operator, refusal if self._applicable is None else refusal or Refusal.NOT_EXECUTABLE

    def _place_of(self, action: Any) -> int | Refusal:
        """The index that an action of the discrete interface is. Raises TypeError if it is none."""
        try:
            index = operator.index(action)
        except TypeError:
            raise TypeError(f"an action is an index into env.unwrapped.operators, not {action!r}") from None
        return index if 0 <= index < len(self._mask) else Refusal.UNKNOWN_NAME

    def _after(self, operator: Any) -> Any:
        """The state after an operator that may run."""
        return (*self._state, operator)

    def _situation(self) -> dict[str, Any]:
        """What an info says of the state. Where nothing is listed or tried, no dead end is known."""
        found: dict[str, Any] = {"goal_reached": bool(self._world.verify(self._state).goal_reached)}
        if self._applicable is None:
            return found | {"dead_end": False}
        found["dead_end"] = not self._applicable
        if self._action_interface == "discrete":
            return found | {"action_mask": self._mask.astype(np.int8)}
        return found | {"applicable": self._applicable}

    def _facts(self) -> frozenset[GroundAtom]:
        if not isinstance(self._world, ShowsStates):
            raise TypeError(f"world {self._world.name!r} does not show its states: give it facts(walk)")
        return self._world.facts(self._state)

    def _described(self) -> str:
        return str(self._world.describe(self._state))

    def _observe(self) -> Any:
        if self._observation == "text":
            return self._described()
        facts = self._facts()
        return np.array([atom in facts for atom in self._atoms], dtype=np.int8)


class WorldEnv(SurfaceEnv):
    """One task of a world whose rules are PDDL. See the module's text for the interface."""

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
        super().__init__(
            str(split_name(world).resolved()),
            problem,
            action_interface=action_interface,
            observation=observation,
            on_invalid=on_invalid,
            render_mode=render_mode,
        )

    @property
    def operators(self) -> tuple[str, ...]:
        """The ground operators of the problem, sorted: what an action of the discrete interface indexes."""
        return self._truth().task.operators

    @property
    def atoms(self) -> tuple[GroundAtom, ...]:
        """What the places of an observation as facts stand for."""
        return self._truth().atoms

    def _truth(self) -> GroundTruth:
        return truth_of(self._world.key)

    def _opened(self, name: str, problem: int | str) -> World:
        return PddlWorld(read_task(split_name(name), problem))

    def _open(self, world: World) -> None:
        self._world = world
        self.action_space = self._action_space()
        self.observation_space = self._observation_space()

    def _observation_space(self) -> Space[Any]:
        truth = self._truth()
        if self._observation == "facts":
            return MultiBinary(len(self.atoms))
        characters = "".join(sorted(truth.writer.characters.union(CHARACTERS)))
        return Text(truth.writer.longest, min_length=0, charset=characters)

    def _initial(self) -> States:
        return self._truth().task.initial(1)

    def _enter(self, state: States) -> None:
        self._state = state
        self._mask = self._truth().task.applicable(state)[0]

    def _judged(self, action: Action) -> tuple[int, Refusal | None]:
        index = self._index(action)
        if isinstance(index, Refusal):
            return -1, index
        return index, None if self._mask[index] else Refusal.NOT_EXECUTABLE

    def _index(self, action: Action) -> int | Refusal:
        """The index of the operator that an action names, or why there is none."""
        if self._action_interface == "text":
            return self._truth().index_of(_text_of(action))
        return self._place_of(action)

    def _after(self, operator: int) -> States:
        return self._truth().task.successors(self._state, np.array([operator], dtype=np.int64))

    def _situation(self) -> dict[str, Any]:
        task, choices = self._truth().task, dict[str, Any]()
        if self._action_interface == "text":
            choices["applicable"] = tuple(task.operators[i] for i in np.flatnonzero(self._mask))
        else:
            choices["action_mask"] = self._mask.astype(np.int8)
        goal_reached = bool(task.goal_reached(self._state)[0])
        return {"goal_reached": goal_reached, "dead_end": not bool(self._mask.any()), **choices}

    def _facts(self) -> frozenset[GroundAtom]:
        return self._truth().task.atoms_of(self._state)

    def _described(self) -> str:
        return self._truth().describe(self._state)

    def _observe(self) -> Observation:
        """The state as a fresh observation."""
        if self._observation == "text":
            return self._described()
        return self._truth().values(self._state).astype(np.int8)


class FolderEnv(WorldEnv):
    """A WorldEnv of a folder with `domain.pddl`, `domain.nl` and tasks, or of any other world's name."""

    def __init__(self, path: str | Path, problem: int | str = 1, **options: Any):
        super().__init__(str(path), problem, **options)


def _text_of(action: Any) -> str:
    if not isinstance(action, str):
        raise TypeError(f"an action is an operator's text such as (move a b), not {action!r}")
    return action


def open_environment(world: str, problem: int | str = 1) -> gym.Env[Any, Any]:
    """The environment of a world by its name or path, with the text interface. Raises as `open_world`."""
    opened = open_world(world, problem)
    return WorldEnv(world, problem) if isinstance(opened, PddlWorld) else SurfaceEnv(world, problem)
