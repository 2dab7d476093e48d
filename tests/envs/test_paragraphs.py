"""Descriptions in parts: every action of every world has its own."""

from __future__ import annotations

import pickle

import pytest

from envs.registry import worlds
from envs.verbalisation.paragraphs import UnclearParagraphs, read_paragraphs
from envs.world import open_world


@pytest.mark.parametrize("name", worlds())
def test_every_world_says_something_about_each_action_and_in_general(name: str) -> None:
    world = open_world(name)
    found = read_paragraphs(world.description, [action.name for action in world.actions])
    assert set(found.actions) == {action.name for action in world.actions}
    assert found.general and all(found.actions.values())
    assert all(text in world.description for text in (found.general, *found.actions.values()))


@pytest.mark.parametrize("name", ["logistics", "household"])
def test_the_parts_hold_everything_but_numbers_and_names(name: str) -> None:
    description = open_world(name).description
    found = read_paragraphs(description)
    parts = sum(len(text) for text in (found.general, *found.actions.values()))
    heads = sum(len(f"{i}. {action}: \n\n") for i, action in enumerate(found.actions, 1))
    assert 0 <= len(description) - parts - heads < 60  # the sentence that announces the actions


def test_an_action_without_a_paragraph_or_with_two_is_named() -> None:
    with pytest.raises(UnclearParagraphs, match="no paragraph on shut, lock: give every action") as caught:
        read_paragraphs("A door.\n\n1. open: It opens.", ["open", "shut", "lock"])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301
    with pytest.raises(UnclearParagraphs, match="two paragraphs on open"):
        read_paragraphs("1. open: It opens.\n2. OPEN: It opens again.")


def test_a_text_without_actions_is_general() -> None:
    assert read_paragraphs("A door.").general == "A door."
