"""Reply bodies become completions; nothing in them is trusted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.answers import completions_of, truncation
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.interface import Completion, Finish, Message, Usage


def body(*contents, reason="stop", usage=None, **message):
    choices = [
        {"index": i, "message": {"role": "assistant", "content": c, **message}, "finish_reason": reason}
        for i, c in enumerate(contents)
    ]
    return {"model": "m-1", "system_fingerprint": "fp", "choices": choices, "usage": usage}


@pytest.mark.parametrize(
    ("reply", "finish"),
    [
        (body("yes"), Finish.STOP),
        (body("yes", reason="eos"), Finish.STOP),
        (body("yes", reason=None), Finish.STOP),
        (body("half an ans", reason="length"), Finish.LENGTH),
        (body("", reason="length"), Finish.LENGTH),
        (body("half", reason="MAX_TOKENS"), Finish.LENGTH),
        (body("", reason="stop"), Finish.EMPTY),
        (body(" \n"), Finish.EMPTY),
        (body(None), Finish.EMPTY),
        (body("<think>on and on"), Finish.EMPTY),
        (body("<think>on and on", reason="length"), Finish.LENGTH),
        (body(None, refusal="I will not."), Finish.REFUSAL),
        (body("part", reason="content_filter"), Finish.FILTER),
    ],
)
def test_how_a_model_ended_is_a_finish_and_never_an_error(reply, finish):
    (completion,) = completions_of(reply, 1)
    assert completion.finish is finish
    assert completion.whole == (finish is Finish.STOP)


def test_all_that_the_server_said_is_kept():
    (completion,) = completions_of(body("a", usage={"prompt_tokens": 7, "completion_tokens": 3}), 1)
    assert completion == Completion("a", usage=Usage(7, 3), model="m-1", fingerprint="fp")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_kept_apart(name):
    (completion,) = completions_of(body("<think>b</think>answer", **{name: "a"}), 1)
    assert (completion.text, completion.reasoning) == ("answer", "a\nb")


def test_content_in_parts_is_joined():
    (completion,) = completions_of(body([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 3]), 1)
    assert completion.text == "ab"


def test_choices_come_in_the_order_of_their_index():
    reply = body("zero", "one", "two")
    reply["choices"].reverse()
    assert [c.text for c in completions_of(reply, 3)] == ["zero", "one", "two"]


def test_more_choices_than_asked_for_are_dropped():
    assert len(completions_of(body("a", "b", "c"), 2)) == 2


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 12))
def test_shares_of_the_usage_add_up_to_what_the_server_said(prompt, completion, k):
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    shares = [c.usage for c in completions_of(body(*["x"] * k, usage=usage), k)]
    assert sum(shares, Usage()) == Usage(prompt, completion)
    assert [u.prompt_tokens for u in shares[1:]] == [0] * (k - 1)


def test_tokens_by_choice_are_taken_where_the_server_says_them():
    reply = body("a", "b", usage={"prompt_tokens": 5, "completion_tokens": 9})
    for choice, tokens in zip(reply["choices"], (2, 7), strict=True):
        choice["usage"] = {"completion_tokens": tokens}
    assert [c.usage for c in completions_of(reply, 2)] == [Usage(5, 2), Usage(0, 7)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["message", "choices"]), inner)
    ),
    max_leaves=10,
)


@given(json_values | st.builds(lambda c: {"choices": [{"message": c}], "usage": c, "model": c}, json_values))
def test_any_json_is_completions_or_a_bad_reply(value):
    try:
        completions = completions_of(json.loads(json.dumps(value)), 3)
    except LLMError as error:
        assert error.kind is ErrorKind.BAD_REPLY
    else:
        assert all(isinstance(c.text, str) and isinstance(c.model, str) for c in completions)


PROMPT = [Message("user", "word " * 800)]  # 4,000 characters: about 1,000 tokens


@pytest.mark.parametrize(
    ("usages", "suspect"),
    [
        ([Usage(1000, 50)], False),
        ([Usage(720, 50)], False),
        ([Usage(690, 50)], True),
        ([Usage(690, 50), Usage(0, 50)], True),
        ([Usage(0, 0)], False),  # a server that counts nothing says nothing
        ([Usage(1000, 1048)], True),
        ([Usage(3000, 1096)], True),
        ([Usage(12000, 288)], True),
        ([Usage(1000, 1047)], False),
        ([Usage(1000, 1048), Usage(0, 1000)], False),  # a shared total says nothing about one sample
    ],
)
def test_a_cut_prompt_is_suspected_from_the_tokens(usages, suspect):
    completions = [Completion("x", Finish.LENGTH, usage) for usage in usages]
    assert (truncation(PROMPT, completions) is not None) == suspect


@pytest.mark.parametrize(("prompt", "answer"), [(1000, 1048), (868, 156), (3000, 1096)])
def test_a_round_sum_of_an_answer_that_ended_by_itself_is_chance(prompt, answer):
    assert truncation(PROMPT, [Completion("x", Finish.STOP, Usage(prompt, answer))]) is None


def test_indentation_does_not_make_a_prompt_look_cut():
    indented = [Message("user", "\n".join(" " * 40 + "(at ?x ?y)" for _ in range(100)))]
    assert truncation(indented, [Completion("x", usage=Usage(450, 5))]) is None


def test_half_a_character_becomes_one_that_files_can_hold():
    (completion,) = completions_of(
        json.loads(r'{"choices": [{"message": {"content": "a\ud83d \ud83d\ude00"}}]}'), 1
    )
    assert completion.text == "a? \N{GRINNING FACE}" and completion.text.encode("utf-8")
