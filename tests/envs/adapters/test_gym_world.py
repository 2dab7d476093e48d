"""GymWorld: which protocols it has, that refusals change nothing, and that walks leave the current state."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete

from envs.adapters.gym_world import GymWorld, NotDeterministic
from envs.pddl.interface import (
    Fingerprints,
    ListsHere,
    NamesConstants,
    NamesDomain,
    Refusal,
    ShowsStates,
    Snapshots,
    Steps,
)
from envs.plugins import BrokenPlugin

DIALS = ("dial0", "dial1", "dial2", "dial3")


class Dial(gymnasium.Env[int, int]):
    """A dial that is turned on by one, or set back to 0 from its end."""

    action_space, observation_space = Discrete(2), Discrete(4)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        self.at = 0
        return self.at, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action == 0:
            self.at = min(self.at + 1, 3)
        elif self.at == 3:
            self.at = 0
        return self.at, 0.0, False, False, {}


class Sealed(Dial):
    """One that cannot be copied."""

    def __deepcopy__(self, memo: object) -> Dial:
        raise TypeError("sealed")


class Shared(Dial):
    """One whose copies are itself."""

    def __deepcopy__(self, memo: object) -> Dial:
        return self


class Worn(Dial):
    """One that does less each time it is set back."""

    uses = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        self.uses += 1
        return super().reset(seed=seed)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return super().step(action if self.uses < 4 else 1)


def turn(env: Any, action: str, arguments: tuple[str, ...]) -> bool:
    before = DIALS[env.unwrapped.at]
    env.step(0 if action == "on" else 1)
    return (before, DIALS[env.unwrapped.at]) == arguments and before != arguments[1]


def dial(kind: type[Dial] = Dial, **more: Any) -> GymWorld:
    return GymWorld(
        kind, turn, name="dial", objects=dict.fromkeys(DIALS, "place"),
        actions=("(on ?from ?to - place)", "(back ?from ?to - place)"), **more,
    )  # fmt: skip


def shown(env: Any) -> set[tuple[str, ...]]:
    return {("at", DIALS[env.unwrapped.at])}


SHOWN = {"facts": shown, "predicates": ("(at ?p - place)",), "goal": "(not (at dial0))"}
UP = ("(on dial0 dial1)", "(on dial1 dial2)", "(on dial2 dial3)", "(back dial3 dial0)")


@pytest.mark.parametrize("kind", [Dial, Sealed, Shared])
def test_the_surface_is_the_same_with_and_without_snapshots(kind: type[Dial]) -> None:
    world = dial(kind)
    assert isinstance(world, Snapshots) == isinstance(world, ListsHere) == (kind is Dial)
    assert world.executable(UP * 2).steps == 8
    assert [world.applicable(UP[:k]) for k in range(5)] == [(UP[k % 4],) for k in range(5)]
    assert world.executable((*UP[:2], UP[0])).refusal is Refusal.NOT_EXECUTABLE
    assert world.executable(("(on dial0)",)).refusal is Refusal.WRONG_ARITY
    assert {world.executable((t,)).refusal for t in ("((", "(off)", "(on a b)")} == {Refusal.UNKNOWN_NAME}
    assert not world.verify(UP).goal_reached and world.describe() == ""
    with pytest.raises(ValueError, match="step 1 of the walk"):
        world.applicable((UP[1],))


@pytest.mark.parametrize("kind", [Dial, Sealed])
def test_walks_from_the_start_and_refusals_leave_the_current_state(kind: type[Dial]) -> None:
    world = dial(kind)
    assert isinstance(world, Steps)
    assert world.step(UP[0].upper()) and not world.step(UP[0]) and not world.step("(on dial1 dial3)")
    assert world.applicable() == (UP[0],) and world.executable(UP).steps == 4
    assert world.step(UP[1])
    world.reset()
    assert world.step(UP[0])


def test_a_snapshot_is_restored_any_number_of_times() -> None:
    world = dial(**SHOWN, whole=True)
    assert world.step(UP[0])
    kept, key = world.snapshot(), world.fingerprint()
    for _ in range(2):
        assert world.step(UP[1]) and world.fingerprint() != key
        world.restore(kept)
        assert world.fingerprint() == key and world.applicable_here() == (UP[1],)
    assert world.executable(UP * 40).steps == 160  # more than are kept
    assert world.fingerprint() == key


def test_a_protocol_is_there_where_its_part_is() -> None:
    optional = (ShowsStates, Fingerprints, NamesConstants, NamesDomain)
    assert [isinstance(dial(), each) for each in optional] == [False] * 4
    seen = dial(**SHOWN)
    assert [isinstance(seen, each) for each in optional] == [True, False, False, False]
    assert seen.verify(UP[:1]).valid and not seen.verify(UP).goal_reached
    assert seen.facts(UP[:1]) == {("at", "dial1")} and seen.describe() == "(at dial0)"
    full = dial(**SHOWN, whole=True, constants=("dial0",), domain_name="dials")
    assert [isinstance(full, each) for each in optional] == [True] * 4
    assert isinstance(dial(fingerprint=lambda env: env.unwrapped.at), Fingerprints)


def test_parts_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ValueError, match="give it facts"):
        dial(goal="(at dial0)")
    with pytest.raises(ValueError, match="lacking: at"):
        dial(facts=shown, predicates=("(on ?p - place)",))
    with pytest.raises(ValueError, match="write it as"):
        GymWorld(Dial, turn, name="dial", objects={}, actions=("(on from)",))
    with pytest.raises(ValueError, match="goes on in another way"):
        dial(keep=(lambda env: 0, lambda env, state: None))
    with pytest.raises(ValueError, match="a function that makes"):
        dial(Dial())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a mapping from names"):
        GymWorld(Dial, turn, name="dial", objects=[*DIALS], actions=())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is of type 'knob'"):
        GymWorld(Dial, turn, name="dial", objects=dict.fromkeys(DIALS, "place"), actions="(on ?from - knob)")
    with pytest.raises(ValueError, match=r"'\(on \?from' is left"):
        GymWorld(Dial, turn, name="dial", objects={}, actions="(on ?from (off)")
    for wrong in (lambda env: None, lambda env: {"(at dial0)"}):
        with pytest.raises(ValueError, match="facts are tuples"):
            dial(facts=wrong, predicates=("(at ?p - place)",))  # type: ignore[arg-type]


class Vectorial(Dial):
    """One with a reward for each of two aims."""

    def step(self, action: int) -> tuple[int, Any, bool, bool, dict[str, Any]]:
        observation, _, *rest = super().step(action)
        return observation, np.zeros(2), *rest


class Over(Dial):
    """One that raises after its end."""

    def step(self, action: int) -> tuple[int, Any, bool, bool, dict[str, Any]]:
        if self.at == 3:
            raise RuntimeError("reset me")
        return super().step(action)


def test_an_exception_of_the_environment_is_reported_with_the_walk_and_a_fix() -> None:
    world = dial(Over)
    with pytest.raises(BrokenPlugin, match=r"after \(on dial0 dial1\).*RuntimeError: reset me.*return False"):
        world.executable(UP)


def test_rewards_of_any_form_keep_snapshots() -> None:
    assert isinstance(dial(Vectorial), Snapshots)


def test_an_environment_that_refuses_what_it_executed_is_said_to() -> None:
    world = dial(Worn, copies=False)
    assert world.step(UP[0])
    with pytest.raises(NotDeterministic, match=r"refuses it now: \(on dial0 dial1\)"):
        for _ in range(4):
            world.applicable()
            world.step(UP[1])


def test_steps_of_the_simulator_are_counted() -> None:
    world = dial(fingerprint=lambda env: env.unwrapped.at)
    before = world.simulator_steps
    assert world.executable(UP).steps == 4
    assert world.simulator_steps - before == 4
    world.applicable_here()
    known = world.simulator_steps
    world.applicable_here()
    assert world.simulator_steps == known  # what may run in a known state is known
