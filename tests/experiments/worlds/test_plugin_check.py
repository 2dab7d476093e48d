"""`worlds check` and `show` of worlds without files: simulators, and worlds that break their word."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from envs.adapters import toytext
from envs.adapters.gym_world import GymWorld
from envs.pddl.interface import World
from experiments.config import ConfigError
from experiments.worlds import plugin_check
from experiments.worlds.__main__ import main
from experiments.worlds.plugin_check import PluginCheck


def checked(monkeypatch: pytest.MonkeyPatch, *worlds: World) -> PluginCheck:
    """A check of worlds that are opened one after another, and from the start again."""
    turn = itertools.cycle(worlds)
    monkeypatch.setattr(plugin_check, "open_world", lambda name, task: next(turn))
    return PluginCheck("mine")


def lake(**more: Any) -> GymWorld:
    world = toytext.open_lake(3)
    for name, value in more.items():
        setattr(world, name, value)
    return world


def test_what_is_found_out_about_a_simulator_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "toytext:Taxi"]) == 0
    printed = capsys.readouterr().out
    for text in (
        "deterministic",
        "an operator costs",
        "1.0 simulator steps",
        "the check took ",
        "ShowsStates",
        "nothing to fix",
    ):
        assert text in printed
    assert "toytext:Taxi: nothing" in printed  # no picture of a taxi


def test_a_simulator_is_shown_like_any_world(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "minigrid:DoorKey-5x5", "--task", "f02"]) == 0
    printed = capsys.readouterr().out
    assert "(toggle ?door - door" in printed and "hands are free" in printed
    assert re.search(r"── to show this took\n[1-9][\d,]* simulator steps", printed)


def test_two_worlds_of_one_name_that_differ_are_refused_with_the_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConfigError, match=r"not deterministic.*The walk: \(move-"):
        checked(monkeypatch, toytext.open_lake(3), toytext.open_lake(1)).findings()


def test_a_world_that_is_not_deterministic_ends_the_command_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    turn = itertools.cycle((toytext.open_lake(3), toytext.open_lake(1)))
    monkeypatch.setattr(plugin_check, "open_world", lambda name, task: next(turn))
    assert main(["check", "toytext:FrozenLake"]) == 2
    assert "not deterministic" in capsys.readouterr().err


def test_facts_that_leave_out_what_matters_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    world = lake(facts=lambda walk=(): frozenset())
    found = checked(monkeypatch, world).findings()
    assert any("equal facts, but what may run differs" in each.message for each in found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cell-9-9",), "cell-9-9 in the fact ({} cell-9-9) is no object of type"),
        ((), "the fact ({}) fits no"),
    ],
)
def test_facts_that_fit_no_declaration_are_found_once(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = lake()
    facts, name = world.facts, next(name for name, kinds in world.predicates.items() if len(kinds) == 1)
    world.facts = lambda walk=(): facts(walk) | {(name, *arguments)}
    found = [each.message for each in checked(monkeypatch, world).findings()]
    assert sum(message.format(name) in text for text in found) == 1


def test_a_world_in_which_nothing_runs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    world = lake(applicable=lambda walk=(): ())
    assert any("no operator ran" in each.message for each in checked(monkeypatch, world).findings())


def test_operators_that_run_unlisted_or_are_listed_in_vain_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    applicable = toytext.open_lake(3).applicable
    fewer = lake(applicable=lambda walk=(): applicable(walk)[len(walk) % 2 :])
    found = [each.message for each in checked(monkeypatch, fewer).findings()]
    assert any("runs, and is not listed" in text for text in found)
    more = lake(applicable=lambda walk=(): (*applicable(walk), "(move-east cell-0-0 cell-3-3)"))
    found = [each.message for each in checked(monkeypatch, more).findings()]
    assert any("is listed as applicable, and refused" in text for text in found)


def test_a_world_without_texts_is_one_to_look_at_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked(monkeypatch, lake(description="", task="")).findings()
    assert [str(each.severity) for each in found] == ["warning", "warning"]
