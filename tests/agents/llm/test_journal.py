"""The journal keeps every sample that it has acknowledged, and serves only whole answers."""

import json
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.errors import CallFailure, ErrorKind, LLMError
from agents.llm.interface import Completion, Finish, Message, Usage
from agents.llm.journal import Journal, completion_from_json, completion_to_json
from agents.llm.keys import Profile

PROFILE = Profile("http://host/v1", "m", {"max_tokens": 5})
FULL = Completion("text", Finish.STOP, Usage(3, 4), "m-1", "why", "fp", 0.25, 2)


def request(text="u", temperature=0.7, seed=1, profile=PROFILE):
    return profile.request([Message("user", text)], temperature, seed)


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "calls.sqlite") as opened:
        yield opened


def test_an_answer_is_found_again_in_full(journal):
    journal.record(request(), {0: FULL})
    assert journal.find(request(), 0) == FULL


@pytest.mark.parametrize(
    "other",
    [
        (request("v"), 0),
        (request(temperature=0.8), 0),
        (request(seed=2), 0),
        (request(profile=replace(PROFILE, model="m2")), 0),
        (request(profile=replace(PROFILE, endpoint="http://other/v1")), 0),
        (request(profile=replace(PROFILE, parameters={})), 0),
        (request(), 1),
    ],
)
def test_any_other_call_is_a_miss(journal, other):
    journal.record(request(), {0: FULL})
    assert journal.find(*other) is None


def test_answers_outlive_the_journal_object(tmp_path):
    path = tmp_path / "calls.sqlite"
    with Journal(path) as journal:
        journal.record(request(), {3: FULL})
    with Journal(path) as journal:
        assert journal.find(request(), 3) == FULL
    with Journal(path, read_only=True) as journal:
        assert journal.find(request(), 3) == FULL
        with pytest.raises(LLMError):
            journal.record(request(), {4: FULL})


@pytest.mark.parametrize("finish", [f for f in Finish if f is not Finish.STOP])
def test_an_answer_that_is_not_whole_is_kept_but_not_served(journal, finish):
    journal.record(request(), {0: replace(FULL, finish=finish)})
    assert journal.find(request(), 0) is None
    assert [c.completion.finish for c in journal.calls()] == [finish]
    journal.record(request(), {0: FULL})
    assert journal.find(request(), 0) == FULL


def test_an_answer_to_a_cut_prompt_is_not_served(journal):
    journal.record(request(), {0: replace(FULL, truncated_prompt=True)})
    assert journal.find(request(), 0) is None


def test_a_failed_call_is_kept_but_not_served(journal):
    failure = CallFailure(ErrorKind.RATE_LIMIT, "slow down", 429, None, 2.0, 3)
    journal.record_failure(request(), 0, failure)
    assert journal.find(request(), 0) is None
    (call,) = journal.calls()
    assert (call.failure, call.completion, call.served) == (failure, None, False)


def test_the_first_whole_answer_stays_the_answer(journal):
    other = replace(FULL, text="later")
    assert journal.record(request(), {0: FULL}) == {0: FULL}
    assert journal.record(request(), {0: other}) == {0: FULL}
    assert journal.find(request(), 0) == FULL
    assert [(c.completion, c.served) for c in journal.calls()] == [(FULL, True), (other, False)]


def test_the_answers_of_one_reply_are_recorded_together_or_not_at_all(journal):
    with pytest.raises(ValueError, match="JSON"):
        journal.record(request(), {0: FULL, 1: replace(FULL, latency_s=float("nan"))})
    assert list(journal.calls()) == []
    assert journal.record(request(), {1: FULL, 0: replace(FULL, text="b")})[1] == FULL
    assert [c.sample for c in journal.calls()] == [1, 0]


def test_requests_are_stored_verbatim_and_once(journal):
    for sample in range(5):
        journal.record(request("a long text"), {sample: FULL})
    rows = sqlite3.connect(journal.path).execute("SELECT request FROM requests").fetchall()
    assert [json.loads(text) for (text,) in rows] == [request("a long text")]
    assert [(c.request, c.sample) for c in journal.calls()] == [(request("a long text"), i) for i in range(5)]


texts = st.text(st.characters(exclude_categories=()))


@given(texts, texts, st.sampled_from(Finish), st.floats(0, 1e6), st.integers(0, 10**9))
def test_any_completion_is_read_back_from_its_json(text, reasoning, finish, latency, tokens):
    completion = Completion(text, finish, Usage(tokens, 1), "m", reasoning, "", latency)
    assert completion_from_json(json.loads(json.dumps(completion_to_json(completion)))) == completion


@pytest.mark.parametrize("text", ["", "\x00", "\ud800 alone", "é 漢 🜁", "'; DROP TABLE calls; --"])
def test_odd_texts_are_kept_as_they_are(journal, text):
    journal.record(request(text), {0: replace(FULL, text=text)})
    assert journal.find(request(text), 0).text == text


def test_threads_share_a_journal(journal):
    def write(worker):
        for sample in range(20):
            journal.record(request(str(worker)), {sample: replace(FULL, text=f"{worker}/{sample}")})

    threads = [threading.Thread(target=write, args=(w,)) for w in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {journal.find(request(str(w)), s).text for w in range(6) for s in range(20)}
    assert len(found) == 120 == len(list(journal.calls()))


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "calls.sqlite"
    path.write_bytes(b"not a database, but long enough to be read as one " * 40)
    with pytest.raises(LLMError, match=r"calls\.sqlite") as caught:
        Journal(path)
    assert caught.value.kind is ErrorKind.JOURNAL
    assert path.read_bytes().startswith(b"not a database")


def test_a_journal_of_another_key_version_is_refused(tmp_path):
    path = tmp_path / "calls.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(LLMError, match="99"):
        Journal(path)


def test_a_missing_folder_or_file_is_an_error_of_ours(tmp_path):
    for arguments in ({"read_only": False}, {"read_only": True}):
        with pytest.raises(LLMError, match="none") as caught:
            Journal(tmp_path / "none" / "calls.sqlite", **arguments)
        assert pickle.loads(pickle.dumps(caught.value)).kind is ErrorKind.JOURNAL  # noqa: S301 (our own bytes)


WRITER = """
import sys
from agents.llm.interface import Completion, Message
from agents.llm.journal import Journal
from agents.llm.keys import Profile
journal = Journal(sys.argv[1])
number = int(sys.argv[2])
while True:
    request = Profile("e", "m").request([Message("user", str(number))], 0.5, 0)
    journal.record(request, {0: Completion(f"answer {number}" * 50)})
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
    number += 1
"""


@pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path):
    path, acknowledged, draw = tmp_path / "calls.sqlite", [], random.Random(0)
    for _ in range(3):
        first = acknowledged[-1] + 1 if acknowledged else 0
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(first)], stdout=subprocess.PIPE, text=True
        ) as writer:
            for _ in range(draw.randint(1, 60)):
                acknowledged.append(int(writer.stdout.readline()))
            writer.send_signal(signal.SIGKILL)
            acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
        with Journal(path) as journal:
            for number in acknowledged:
                request = Profile("e", "m").request([Message("user", str(number))], 0.5, 0)
                assert journal.find(request, 0) == Completion(f"answer {number}" * 50)
    assert len(acknowledged) > 3


def test_reading_leaves_nothing_beside_the_journal(tmp_path):
    path = tmp_path / "calls.sqlite"
    with Journal(path) as journal:
        journal.record(request(), {0: FULL})
    with Journal(path, read_only=True) as journal:
        assert journal.find(request(), 0) == FULL
        assert [p.name for p in tmp_path.iterdir()] == ["calls.sqlite"]


def test_a_journal_is_read_while_it_is_written(tmp_path):
    path = tmp_path / "calls.sqlite"
    with Journal(path) as writer:
        writer.record(request(), {0: FULL})
        with Journal(path, read_only=True) as reader:
            assert reader.find(request(), 0) == FULL
            writer.record(request(), {1: FULL})
            assert reader.find(request(), 1) == FULL


def test_every_request_is_told_once_in_the_order_of_asking(journal):
    for text, sample in (("b", 0), ("a", 0), ("b", 1)):
        journal.record(request(text), {sample: FULL})
    assert [r["messages"][0]["content"] for r in journal.requests()] == ["b", "a"]
