"""Endpoints whose waits take no time, and a conversation."""

import dataclasses

import pytest
from passing_clock import PassingClock

from agents.llm.client import OpenAIModel
from agents.llm.endpoint import Endpoint
from agents.llm.interface import Message


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_LOG", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def chat():
    return [Message("system", "You write PDDL."), Message("user", "Write the domain, please.")]


@pytest.fixture
def model_at():
    """model_at(url, **settings): a live model whose waits pass at once; closed at the end."""
    fast = Endpoint("stub", "http://127.0.0.1:1", timeout_s=60)
    made = []

    def make(url, **settings):
        made.append(OpenAIModel(dataclasses.replace(fast, base_url=url, **settings), PassingClock()))
        return made[-1]

    yield make
    for model in made:
        model.close()
