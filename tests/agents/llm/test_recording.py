"""Recordings: equal journals give equal files, and a replay says what the run was told."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from agents.llm.errors import CallFailure, ErrorKind, LLMError
from agents.llm.interface import Completion, Finish, Message, Usage
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.keys import Profile, canonical
from agents.llm.recording import RecordedModel, export_jsonl, load_recording
from agents.llm.scripted import ScriptedModel

PROFILE = Profile("http://host/v1", "m", {"max_tokens": 5})
HEADER = {"env": "grippers", "np": 2, "nd": 3}
FIRST, SECOND = [Message("user", "hi")], [Message("user", "hi"), Message("assistant", "é \ud800")]


def scripted():
    def reply(messages, index, seed):
        return Completion(f"{len(messages)}/{index}/{seed}", usage=Usage(5, index), latency_s=0.5)

    return ScriptedModel(reply, PROFILE)


@pytest.fixture
def run(tmp_path):
    """A journal with two conversations, as a run leaves it."""
    with Journal(tmp_path / "calls.sqlite") as journal:
        model = JournaledModel(scripted(), journal)
        model.sample(SECOND, 1, 0.0, 2)
        model.sample(FIRST, 3, 0.7, 1)
        yield journal


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_a_recording_answers_as_the_run_was_answered(run, tmp_path, name):
    assert export_jsonl(run, tmp_path / name, HEADER) == 4
    recording = load_recording(tmp_path / name)
    assert recording.header == HEADER
    assert (recording.samples, recording.profile) == (4, PROFILE)
    model = RecordedModel(recording)
    assert model.sample(FIRST, 3, 0.7, 1) == scripted().sample(FIRST, 3, 0.7, 1)
    assert model.sample(FIRST, 2, 0.7, 1) == scripted().sample(FIRST, 2, 0.7, 1)
    assert model.sample(SECOND, 1, 0.0, 2) == scripted().sample(SECOND, 1, 0.0, 2)
    assert model.request(FIRST, 0.7, 1) == scripted().request(FIRST, 0.7, 1)


def test_recordings_of_one_model_keep_their_own_answers_behind_one_journal(tmp_path):
    recorded = {}
    for name in ("one", "other"):
        with Journal(tmp_path / f"{name}.sqlite") as journal:
            answering = ScriptedModel(lambda messages, index, seed, name=name: Completion(name), PROFILE)
            JournaledModel(answering, journal).sample(FIRST, 1, 0.0, 0)
        recorded[name] = load_recording(tmp_path / f"{name}.sqlite")
    with Journal(tmp_path / "both.sqlite") as journal:
        models = {n: JournaledModel(RecordedModel(r, endpoint=n), journal) for n, r in recorded.items()}
        for _ in range(2):  # from the recording, then from the journal
            assert {n: m.sample(FIRST, 1, 0.0, 0)[0].text for n, m in models.items()} == {
                "one": "one",
                "other": "other",
            }


def test_a_journal_is_a_recording(run, tmp_path):
    export_jsonl(run, tmp_path / "r.jsonl", HEADER)
    assert load_recording(run.path).requests == load_recording(tmp_path / "r.jsonl").requests


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_the_order_of_the_calls_does_not_show(run, tmp_path, name):
    export_jsonl(run, tmp_path / f"one-{name}", HEADER)
    with Journal(tmp_path / "other.sqlite") as other:
        for sample in (2, 0, 1):
            (completion,) = scripted().stream(FIRST, [sample], 0.7, 1)
            other.record(scripted().request(FIRST, 0.7, 1), {sample: completion})
        JournaledModel(scripted(), other).sample(SECOND, 1, 0.0, 2)
        other.record_failure(
            scripted().request(FIRST, 0.7, 1), 0, CallFailure(ErrorKind.TIMEOUT, "no answer in time")
        )
        export_jsonl(other, tmp_path / f"two-{name}", dict(reversed(HEADER.items())))
    assert (tmp_path / f"one-{name}").read_bytes() == (tmp_path / f"two-{name}").read_bytes()


def test_exporting_a_replayed_recording_gives_the_same_bytes(run, tmp_path):
    export_jsonl(run, tmp_path / "one.gz", HEADER)
    with Journal(tmp_path / "replayed.sqlite") as journal:
        model = JournaledModel(RecordedModel(load_recording(tmp_path / "one.gz")), journal)
        model.sample(FIRST, 3, 0.7, 1)
        model.sample(SECOND, 1, 0.0, 2)
        export_jsonl(journal, tmp_path / "two.gz", HEADER)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_a_run_killed_in_the_middle_of_a_request_goes_on_with_the_recording(run, tmp_path):
    recorded = RecordedModel(load_recording(run.path))
    with Journal(tmp_path / "half.sqlite") as journal:
        first = next(JournaledModel(recorded, journal).stream(FIRST, range(3), 0.7, 1))
        model = JournaledModel(recorded, journal)
        assert model.sample(FIRST, 3, 0.7, 1) == scripted().sample(FIRST, 3, 0.7, 1)
        assert model.counters.made == 2
        assert first.text == "1/0/1"


def test_a_cut_answer_is_replayed_as_the_run_met_it_unless_a_whole_one_came_later(tmp_path):
    cut = Completion("cut", Finish.LENGTH)
    with Journal(tmp_path / "calls.sqlite") as journal:
        request = scripted().request(FIRST, 0.7, 1)
        journal.record(request, {0: cut})
        assert RecordedModel(load_recording(journal.path)).sample(FIRST, 1, 0.7, 1) == (cut,)
        for text in ("whole", "whole, but later"):
            journal.record(request, {0: replace(cut, text=text, finish=Finish.STOP)})
        assert RecordedModel(load_recording(journal.path)).sample(FIRST, 1, 0.7, 1)[0].text == "whole"


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ((FIRST, 4, 0.7, 1), "samples [0, 1, 2] only"),
        ((FIRST, 1, 0.7, 9), "with seed 1, not 9"),
        ((FIRST, 1, 0.6, 1), "no recorded request"),
        (([Message("user", "ho")], 1, 0.7, 1), "no recorded request"),
    ],
)
def test_a_miss_says_what_is_nearest(run, call, hint):
    with pytest.raises(LLMError) as caught:
        RecordedModel(load_recording(run.path)).sample(*call)
    assert caught.value.kind is ErrorKind.REPLAY_MISS
    assert hint in str(caught.value)


def test_a_recording_of_two_models_has_no_profile(run):
    run.record(Profile("http://other/v1", "m").request(FIRST, 0.7, 1), {0: Completion("x")})
    with pytest.raises(LLMError, match="2 models or settings"):
        RecordedModel(load_recording(run.path))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}\n",
        b"[1]\n",
        b"\xff\xfe",
        b"\x1f\x8b not gzip",
        b'{"recording": 7, "header": {}}\n',
        b'{"recording": 1, "header": {}}\n{"request": {}}\n',
        b'{"recording": 1, "header": {}}\n{"request": {}, "replies": {"0": {"text": "x", "odd": 1}}}\n',
        b'{"recording": 1, "header": {}}\n{"request": {}, "replies": {"0": {"text": "x", "finish": "?"}}}\n',
        b"SQLite format 3\x00 but no more",
    ],
)
def test_a_file_that_is_no_recording_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "broken.jsonl"
    path.write_bytes(content)
    with pytest.raises(LLMError, match=r"broken\.jsonl") as caught:
        load_recording(path)
    assert caught.value.kind is ErrorKind.JOURNAL


def test_a_missing_recording_is_an_error_that_names_it(tmp_path):
    with pytest.raises(LLMError, match=r"none\.jsonl"):
        load_recording(tmp_path / "none.jsonl")


def test_a_recording_is_plain_sorted_text(run, tmp_path):
    export_jsonl(run, tmp_path / "r.jsonl.gz", HEADER)
    lines = gzip.decompress((tmp_path / "r.jsonl.gz").read_bytes()).decode("ascii").splitlines()
    assert json.loads(lines[0]) == {"recording": 1, "header": HEADER}
    entries = [json.loads(line) for line in lines[1:]]
    assert [len(entry["request"]["messages"]) for entry in entries] == [2, 1]
    assert [list(entry["replies"]) for entry in entries] == [["0"], ["0", "1", "2"]]
    assert [entry["request"] for entry in entries] == sorted((e["request"] for e in entries), key=canonical)


def test_a_replay_needs_no_openai(run):
    program = (
        "import sys; from agents.llm.recording import RecordedModel, load_recording;"
        f"RecordedModel(load_recording({str(run.path)!r})); import agents.llm.client;"
        "assert 'openai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
