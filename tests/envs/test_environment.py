"""The Gymnasium environment: conformance, refusals, masks, determinism, other processes."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from wide import wide

from envs import register_worlds
from envs.environment import OperatorRefused, WorldEnv
from envs.pddl.interface import Refusal
from envs.registry import WORLDS, gymnasium_id
from envs.source import WorldNotFound

INTERFACES = [(action, seen) for action in ("text", "discrete") for seen in ("text", "facts")]
#: Every interface of one world, and of every other world one, in turn.
each_world = pytest.mark.parametrize(
    ("world", "action_interface", "observation"),
    wide(
        [(world, *interface) for world in WORLDS for interface in INTERFACES],
        *(("grippers", *interface) for interface in INTERFACES),
        *((world, *INTERFACES[number % 4]) for number, world in enumerate(WORLDS)),
    ),
)


def _trap(folder: Path) -> Path:
    """A world with a door that shuts behind whoever goes through it: a dead end."""
    folder.mkdir(exist_ok=True)
    texts = {
        "domain.pddl": """(define (domain trap) (:predicates (open ?d) (inside) (won))
            (:action enter :parameters (?d) :precondition (open ?d) :effect (and (inside) (not (open ?d))))
            (:action win :parameters (?d) :precondition (and (open ?d) (inside)) :effect (won)))""",
        "p01.pddl": """(define (problem p) (:domain trap) (:objects a)
            (:init (open a)) (:goal (won)))""",
        "p02.pddl": """(define (problem p) (:domain trap) (:objects a) (:init (inside)) (:goal (won)))""",
        "domain.nl": "Doors that shut.",
        "p01.nl": "One door, größer als du.",
        "p02.nl": "No door.",
        "words.json": """{"predicates":
            {"open": {"positive": "{0} ist offen für alle", "negative": "{0} ist zu"}}}""",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _random_walk(env: gymnasium.Env[Any, Any], steps: int, seed: int) -> list[tuple[Any, ...]]:
    """`steps` random legal steps, with a reset where an episode ends."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    trajectory: list[tuple[Any, ...]] = [(observation,)]
    for _ in range(steps):
        options = info["applicable"] if "applicable" in info else np.flatnonzero(info["action_mask"])
        action = options[int(rng.random() * len(options))]
        observation, reward, terminated, truncated, info = env.step(action)
        trajectory.append((str(action), observation, reward, terminated, truncated))
        if terminated:
            observation, info = env.reset()
    return trajectory


@each_world
def test_gymnasiums_checker_passes_without_a_warning(
    world: str, action_interface: str, observation: str
) -> None:
    made = gymnasium.make(gymnasium_id(world), action_interface=action_interface, observation=observation)
    bare = WorldEnv(world, action_interface=action_interface, observation=observation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)
        # What it cannot do with an environment that no registered id stands for, it says:
        warnings.filterwarnings("ignore", message=".*not having a spec")
        check_env(bare)


@each_world
def test_observations_of_a_long_random_walk_lie_in_the_space(
    world: str, action_interface: str, observation: str
) -> None:
    env = gymnasium.make(gymnasium_id(world), 2, action_interface=action_interface, observation=observation)
    for entry in _random_walk(env, 100, seed=4):
        assert env.observation_space.contains(entry[1] if len(entry) > 1 else entry[0])


def test_text_and_discrete_interfaces_walk_the_same_way() -> None:
    spoken = WorldEnv("termes", 1, observation="facts")
    numbered = WorldEnv("termes", 1, action_interface="discrete", observation="facts")
    _, heard = spoken.reset()
    _, masked = numbered.reset()
    rng = np.random.default_rng(9)
    for _ in range(60):
        indices = np.flatnonzero(masked["action_mask"])
        assert heard["applicable"] == tuple(numbered.operators[i] for i in indices)
        assert numbered.operators == tuple(sorted(numbered.operators))
        index = int(indices[int(rng.random() * len(indices))])
        seen, *_, heard = spoken.step(numbered.operators[index])
        observed, *_, masked = numbered.step(index)
        assert np.array_equal(seen, observed)


@pytest.mark.parametrize("action_interface", ["text", "discrete"])
def test_a_refused_action_changes_nothing_and_says_its_kind_only(action_interface: str) -> None:
    env = WorldEnv("grippers", action_interface=action_interface)
    before, info = env.reset()
    refused: dict[Any, Refusal]
    if action_interface == "text":
        refused = {
            "(drop robot1 ball1 room1 lgripper1)": Refusal.NOT_EXECUTABLE,
            "(move robot1 room1)": Refusal.WRONG_ARITY,
            "(jump robot1)": Refusal.UNKNOWN_NAME,
            "": Refusal.UNKNOWN_NAME,
        }
    else:
        closed = int(np.flatnonzero(info["action_mask"] == 0)[0])
        refused = {closed: Refusal.NOT_EXECUTABLE, -1: Refusal.UNKNOWN_NAME, 10**6: Refusal.UNKNOWN_NAME}
    for action, refusal in refused.items():
        after, reward, terminated, truncated, told = env.step(action)
        assert after == before
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert (told["executable"], told["reason"]) == (False, refusal.value)
        rest = {key: value for key, value in told.items() if key not in ("executable", "reason")}
        assert str(rest) == str({key: info[key] for key in rest})


def test_a_refused_action_raises_if_so_wished_and_the_exception_survives_pickling() -> None:
    env = WorldEnv("blocksworld", 2, on_invalid="raise")
    before, _ = env.reset()
    with pytest.raises(OperatorRefused, match="not_executable") as caught:
        env.step("(put-down b1)")
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (what this test wrote itself)
    assert (copy.action, copy.refusal) == ("(put-down b1)", Refusal.NOT_EXECUTABLE)
    after, *_, info = env.step("(unstack b1 b4)")
    assert info["executable"] and after != before


def test_a_refused_action_ends_the_episode_if_so_wished() -> None:
    env = WorldEnv("blocksworld", on_invalid="terminate")
    before, _ = env.reset()
    after, reward, terminated, _, info = env.step("(put-down b1)")
    assert (after, reward, terminated, info["executable"]) == (before, 0.0, True, False)


def test_reaching_the_goal_is_rewarded_and_ends_the_episode() -> None:
    env = WorldEnv("blocksworld", 2)
    env.reset()
    plan = (
        *("(unstack b1 b4)", "(put-down b1)", "(unstack b3 b2)", "(stack b3 b4)"),
        *("(pick-up b2)", "(stack b2 b1)"),
    )
    results = [env.step(operator)[1:3] for operator in plan]
    assert results == [(0.0, False)] * 5 + [(1.0, True)]


def test_a_dead_end_ends_the_episode_with_an_empty_mask(tmp_path: Path) -> None:
    env = WorldEnv(str(_trap(tmp_path / "trap")), action_interface="discrete")
    env.reset()
    observation, reward, terminated, _, info = env.step(env.operators.index("(enter a)"))
    assert (reward, terminated, info["dead_end"], info["goal_reached"]) == (0.0, True, True, False)
    assert not info["action_mask"].any()
    assert env.observation_space.contains(observation)


def test_an_episode_that_starts_in_a_dead_end_says_so_and_ends_at_the_first_step(tmp_path: Path) -> None:
    env = WorldEnv(str(_trap(tmp_path / "trap")), "p02")
    _, info = env.reset()
    assert info["dead_end"] and info["applicable"] == ()
    _, _, terminated, _, info = env.step("(enter a)")
    assert terminated and info["reason"] == Refusal.NOT_EXECUTABLE.value


def test_a_task_without_operators_has_no_discrete_interface(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="use action_interface='text'"):
        WorldEnv(str(_trap(tmp_path / "trap")), "p02", action_interface="discrete")


def test_characters_of_a_worlds_own_phrases_are_in_its_observation_space(tmp_path: Path) -> None:
    env = WorldEnv(str(_trap(tmp_path / "trap")))
    observation, _ = env.reset()
    assert "für" in str(observation)
    assert env.observation_space.contains(observation)


def test_another_problem_with_the_same_objects_brings_its_own_applicable_actions(tmp_path: Path) -> None:
    folder = _trap(tmp_path / "trap")
    env = WorldEnv(str(folder))
    _, first = env.reset()
    _, second = env.reset(options={"problem": "p02"})
    _, kept = env.reset()
    _, back = env.reset(options={"problem": 1})
    assert first["applicable"] == back["applicable"] == ("(enter a)",)
    assert second["applicable"] == kept["applicable"] == ()


def test_another_problem_brings_its_own_spaces() -> None:
    env = gymnasium.make(gymnasium_id("grippers"), action_interface="discrete", observation="facts")
    small = env.action_space
    observation, info = env.reset(options={"problem": 4})
    assert env.action_space != small
    assert info["action_mask"].shape == (env.action_space.n,)
    assert env.observation_space.contains(observation)
    assert env.action_space.contains(env.action_space.sample(info["action_mask"]))


def test_unknown_options_and_choices_are_refused_by_name() -> None:
    env = WorldEnv("grippers")
    with pytest.raises(ValueError, match="'problem' only, not speed"):
        env.reset(options={"speed": 2})
    with pytest.raises(WorldNotFound, match="p77"):
        env.reset(options={"problem": 77})
    for wrong in ({"action_interface": "voice"}, {"observation": "pixels"}, {"on_invalid": "ignore"}):
        with pytest.raises(ValueError, match="choose one of"):
            WorldEnv("grippers", **wrong)  # type: ignore[arg-type]


def test_actions_of_the_other_interface_are_type_errors() -> None:
    for interface, action in (("text", 3), ("discrete", "(move robot1 room1 room2)"), ("discrete", 2.7)):
        env = WorldEnv("grippers", action_interface=interface)  # type: ignore[arg-type]
        env.reset()
        with pytest.raises(TypeError, match="an action is an"):
            env.step(action)


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded):
        WorldEnv("grippers").step("(move robot1 room1 room2)")


@pytest.mark.parametrize("observation", ["text", "facts"])
def test_returned_observations_and_masks_are_fresh_objects(observation: str) -> None:
    env = WorldEnv("grippers", action_interface="discrete", observation=observation)  # type: ignore[arg-type]
    first, info = env.reset()
    mask = info["action_mask"].copy()
    info["action_mask"][:] = 0
    if isinstance(first, np.ndarray):
        first[:] = 9
    again, told = env.reset()
    assert np.array_equal(told["action_mask"], mask)
    assert env.observation_space.contains(again)


def test_the_state_is_rendered_in_words() -> None:
    env = gymnasium.make(gymnasium_id("grippers"), render_mode="ansi", observation="facts")
    env.reset()
    assert "robot1 is in room" in str(env.render())


def test_registering_twice_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_worlds()


# --- Other interpreters and processes ---

_TRAJECTORY = """
import hashlib, gymnasium, numpy
env = gymnasium.make("envs:groundwalk/Termes-v0", problem=2)
_, info = env.reset(seed=5)
env.action_space.seed(5)
digest, rng = hashlib.sha256(env.action_space.sample().encode()), numpy.random.default_rng(5)
for _ in range(100):
    options = info["applicable"]
    observation, reward, terminated, _, info = env.step(options[int(rng.random() * len(options))])
    digest.update(repr((observation, reward, terminated, sorted(info.items()))).encode())
    if terminated:
        _, info = env.reset()
print(digest.hexdigest())
"""


def test_a_seed_fixes_the_trajectory_under_any_hash_seed_in_a_fresh_interpreter() -> None:
    outputs = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-W", "error::UserWarning", "-c", _TRAJECTORY]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        outputs.append(done.stdout.strip())
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) == hashlib.sha256().digest_size * 2


def test_importing_the_package_imports_no_world_solver_or_planner() -> None:
    code = (
        "import sys, envs; "
        "print([m for m in ('ray', 'openai', 'tarski', 'clingo', 'envs.environment') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _made_elsewhere(env_id: str) -> tuple[str, ...]:
    _, info = gymnasium.make(env_id, problem=2).reset(seed=0)
    return tuple(info["applicable"])


def test_a_spawned_process_makes_the_same_environment() -> None:
    here = _made_elsewhere("groundwalk/GrippersOod-v0")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_made_elsewhere, ("envs:groundwalk/GrippersOod-v0",)) == here


def test_vectorised_environments_agree_with_each_other() -> None:
    arguments = {"num_envs": 2, "action_interface": "discrete", "observation": "facts"}
    env_id, spawn = gymnasium_id("grippers"), {"context": "spawn"}
    in_process = gymnasium.make_vec(env_id, vectorization_mode="sync", **arguments)
    with_processes = gymnasium.make_vec(env_id, vectorization_mode="async", vector_kwargs=spawn, **arguments)
    for vector in (with_processes, in_process):
        vector.reset(seed=3)
    actions = np.array([0, 5])
    assert np.array_equal(with_processes.step(actions)[0], in_process.step(actions)[0])
    with_processes.close()
    in_process.close()
