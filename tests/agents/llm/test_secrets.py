"""A key is in no message, log line or file, whatever goes wrong."""

import logging
import subprocess
import sys
import traceback

import pytest

from agents.llm.errors import LLMError
from agents.llm.faults import Behaviour, Fault
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.stub import StubServer

CANARY = "sk-CANARY-0123456789"
FAULTS = [
    Fault.AUTH,
    Fault.RATE_LIMIT,
    Fault.STALL,
    Fault.TRUNCATED_BODY,
    Fault.GARBAGE,
    Fault.QUOTA,
    Fault.NONE,
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_canary_key_stays_where_it_is(model_at, chat, fault, monkeypatch, tmp_path, caplog, capfd):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    behaviour = Behaviour(always=fault, stall_s=0.2)
    with StubServer(behaviour=behaviour) as stub, Journal(tmp_path / "calls.sqlite") as journal:
        model = model_at(stub.url, timeout_s=0.1)
        said = [repr(model.endpoint)]
        try:
            JournaledModel(model, journal).sample(chat, 2, 0.7, 1)
        except LLMError:
            said.append(traceback.format_exc())
    said += [record.getMessage() for record in caplog.records]
    said += [repr(record.args) for record in caplog.records]
    said += list(capfd.readouterr())
    assert CANARY not in "\n".join(said)
    for path in tmp_path.iterdir():
        assert CANARY.encode() not in path.read_bytes()


def test_with_the_debug_switch_of_openai_the_key_stays_too(tmp_path):
    """In a process of its own: the switch is read when openai is imported."""
    program = f"""
import logging
logging.basicConfig(level=logging.DEBUG, filename={str(tmp_path / "log")!r})
from agents.llm.client import OpenAIModel
from agents.llm.endpoint import Endpoint
from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Message
from agents.llm.stub import StubServer
with StubServer(behaviour=Behaviour([Fault.NONE, Fault.AUTH], ignore_n=True)) as stub:
    OpenAIModel(Endpoint("m", stub.url)).sample([Message("user", "hi")], 2, 0.7, 1)
"""
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_LOG": "debug", "NO_PROXY": "127.0.0.1"}
    run = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, check=False, timeout=60
    )
    assert run.returncode == 1 and b"Incorrect API key provided: ***" in run.stderr
    log = (tmp_path / "log").read_bytes()
    assert b"POST" in log
    assert CANARY.encode() not in log + run.stdout + run.stderr


@pytest.mark.parametrize("length", range(440, 500, 10))
def test_of_a_key_that_a_long_message_is_cut_in_no_half_stays(model_at, chat, length, monkeypatch):
    """The server says `Incorrect API key provided: KEY.`, and messages are cut at 500 characters."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY + "x" * length)
    with StubServer(behaviour=Behaviour(always=Fault.AUTH)) as stub, pytest.raises(LLMError) as caught:
        model_at(stub.url).sample(chat, 1, 0.0, 1)
    assert "CANARY" not in str(caught.value) and "***" in str(caught.value)
