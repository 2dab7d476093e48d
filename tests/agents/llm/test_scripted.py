"""The scripted model says what it was told to say."""

import pickle

import pytest

from agents.llm.errors import LLMError
from agents.llm.interface import Completion, Finish, Message
from agents.llm.keys import Profile
from agents.llm.scripted import ScriptedModel

CHAT = [Message("user", "hi")]


def by_all(messages, index, seed):
    return f"{messages[0].content}/{index}/{seed}"


def test_a_list_is_used_up_in_order():
    model = ScriptedModel(["a", "b", Completion("c", Finish.LENGTH)])
    assert [c.text for c in model.sample(CHAT, 2, 0.7, 1)] == ["a", "b"]
    assert model.sample(CHAT, 1, 0.7, 1)[0].finish is Finish.LENGTH
    with pytest.raises(LLMError, match="3 replies and reply number 4"):
        model.sample(CHAT, 1, 0.7, 1)
    assert model.requests == 3


def test_a_function_answers_by_messages_index_and_seed():
    model = ScriptedModel(by_all)
    assert [c.text for c in model.sample(CHAT, 2, 0.7, 9)] == ["hi/0/9", "hi/1/9"]
    assert [c.text for c in model.stream(CHAT, [4, 2], 0.7, 9)] == ["hi/4/9", "hi/2/9"]


def test_it_pickles_with_its_place_in_the_script():
    model = ScriptedModel(["a", "b"], Profile("desk", "m"))
    model.sample(CHAT, 1, 0.7, 1)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 (our own bytes)
    assert again.sample(CHAT, 1, 0.7, 1)[0] == Completion("b", model="m")
    assert again.request(CHAT, 0.7, 1) == model.request(CHAT, 0.7, 1)
