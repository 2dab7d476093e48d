"""The live client against a real HTTP server that misbehaves."""

import logging
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest

from agents.llm.client import OpenAIModel
from agents.llm.endpoint import Endpoint
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Finish, Message, Usage
from agents.llm.keys import sample_seed
from agents.llm.stub import StubServer
from agents.llm.transport import _retry_after


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
    seeds = [5, *(sample_seed(5, i) for i in (1, 2, 3)), 6, sample_seed(6, 1)]
    assert [b["seed"] for b in stub.seen.bodies] == seeds
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
        stream = model_at(stub.url).stream(chat, range(3), 0.7, 5)
        assert next(stream).text
        assert stub.seen.requests == 1
        assert next(stream).text
        with pytest.raises(LLMError):
            next(stream)


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
    with StubServer(by_seed, Behaviour([fault], stall_s=0.6)) as stub:
        model = model_at(stub.url, timeout_s=0.3)
        (completion,) = model.sample([*chat, Message("user", "and on " * 99)], 1, 0, 5)
    assert (completion.retries, completion.finish) == (1, Finish.STOP)
    assert stub.seen.bodies[0] == stub.seen.bodies[1]


@pytest.mark.parametrize(
    ("fault", "kind", "requests"),
    [
        (Fault.AUTH, ErrorKind.AUTH, 1),
        (Fault.QUOTA, ErrorKind.QUOTA, 1),
        (Fault.UNSUPPORTED_PARAMETER, ErrorKind.BAD_REQUEST, 1),
        (Fault.SERVER_ERROR, ErrorKind.SERVER, 3),
        (Fault.ERROR_IN_BODY, ErrorKind.SERVER, 3),
        (Fault.GARBAGE, ErrorKind.BAD_REPLY, 3),
        (Fault.STALL, ErrorKind.TIMEOUT, 3),
        (Fault.TRICKLE, ErrorKind.TIMEOUT, 3),
        (Fault.CUT_PROMPT, ErrorKind.TRUNCATED_PROMPT, 2),
        (Fault.FULL_CONTEXT, ErrorKind.TRUNCATED_PROMPT, 2),
        (Fault.RATE_LIMIT, ErrorKind.RATE_LIMIT, 5),
        (Fault.TRUNCATED_BODY, ErrorKind.CONNECTION, 5),
    ],
)
def test_a_fault_that_stays_ends_in_an_error_that_says_where(model_at, chat, fault, kind, requests):
    with StubServer(by_seed, Behaviour(always=fault, stall_s=0.4)) as stub:
        error = failing(model_at(stub.url, timeout_s=0.2, retries=4), chat)
    assert error.kind is kind
    assert stub.seen.requests == requests
    assert f"{stub.url}/chat/completions" in str(error)
    assert pickle.loads(pickle.dumps(error)).failure == error.failure  # noqa: S301 (our own bytes)


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
    error = failing(model_at(url, retries=1), chat)
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
        ({"retry-after": formatdate(4102444800, usegmt=True)}, 1e6, 1e10),
    ],
)
def test_a_wish_to_wait_is_read_in_every_form(headers, low, high):
    assert low <= _retry_after(headers) <= high


@pytest.mark.parametrize("headers", [{}, {"retry-after": "soon"}, {"retry-after-ms": "x"}])
def test_no_readable_wish_is_no_wish(headers):
    assert _retry_after(headers) is None
