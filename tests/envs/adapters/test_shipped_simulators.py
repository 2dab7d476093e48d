"""Every simulator that comes by name keeps what a World promises, and its pools are disjoint."""

from __future__ import annotations

import pickle
import re
import sys
from itertools import permutations
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from wide import wide

import envs  # noqa: F401 (registers groundwalk/World-v0)
from envs.adapters.gym_world import GymWorld
from envs.folder import WorldNotFound
from envs.pddl.interface import Fingerprints, ListsHere, NamesDomain, ShowsStates, Snapshots
from envs.registry import SIMULATORS
from envs.verbalisation.paragraphs import read_paragraphs
from envs.world import open_world

NAMES = pytest.mark.parametrize("name", SIMULATORS)
EVALUATION, FEEDBACK = tuple(range(1, 11)), tuple(f"f{n:02}" for n in range(1, 6))


def opened(name: str, task: int | str = 1) -> GymWorld:
    world = open_world(name, task)
    assert isinstance(world, GymWorld)
    return world


def walked(world: GymWorld, steps: int, rng: np.random.Generator) -> tuple[str, ...]:
    """A random walk from the start; the world is where it ends."""
    world.reset()
    walk: list[str] = []
    while len(walk) < steps and (listed := world.applicable_here()):
        walk.append(listed[int(rng.random() * len(listed))])
        assert world.step(walk[-1])
    return tuple(walk)


@NAMES
def test_steps_snapshots_facts_and_walks_agree(name: str) -> None:
    world, again = opened(name), opened(name)
    for protocol in (ListsHere, Snapshots, Fingerprints, ShowsStates, NamesDomain):
        assert isinstance(world, protocol)
    rng = np.random.default_rng(0)
    for _ in range(3):
        walk = walked(world, 25, rng)
        kept, key, here = world.snapshot(), world.fingerprint(), world.applicable_here()
        assert again.executable(walk).steps == len(walk)
        assert again.applicable(walk) == here and again.facts(walk) == world.facts(walk)
        assert again.describe(walk) == world.describe(walk)
        assert world.fingerprint() == key
        if here:
            world.step(here[0])
            assert (world.fingerprint() != key) == (world.facts((*walk, here[0])) != world.facts(walk))
        world.restore(kept)
        assert world.fingerprint() == key and world.applicable_here() == here


@NAMES
def test_an_operator_runs_if_and_only_if_it_is_listed(name: str) -> None:
    world, rng = opened(name), np.random.default_rng(1)
    every = tuple(world._operators())
    for _ in range(3):
        walk = walked(world, 20, rng)
        listed, facts = world.applicable(walk), world.facts(walk)
        tried = (every[int(rng.random() * len(every))] for _ in range(100))
        near = (op for op in every if walk and op.split()[1:2] == walk[-1].split()[-1:])
        for operator in {*tried, *near, *listed}:
            ran = world.executable((*walk, operator)).refusal is None
            assert ran == (operator in listed), (walk, operator)
        assert world.facts(walk) == facts


@pytest.mark.parametrize(
    "name",
    wide(
        SIMULATORS, *(n for n in SIMULATORS if n not in ("minigrid:UnlockPickup", "minigrid:KeyCorridorS3R1"))
    ),
)
def test_tasks_of_all_pools_differ(name: str) -> None:
    def begins(task: int | str) -> tuple[Any, ...]:
        world = opened(name, task)
        return tuple(sorted(world.objects)), world.facts(), world.goal

    tasks = {task: begins(task) for task in (*EVALUATION, *FEEDBACK, "example", "g1", "g2")}
    assert len(set(tasks.values())) == len(tasks)
    assert begins("p03") == tasks[3]
    for missing in ("f06", 11, "p11", "x1"):
        with pytest.raises(WorldNotFound, match="its tasks"):
            open_world(name, missing)


def test_tasks_on_demand_are_as_many_as_there_are() -> None:
    with pytest.raises(WorldNotFound, match=r"it has \d+ tasks"):
        open_world("toytext:CliffWalking", "g9999")


@NAMES
def test_no_task_is_solved_at_first_and_texts_say_what_is_to_be_reached(name: str) -> None:
    for task in (1, 5, "f01"):
        world = opened(name, task)
        assert not world.verify(()).goal_reached
        target = world.goal.strip("()").split()[-1]
        assert target in world.task and "In the end" in world.task
        for action in world.actions:
            assert action.name in world.description
        assert world.describe().splitlines()[0] in world.task
        again = pickle.loads(pickle.dumps(world))  # noqa: S301 (what this test wrote itself)
        assert again.task == world.task


@NAMES
@pytest.mark.parametrize("observation", ["text", "facts"])
def test_gymnasiums_checker_passes(name: str, observation: str) -> None:
    interface = "text" if observation == "text" else "discrete"
    env = gymnasium.make(
        "groundwalk/World-v0", world=name, action_interface=interface, observation=observation
    )
    check_env(env.unwrapped)


@NAMES
@pytest.mark.parametrize("suffix", ["undocumented", "outlined"])
def test_a_world_without_its_description_is_the_same_world(name: str, suffix: str) -> None:
    silent, world = open_world(f"{name}+{suffix}"), opened(name)
    assert silent.description != world.description and isinstance(silent, Snapshots)
    assert silent.applicable() == world.applicable() and silent.task == world.task
    again = pickle.loads(pickle.dumps(silent))  # noqa: S301 (what this test wrote itself)
    assert again.description == silent.description


@NAMES
def test_an_outline_has_the_first_sentence_on_every_action_and_no_rule(name: str) -> None:
    world, outlined = opened(name), open_world(f"{name}+outlined")
    actions = [action.name for action in world.actions]
    whole, told = (read_paragraphs(each.description, actions).actions for each in (world, outlined))
    assert list(told) == list(whole) == actions
    for action, text in told.items():
        assert whole[action].startswith(f"{text} ") and text.count(".") == 1
    assert not re.search(r"must|Afterwards|\bif\b", outlined.description, re.IGNORECASE)


@NAMES
def test_a_description_holds_for_all_tasks(name: str) -> None:
    assert len({opened(name, task).description for task in (1, 2, 3, "f01", "example")}) == 1


def test_walls_and_stands_of_the_taxi_are_said_as_they_are() -> None:
    world = opened("toytext:Taxi", 3)
    said = {frozenset(pair) for pair in re.findall(r"between (cell-\d-\d) and (cell-\d-\d)", world.task)}
    facts = world.facts()
    cells = [cell for cell, kind in world.objects.items() if kind == "cell"]
    pairs = {
        frozenset((a, b)) for a in cells for b in cells if a[:-1] == b[:-1] and int(b[-1]) - int(a[-1]) == 1
    }
    assert said == {pair for pair in pairs if not any(("east", *p) in facts for p in permutations(pair))}
    stands = re.findall(r"cell-\d-\d", world.task.partition("stands are ")[2].partition(".")[0])
    assert {("stand", cell) for cell in stands} == {fact for fact in facts if fact[0] == "stand"}


def test_a_variant_that_rewrites_pddl_is_refused() -> None:
    with pytest.raises(WorldNotFound, match=r"no variant '\+compact', only \+outlined and \+undocumented"):
        open_world("toytext:Taxi+compact")


def test_a_package_that_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minigrid", None)
    monkeypatch.delitem(sys.modules, "envs.adapters.minigrid", raising=False)
    with pytest.raises(WorldNotFound, match=r"groundwalk\[minigrid\]"):
        open_world("minigrid:DoorKey-5x5")
