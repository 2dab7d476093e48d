"""The live client against a real HTTP server that misbehaves."""

import logging
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path

import pytest

from agents.llm.client import OpenAIModel
from agents.llm.endpoint import Endpoint
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Finish, Message, Usage
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.keys import sample_seed
from agents.llm.stub import StubServer
from agents.llm.transport import _kind, _retry_after


def by_seed(messages, index, seed):
    return f"{messages[-1].content}/{index}/{seed}"


def failing(model, chat, k=1):
    with pytest.raises(LLMError) as caught:
        model.sample(chat, k, 0.7, 1)
    return caught.value


def test_all_samples_come_in_one_request(model_at, chat):
    with StubServer(by_seed) as stub:
        completions = model_at(stub.url).sample(chat, 3, 0.7, 5)
    assert [c.text for c in completions] == [f"Write the domain, please./{i}/5" for i in range(3)]
    assert stub.seen.requests == 1
    body = stub.seen.bodies[0]
    assert (body["n"], body["seed"], body["temperature"], body["max_tokens"]) == (3, 5, 0.7, 4096)
    assert all(c.model == "stub" and c.fingerprint == "fp_stub" and c.latency_s >= 0 for c in completions)


def test_a_server_that_ignores_n_is_asked_again_for_the_rest_and_this_is_said_once(model_at, chat, caplog):
    with StubServer(by_seed, Behaviour(ignore_n=True)) as stub, caplog.at_level(logging.WARNING):
        model = model_at(stub.url)
        completions = model.sample(chat, 4, 0.7, 5)
        model.sample(chat, 2, 0.7, 6)
    seeds = [b["seed"] for b in stub.seen.bodies]
    assert (seeds[0], seeds[4:]) == (5, [6, sample_seed(6, 1)])
    assert sorted(seeds[1:4]) == sorted(sample_seed(5, i) for i in (1, 2, 3))
    assert ["n" in b for b in stub.seen.bodies] == [True, False, False, False, True, False]
    assert len({c.text for c in completions}) == 4
    assert len([r for r in caplog.records if "one by one" in r.getMessage()]) == 1


def test_a_server_that_refuses_n_is_asked_one_by_one_from_then_on(model_at, chat):
    with StubServer(by_seed, Behaviour(always=Fault.ONE_CHOICE_ONLY)) as stub:
        model = model_at(stub.url)
        assert len(model.sample(chat, 3, 0.7, 5)) == 3
        assert len(model.sample(chat, 3, 0.7, 5)) == 3
    assert ["n" in b for b in stub.seen.bodies] == [True] + [False] * 6


def test_n_can_be_switched_off(model_at, chat):
    with StubServer(by_seed) as stub:
        assert len(model_at(stub.url, use_n=False).sample(chat, 2, 0.7, 5)) == 2
    assert not any("n" in b for b in stub.seen.bodies)


def test_samples_asked_for_later_have_other_seeds_than_the_first(model_at, chat):
    with StubServer(by_seed) as stub:
        list(model_at(stub.url).stream(chat, [1, 2], 0.7, 5))
    assert [b["seed"] for b in stub.seen.bodies] == [sample_seed(5, 1)]


def test_samples_are_handed_over_one_by_one(model_at, chat):
    with StubServer(by_seed, Behaviour([Fault.NONE, Fault.NONE, Fault.AUTH], ignore_n=True)) as stub:
        stream = model_at(stub.url, fan_out=1).stream(chat, range(3), 0.7, 5)
        assert next(stream).text
        assert stub.seen.requests == 1
        assert next(stream).text
        with pytest.raises(LLMError):
            next(stream)


class Slow:
    """Answers by seed, one seed after three others; keeps the order in which it answered."""

    def __init__(self, late):
        self.late = late
        self.others = threading.Semaphore(0)
        self.arrived = threading.Event()
        self.done = []

    def __call__(self, messages, index, seed):
        if seed == self.late:
            self.arrived.set()
            for _ in range(3):
                assert self.others.acquire(timeout=60)
        elif self.done:  # those that are asked side by side with it do not end before it has come
            assert self.arrived.wait(timeout=60)
        self.done.append(seed)
        self.others.release()
        return f"{seed}"


def test_single_requests_are_in_flight_together_and_their_samples_come_in_order(model_at, chat):
    slow = Slow(late=sample_seed(5, 1))
    with StubServer(slow, Behaviour(ignore_n=True)) as stub:
        completions = model_at(stub.url, fan_out=2).sample(chat, 4, 0.7, 5)
    assert slow.done == [sample_seed(5, i) for i in (0, 2, 3, 1)]
    assert [c.text for c in completions] == [str(sample_seed(5, i)) for i in range(4)]
    assert stub.seen.most_in_flight == 2


def test_single_requests_keep_to_the_endpoint_s_cap_too(model_at, chat):
    with StubServer(by_seed, Behaviour(ignore_n=True, delay_s=0.01)) as stub:
        model = model_at(stub.url, concurrency=3, fan_out=8)
        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda seed: len(model.sample(chat, 6, 0.7, seed)), range(4)))
    assert texts == [6] * 4
    assert stub.seen.most_in_flight == 3


def test_a_failed_request_among_several_loses_no_answer_that_was_paid_for(model_at, chat, tmp_path):
    faults = [Fault.NONE, Fault.AUTH, Fault.NONE, Fault.NONE]
    with (
        StubServer(by_seed, Behaviour(faults, ignore_n=True, delay_s=0.05)) as stub,
        Journal(tmp_path / "calls.sqlite") as journal,
    ):
        model = JournaledModel(model_at(stub.url, fan_out=3), journal)
        with pytest.raises(LLMError, match="auth"):
            model.sample(chat, 9, 0.7, 5)
        paid, refused = stub.seen.samples, [c.sample for c in journal.calls() if c.failure]
        assert stub.seen.requests == paid + 1 < 9
        assert [c.completion is not None for c in journal.calls()] == [True] * paid + [False]
        assert len(model.sample(chat, 9, 0.7, 5)) == 9
        assert stub.seen.samples == 9
        assert refused[0] in (1, 2, 3)


def test_zero_samples_cost_nothing(model_at, chat):
    assert model_at("http://127.0.0.1:1").sample(chat, 0, 0.7, 5) == ()


def test_tokens_of_all_samples_add_up_to_what_was_paid(model_at, chat):
    with StubServer(["abcdefgh" * 10, "xy"]) as stub:
        together = model_at(stub.url).sample(chat, 2, 0.7, 5)
    assert sum((c.usage for c in together), Usage()).completion_tokens == 21 + 1
    assert together[1].usage.prompt_tokens == 0 < together[0].usage.prompt_tokens


def test_retries_of_all_samples_add_up_to_the_requests_that_were_sent_again(model_at, chat):
    with StubServer(by_seed, Behaviour([Fault.RATE_LIMIT, Fault.DROP, Fault.NONE, Fault.RATE_LIMIT])) as stub:
        together = [*model_at(stub.url).sample(chat, 3, 0.7, 5), *model_at(stub.url).sample(chat, 2, 0.7, 6)]
    assert [c.retries for c in together] == [2, 0, 0, 1, 0] and stub.seen.requests == 5


PASSING = [
    Fault.RATE_LIMIT,
    Fault.RATE_LIMIT_RETRY_AFTER,
    Fault.SERVER_ERROR,
    Fault.OVERLOADED,
    Fault.BUSY_NO_WAIT,
    Fault.BUSY_PAST_DATE,
    Fault.STALL,
    Fault.TRICKLE,
    Fault.DROP,
    Fault.TRUNCATED_BODY,
    Fault.GARBAGE,
    Fault.NO_CHOICES,
    Fault.ERROR_IN_BODY,
    Fault.CUT_PROMPT,
    Fault.FULL_CONTEXT,
]


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_costs_one_retry_and_no_sample(model_at, chat, fault):
    # where nothing comes, a limit within which a busy machine answers the second request
    for timeout_s in (0.5, 2, 8) if fault in (Fault.STALL, Fault.TRICKLE) else (60,):
        with StubServer(by_seed, Behaviour([fault], stall_s=30)) as stub:
            model = model_at(stub.url, timeout_s=timeout_s)
            (completion,) = model.sample([*chat, Message("user", "and on " * 99)], 1, 0, 5)
        if completion.retries == 1:
            break
    assert (completion.retries, completion.finish) == (1, Finish.STOP)
    assert stub.seen.bodies[0] == stub.seen.bodies[1]


@pytest.mark.parametrize(
    ("fault", "kind", "requests"),
    [
        (Fault.AUTH, ErrorKind.AUTH, 1),
        (Fault.QUOTA, ErrorKind.QUOTA, 1),
        (Fault.UNSUPPORTED_PARAMETER, ErrorKind.BAD_REQUEST, 1),
        (Fault.BAD_REQUEST, ErrorKind.BAD_REQUEST, 1),
        (Fault.HTML_ERROR, ErrorKind.BAD_REQUEST, 1),
        (Fault.CONTEXT_LENGTH, ErrorKind.CONTEXT, 1),
        (Fault.CONTENT_FILTER, ErrorKind.FILTERED, 1),
        (Fault.UNKNOWN_MODEL, ErrorKind.NOT_FOUND, 1),
        (Fault.REDIRECT_LOOP, ErrorKind.NOT_FOUND, 6),
        (Fault.GARBAGE, ErrorKind.BAD_REPLY, 3),
        (Fault.LARGE_BODY, ErrorKind.BAD_REPLY, 3),
        (Fault.GZIP_BOMB, ErrorKind.BAD_REPLY, 3),
        (Fault.STALL, ErrorKind.TIMEOUT, 3),
        (Fault.TRICKLE, ErrorKind.TIMEOUT, 3),
        (Fault.ENDLESS_HEADERS, ErrorKind.TIMEOUT, 3),
        (Fault.CUT_PROMPT, ErrorKind.TRUNCATED_PROMPT, 2),
        (Fault.FULL_CONTEXT, ErrorKind.TRUNCATED_PROMPT, 2),
    ],
)
def test_a_fault_that_stays_ends_in_an_error_that_says_where(
    model_at, chat, fault, kind, requests, monkeypatch
):
    monkeypatch.setattr("agents.llm.bounded_http.LARGEST_BODY", 2**20)  # 64 MiB take seconds to send
    # a busy machine may take longer to see a request at all
    for timeout_s in (0.2, 1, 5) if kind is ErrorKind.TIMEOUT else (60,):
        with StubServer(by_seed, Behaviour(always=fault, stall_s=10 * timeout_s, large=2**21)) as stub:
            error = failing(model_at(stub.url, timeout_s=timeout_s), chat)
        if stub.seen.requests == requests:
            break
    assert error.kind is kind
    assert stub.seen.requests == requests
    assert f"{stub.url}/chat/completions" in str(error) and len(str(error)) < 1500
    assert pickle.loads(pickle.dumps(error)).failure == error.failure  # noqa: S301 (our own bytes)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault.RATE_LIMIT, ErrorKind.RATE_LIMIT),
        (Fault.SERVER_ERROR, ErrorKind.SERVER),
        (Fault.OVERLOADED, ErrorKind.SERVER),
        (Fault.BUSY_NO_WAIT, ErrorKind.SERVER),
        (Fault.BUSY_PAST_DATE, ErrorKind.SERVER),
        (Fault.ERROR_IN_BODY, ErrorKind.SERVER),
        (Fault.TRUNCATED_BODY, ErrorKind.CONNECTION),
    ],
)
def test_a_server_that_stays_busy_or_broken_is_waited_for_a_quarter_of_an_hour(model_at, chat, fault, kind):
    with StubServer(by_seed, Behaviour(always=fault)) as stub:
        model = model_at(stub.url)
        error = failing(model, chat)
    waited = sum(model._retries._clock.slept)
    assert error.kind is kind and 840 < waited < 900
    assert stub.seen.requests == error.failure.attempts and 15 < stub.seen.requests < 40


def test_a_server_that_comes_back_after_minutes_is_answered_by(model_at, chat):
    with StubServer(by_seed, Behaviour([Fault.OVERLOADED] * 12)) as stub:
        (completion,) = model_at(stub.url).sample(chat, 1, 0.7, 5)
    assert (completion.retries, completion.finish) == (12, Finish.STOP)


#: The peak is read from /proc: `getrusage` counts that of the process before `exec`, which is pytest, too.
LARGE = """
import re, sys
from pathlib import Path
sys.path.append(sys.argv[2])
from agents.llm.client import OpenAIModel
from passing_clock import PassingClock
from agents.llm.endpoint import Endpoint
from agents.llm.errors import LLMError
from agents.llm.interface import Message
model = OpenAIModel(Endpoint("stub", sys.argv[1], timeout_s=None, total_s=1.0), PassingClock())
try:
    print(model.sample([Message("user", "hi")], 1, 0.0, 1))
except LLMError as error:
    print(error.kind, error)
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    ("fault", "kind", "most_mb"),
    [
        (Fault.LARGE_ERROR, "server", 150),
        (Fault.GZIP_BOMB_ERROR, "server", 150),
        (Fault.LARGE_BODY, "bad_reply", 350),
        (Fault.GZIP_BOMB, "bad_reply", 350),
    ],
)
def test_a_body_of_half_a_gigabyte_takes_little_memory(fault, kind, most_mb):
    with StubServer(by_seed, Behaviour(always=fault, large=2**29)) as stub:
        command = [sys.executable, "-c", LARGE, stub.url, str(Path(__file__).parents[2])]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    *_, last, memory = said.splitlines()
    assert last.startswith(kind) and int(memory) < most_mb


def test_an_error_s_large_body_is_cut_and_its_status_counts(model_at, chat):
    for fault in (Fault.LARGE_ERROR, Fault.GZIP_BOMB_ERROR):
        with StubServer(by_seed, Behaviour([fault], large=2**25)) as stub:
            (completion,) = model_at(stub.url, timeout_s=60).sample(chat, 1, 0.7, 5)
        assert (completion.retries, completion.finish) == (1, Finish.STOP)


def test_an_answer_that_is_compressed_all_the_same_is_read(model_at, chat):
    with StubServer(by_seed, Behaviour(always=Fault.GZIP)) as stub:
        assert model_at(stub.url).sample(chat, 1, 0.7, 5)[0].text.endswith("/0/5")


def test_a_redirect_without_end_names_where_it_leads(model_at, chat):
    with StubServer(by_seed, Behaviour(always=Fault.REDIRECT_LOOP)) as stub:
        error = failing(model_at(stub.url), chat)
    assert "redirected more than 5 times" in str(error)
    assert str(error).count(f"{stub.url}/chat/completions ->") == 6


def test_a_batch_that_is_refused_without_a_reason_is_asked_for_one_by_one(model_at, chat):
    with StubServer(by_seed, Behaviour([Fault.BAD_REQUEST])) as stub:
        model = model_at(stub.url)
        assert len(model.sample(chat, 3, 0.7, 5)) == 3
        assert len(model.sample(chat, 2, 0.7, 6)) == 2
    assert ["n" in b for b in stub.seen.bodies] == [True] + [False] * 5


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>Sign in</body></html>",
        b"[]",
        b"null",
        b"7",
        b"",
        b'{"data": null}',
        b'{"data": {"id": "m"}}',
        b'{"data": [null]}',
        b'{"data": [{"id": null}]}',
        b'{"data": [{"id": "m"}, {"id": 7}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_list_of_models_is_a_clear_error_and_no_hindrance(model_at, chat, body):
    with StubServer(by_seed, Behaviour(models=body)) as stub:
        with pytest.raises(LLMError) as caught:
            model_at(stub.url).models()
        model_at(stub.url).check()
        assert model_at(stub.url).sample(chat, 1, 0.7, 5)
    assert caught.value.kind is ErrorKind.BAD_REPLY and f"{stub.url}/models" in str(caught.value)


REFUSED = [
    ("This model's maximum context length is 4096 tokens. However, you requested 5000.", ErrorKind.CONTEXT),
    ("the request exceeds the available context size, try increasing it", ErrorKind.CONTEXT),
    ("prompt is too long: 210000 tokens > 200000 maximum", ErrorKind.CONTEXT),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096", ErrorKind.CONTEXT),
    ("Please reduce the length of the messages.", ErrorKind.CONTEXT),
    (
        "The response was filtered due to the prompt triggering our content management policy",
        ErrorKind.FILTERED,
    ),
    ("Request rejected by the content filter", ErrorKind.FILTERED),
    ("data_inspection_failed", ErrorKind.FILTERED),
    ("max_tokens is too large: 100000. This model supports at most 16384.", ErrorKind.BAD_REQUEST),
    ("Unsupported value: 'temperature' does not support 0.7", ErrorKind.BAD_REQUEST),
    ("Conversation roles must alternate user/assistant", ErrorKind.BAD_REQUEST),
    ("", ErrorKind.BAD_REQUEST),
]


@pytest.mark.parametrize(("words", "kind"), REFUSED)
def test_a_refusal_is_known_by_its_words(words, kind):
    assert _kind(400, words) is kind


@pytest.mark.parametrize(
    ("fault", "finish"),
    [
        (Fault.EMPTY, Finish.EMPTY),
        (Fault.REFUSAL, Finish.REFUSAL),
        (Fault.FILTER, Finish.FILTER),
        (Fault.LENGTH, Finish.LENGTH),
        (Fault.THINK, Finish.STOP),
    ],
)
def test_what_a_model_did_is_an_outcome_and_is_not_asked_again(model_at, chat, fault, finish):
    with StubServer(by_seed, Behaviour([fault])) as stub:
        (completion,) = model_at(stub.url).sample(chat, 1, 0.7, 5)
    assert completion.finish is finish
    assert stub.seen.requests == 1
    assert "<think>" not in completion.text


@pytest.mark.parametrize(
    ("parameter", "setting"),
    [
        ("max_tokens", "max_tokens_parameter"),
        ("temperature", "omit_temperature"),
        ("seed", "omit_seed"),
        ("top_k", "extra_body"),
    ],
)
def test_a_refused_parameter_names_the_setting_to_change(model_at, chat, parameter, setting):
    behaviour = Behaviour(always=Fault.UNSUPPORTED_PARAMETER, unsupported=(parameter, ""))
    with StubServer(by_seed, behaviour) as stub:
        error = failing(model_at(stub.url), chat)
    assert f"set `{setting}`" in str(error)
    assert error.failure.parameter == parameter


def test_a_wrong_path_is_shown_whole(model_at, chat):
    with StubServer(by_seed) as stub:
        wrong = stub.url.replace("/v1", "/v7")
        error = failing(model_at(wrong), chat)
    assert error.kind is ErrorKind.NOT_FOUND
    assert f"{wrong}/chat/completions" in str(error)


def test_a_dead_endpoint_is_one_clear_line(model_at, chat):
    with StubServer(by_seed) as stub:
        url = stub.url
    error = failing(model_at(url, total_s=1), chat)
    assert error.kind is ErrorKind.CONNECTION
    assert url in str(error) and "\n" not in str(error)
    with pytest.raises(LLMError, match="connection"):
        model_at(url).check()


def test_a_check_costs_no_call_and_needs_no_list_of_models(model_at):
    with StubServer(by_seed) as stub:
        model = model_at(stub.url)
        assert model.models() == ("stub",)
        model.check()
        model_at(stub.url.replace("/v1", "/v7")).check()
    assert stub.seen.requests == 0


def test_a_missing_key_is_found_before_anything_is_sent(chat):
    model = OpenAIModel(Endpoint("m"))
    with pytest.raises(LLMError, match="OPENAI_API_KEY"):
        model.check()
    assert failing(model, chat).kind is ErrorKind.AUTH


def test_a_cut_prompt_can_be_accepted_and_is_marked(model_at):
    chat = [Message("user", "and on " * 99)]
    with StubServer(by_seed, Behaviour(always=Fault.CUT_PROMPT)) as stub:
        (completion,) = model_at(stub.url, on_truncated_prompt="accept").sample(chat, 1, 0, 5)
    assert completion.truncated_prompt and not completion.whole


def test_a_server_that_ignores_a_schema_still_gives_its_text(model_at, chat):
    schema = {"response_format": {"type": "json_schema", "json_schema": {"name": "edits", "schema": {}}}}
    with StubServer(["```python\nmodify_action()\n```"]) as stub:
        (completion,) = model_at(stub.url, extra_body=schema).sample(chat, 1, 0, 5)
    assert completion.text.startswith("```python")
    assert stub.seen.bodies[0]["response_format"] == schema["response_format"]


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files by /proc")
def test_two_hundred_calls_keep_to_the_cap_and_leave_no_files_open(model_at, chat):
    with StubServer(by_seed, Behaviour(delay_s=0.003)) as stub:
        model = model_at(stub.url, concurrency=4)
        model.sample(chat, 1, 0.7, 0)
        before = open_files()
        with ThreadPoolExecutor(32) as pool:
            texts = list(pool.map(lambda seed: model.sample(chat, 1, 0.7, seed)[0].text, range(200)))
        # each of the 4 connections has an end in the client and one in the server
        assert open_files() - before <= 2 * 4
    assert texts == [f"Write the domain, please./0/{seed}" for seed in range(200)]
    assert stub.seen.requests == 201
    assert 1 < stub.seen.most_in_flight <= 4


def test_a_model_pickles_as_its_settings_and_works_in_its_new_place(model_at, chat):
    with StubServer(by_seed) as stub:
        model = model_at(stub.url)
        model.sample(chat, 1, 0.7, 1)
        again = pickle.loads(pickle.dumps(model))  # noqa: S301 (our own bytes)
        assert again.endpoint == model.endpoint
        assert again.sample(chat, 1, 0.7, 1)[0].text == model.sample(chat, 1, 0.7, 1)[0].text
        again.close()


def test_one_client_is_opened_however_many_threads_begin(model_at, chat, monkeypatch):
    opened = []
    from agents.llm import client

    real = client.open_client
    monkeypatch.setattr(client, "open_client", lambda endpoint: opened.append(1) or real(endpoint))
    with StubServer(by_seed) as stub:
        model = model_at(stub.url)
        assert opened == []
        threads = [threading.Thread(target=model.sample, args=(chat, 1, 0.7, i)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(opened) == 1


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after": "0.5"}, 0.5, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25, 0.25),
        ({"retry-after": formatdate(0, usegmt=True)}, 0, 0),
        ({"retry-after": "9" * 400}, 1e300, float("inf")),
        ({"retry-after": formatdate(4102444800, usegmt=True)}, 1e6, 1e10),
    ],
)
def test_a_wish_to_wait_is_read_in_every_form(headers, low, high):
    assert low <= _retry_after(headers) <= high


@pytest.mark.parametrize(
    "headers", [{}, {"retry-after": "soon"}, {"retry-after-ms": "x"}, {"retry-after-ms": "nan"}]
)
def test_no_readable_wish_is_no_wish(headers):
    assert _retry_after(headers) is None
