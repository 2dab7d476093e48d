"""The stub endpoint: a recording served over HTTP, faults and all, gives the recording's answers."""

import json
import threading
import urllib.error
import urllib.request

import pytest

from agents.llm import stub as stub_module
from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Message
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.keys import Profile
from agents.llm.recording import load_recording
from agents.llm.scripted import ScriptedModel
from agents.llm.stub import StubServer, replies_from

CHATS = [[Message("user", "first")], [Message("user", "first"), Message("assistant", "second")]]


@pytest.fixture
def recording(tmp_path):
    def reply(messages, index, seed):
        return f"{messages[-1].content} {index} {seed}"

    with Journal(tmp_path / "calls.sqlite") as journal:
        model = JournaledModel(ScriptedModel(reply, Profile("http://gone/v1", "m")), journal)
        for seed, chat in enumerate(CHATS):
            model.sample(chat, 4, 0.7, seed)
        model.sample(CHATS[0], 4, 0.7, 7)
    return load_recording(journal.path)


def texts(model):
    asked = [(CHATS[0], 0), (CHATS[1], 1), (CHATS[0], 7)]
    return [[c.text for c in model.sample(chat, 4, 0.7, seed)] for chat, seed in asked]


FAULTS = [Fault.RATE_LIMIT, Fault.NONE, Fault.RATE_LIMIT_RETRY_AFTER, Fault.TRUNCATED_BODY]


@pytest.mark.parametrize("ignore_n", [False, True])
def test_a_recording_served_by_a_bad_server_still_gives_every_sample(recording, model_at, ignore_n):
    with StubServer(replies_from(recording), Behaviour(FAULTS, ignore_n=ignore_n)) as stub:
        live = texts(model_at(stub.url))
    assert live == [
        [f"{t} {i} {s}" for i in range(4)] for t, s in (("first", 0), ("second", 1), ("first", 7))
    ]
    assert stub.seen.requests == (3 * 4 if ignore_n else 3) + 3


def test_a_half_journaled_request_is_completed_with_the_right_samples(recording, model_at, tmp_path):
    with StubServer(replies_from(recording)) as stub, Journal(tmp_path / "half.sqlite") as journal:
        model = JournaledModel(model_at(stub.url), journal)
        model.sample(CHATS[0], 1, 0.7, 7)
        assert texts(model)[2] == ["first 0 7", "first 1 7", "first 2 7", "first 3 7"]
        assert model.counters.made == 12


def test_an_unknown_conversation_is_refused_and_not_made_up(recording, model_at):
    with StubServer(replies_from(recording)) as stub, pytest.raises(Exception, match="no reply for this"):
        model_at(stub.url).sample([Message("user", "other")], 1, 0.7, 0)


def test_identical_samples_on_demand(model_at, chat):
    with StubServer(["a", "b"], Behaviour(identical=True)) as stub:
        assert [c.text for c in model_at(stub.url).sample(chat, 2, 0.7, 0)] == ["a", "a"]


def test_unknown_paths_are_404(model_at):
    with StubServer() as stub:
        for data in (None, b"{}"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(urllib.request.Request(f"{stub.url}/other", data=data), timeout=60)
            assert caught.value.code == 404
            assert json.load(caught.value)["error"]["code"] == "not_found"
            caught.value.close()


def test_it_runs_from_the_command_line(recording, model_at, monkeypatch):
    started, stop, servers = threading.Event(), threading.Event(), []

    class Watched(StubServer):
        def __enter__(self):
            servers.append(super().__enter__())
            return servers[-1]

    def until():
        started.set()
        stop.wait(30)

    monkeypatch.setattr(stub_module, "StubServer", Watched)
    arguments = ["--recording", recording.name, "--port", "0", "--ignore-n", "--faults", "rate_limit,drop"]
    thread = threading.Thread(target=stub_module.main, args=(arguments,), kwargs={"until": until})
    thread.start()
    assert started.wait(30)
    try:
        assert texts(model_at(servers[0].url))[0] == [f"first {i} 0" for i in range(4)]
        assert servers[0].seen.requests == 12 + 2
    finally:
        stop.set()
        thread.join()


def test_what_is_always_wrong_can_be_said_on_the_command_line(recording, monkeypatch):
    seen = []

    class Watched(StubServer):
        def __enter__(self):
            seen.append(self.behaviour)
            return super().__enter__()

    monkeypatch.setattr(stub_module, "StubServer", Watched)
    flags = ["--recording", recording.name, "--port", "0", "--identical"]
    stub_module.main([*flags, "--faults", "drop", "--always", "quota"], until=lambda: None)
    assert seen == [Behaviour([Fault.DROP], Fault.QUOTA, identical=True)]


@pytest.mark.parametrize("more", [[], ["--faults", "bogus"], ["--always", "bogus"]])
def test_a_wrong_flag_is_one_line_and_exit_code_2(more, capsys):
    with pytest.raises(SystemExit) as caught:
        stub_module.main(["--recording", "nowhere", *more])
    assert caught.value.code == 2
    assert (more or ["nowhere"])[-1] in capsys.readouterr().err.splitlines()[-1]
