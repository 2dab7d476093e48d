"""Settings: URLs, keys, and which parameters are sent."""

import pickle

import pytest

from agents.llm.endpoint import Endpoint
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.interface import Message

CHAT = [Message("user", "hi")]
LOCAL = "http://localhost:8000/v1"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        (None, "https://api.openai.com/v1"),
        ("http://localhost:8000", LOCAL),
        ("http://localhost:8000/", LOCAL),
        ("http://localhost:8000/v1", LOCAL),
        ("http://localhost:8000/v1/", LOCAL),
        (" http://localhost:8000/v1/chat/completions ", LOCAL),
        ("https://host/api/v2/", "https://host/api/v2"),
    ],
)
def test_the_url_is_normalised(given, url):
    assert Endpoint("m", given).url == url


def test_the_usual_variable_for_the_url_is_honoured(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/")
    assert Endpoint("m").url == LOCAL
    assert Endpoint("m", "http://other").url == "http://other/v1"


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ""},
        {"base_url": "localhost:8000"},
        {"base_url": "ftp://host"},
        {"base_url": "http://user:secret@host/v1"},
        {"concurrency": 0},
        {"fan_out": 0},
        {"extra_headers": {"api-key": "sk-literal"}},
        {"extra_headers": {"Authorization": "Bearer x"}},
    ],
)
def test_settings_that_cannot_work_are_refused(settings):
    with pytest.raises(LLMError) as caught:
        Endpoint(**{"model": "m", **settings})
    assert caught.value.kind is ErrorKind.CONFIG
    assert "secret@" not in str(caught.value)
    assert "literal" not in str(caught.value)


def test_a_key_is_needed_for_openai_only(monkeypatch):
    with pytest.raises(LLMError, match="OPENAI_API_KEY") as caught:
        Endpoint("m").api_key()
    assert caught.value.kind is ErrorKind.AUTH
    assert Endpoint("m", LOCAL).api_key() == "not-needed"
    monkeypatch.setenv("MY_KEY", "k")
    assert Endpoint("m", LOCAL, api_key_env="MY_KEY").api_key() == "k"


def test_parameters_are_data():
    plain = Endpoint("m", LOCAL).arguments(CHAT, 0.5, 2**31 + 7, 3)
    assert plain["max_tokens"] == 4096
    assert (plain["temperature"], plain["seed"], plain["n"]) == (0.5, 7, 3)
    assert "n" not in Endpoint("m", LOCAL).arguments(CHAT, 0.5, 7, 1)
    bare = Endpoint("m", LOCAL, omit_temperature=True, omit_seed=True, max_tokens=None)
    assert set(bare.arguments(CHAT, 0.5, 7, 1)) == {"model", "messages"}
    other = Endpoint("m", LOCAL, max_tokens=9, max_tokens_parameter="max_completion_tokens")
    assert other.arguments(CHAT, 0, 0, 1)["max_completion_tokens"] == 9
    assert "max_completion_tokens" in Endpoint("m").arguments(CHAT, 0, 0, 1)


def test_a_model_of_fixed_temperature_gets_none_unless_told():
    assert "temperature" not in Endpoint("o3-mini", LOCAL).arguments(CHAT, 0.5, 1, 1)
    assert "temperature" not in Endpoint("vendor/o3-mini", LOCAL).arguments(CHAT, 0.5, 1, 1)
    assert "temperature" in Endpoint("o3-mini", LOCAL, omit_temperature=False).arguments(CHAT, 0.5, 1, 1)


def test_headers_may_come_from_the_environment_and_the_profile_never_holds_them(monkeypatch):
    monkeypatch.setenv("GATE_KEY", "sk-CANARY")
    endpoint = Endpoint("m", LOCAL, extra_headers={"api-key": "$GATE_KEY", "x-team": "a"})
    sent = endpoint.arguments(CHAT, 0, 0, 1)["extra_headers"]
    assert sent == {"api-key": "sk-CANARY", "x-team": "a"}
    assert endpoint.secrets() == ("sk-CANARY",)
    assert "CANARY" not in repr(endpoint) + repr(endpoint.profile) + repr(pickle.dumps(endpoint))
    monkeypatch.delenv("GATE_KEY")
    with pytest.raises(LLMError, match="GATE_KEY"):
        endpoint.arguments(CHAT, 0, 0, 1)


def test_everything_that_is_sent_is_in_the_profile():
    base = Endpoint("m", LOCAL)
    changed = [
        Endpoint("m2", LOCAL),
        Endpoint("m", "http://localhost:8001"),
        Endpoint("m", LOCAL, max_tokens=1),
        Endpoint("m", LOCAL, max_tokens=None),
        Endpoint("m", LOCAL, max_tokens_parameter="max_completion_tokens"),
        Endpoint("m", LOCAL, omit_temperature=True),
        Endpoint("m", LOCAL, omit_seed=True),
        Endpoint("m", LOCAL, extra_body={"top_k": 1}),
        Endpoint("m", LOCAL, extra_headers={"x": "y"}),
    ]
    requests = [str(e.profile.request(CHAT, 0.5, 1)) for e in (base, *changed)]
    assert len(set(requests)) == len(requests)


def test_what_is_not_sent_is_not_in_the_profile():
    moved = Endpoint("m", "http://localhost:9/v1", label="desk", timeout_s=1, total_s=1, concurrency=1)
    assert moved.profile == Endpoint("m", LOCAL, label="desk").profile
