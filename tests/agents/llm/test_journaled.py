"""A model behind a journal: paid once, served for ever."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from agents.llm.errors import ErrorKind, LLMError, failed
from agents.llm.interface import Completion, Finish, Message, Usage
from agents.llm.journal import Journal
from agents.llm.journaled import CallCounts, JournaledModel
from agents.llm.scripted import ScriptedModel

CHAT = [Message("user", "hi")]


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "calls.sqlite") as opened:
        yield opened


def fresh_texts():
    """A model that never says the same twice."""
    return ScriptedModel([Completion(f"text {i}", usage=Usage(10, i)) for i in range(99)])


def test_samples_replay_as_the_same_different_texts(journal):
    model = fresh_texts()
    first = JournaledModel(model, journal).sample(CHAT, 3, 0.7, 1)
    again = JournaledModel(model, journal).sample(CHAT, 3, 0.7, 1)
    assert first == again
    assert len({c.text for c in first}) == 3
    assert model.requests == 1


def test_samples_recorded_as_three_serve_a_wish_for_two(journal):
    model = fresh_texts()
    three = JournaledModel(model, journal).sample(CHAT, 3, 0.7, 1)
    assert JournaledModel(model, journal).sample(CHAT, 2, 0.7, 1) == three[:2]
    assert model.requests == 1


def test_only_the_missing_samples_are_asked_for(journal):
    asked = []

    def reply(messages, index, seed):
        asked.append(index)
        return f"{index}"

    model = JournaledModel(ScriptedModel(reply), journal)
    two = model.sample(CHAT, 2, 0.7, 1)
    five = model.sample(CHAT, 5, 0.7, 1)
    assert five[:2] == two
    assert asked == [0, 1, 2, 3, 4]
    assert (model.counters.made, model.counters.served) == (5, 2)


def test_who_asks_the_same_at_the_same_time_is_answered_without_a_second_call(journal):
    asking, go_on = threading.Event(), threading.Event()

    def reply(messages, index, seed):
        asking.set()
        assert go_on.wait(10)
        return f"{index}"

    behind = ScriptedModel(reply)
    model = JournaledModel(behind, journal)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(model.sample, CHAT, 3, 0.7, 1)
        assert asking.wait(10)
        second = pool.submit(model.sample, CHAT, 2, 0.7, 1)
        other = JournaledModel(ScriptedModel(["else"]), journal).sample(CHAT, 1, 0.7, 2)
        go_on.set()
        assert second.result() == first.result()[:2] and [c.text for c in other] == ["else"]
    assert behind.requests == 1 and (model.counters.made, model.counters.served) == (3, 2)


def test_an_answer_that_is_not_drawn_to_its_end_keeps_nobody_waiting(journal):
    model = JournaledModel(fresh_texts(), journal)
    drawn = model.stream(CHAT, range(3), 0.7, 1)
    next(drawn)
    drawn.close()
    assert len(model.sample(CHAT, 3, 0.7, 1)) == 3


def test_a_gap_in_the_middle_is_filled(journal):
    cut = Completion("cut", Finish.LENGTH)
    replies = [Completion("a"), cut, Completion("c"), Completion("b, at last")]
    script = ScriptedModel(replies)
    model = JournaledModel(script, journal)
    for _ in range(2):
        assert [c.text for c in model.sample(CHAT, 3, 0.7, 1)] == ["a", "cut", "c"]
    assert model.counters.not_whole == 1 and script.requests == 1
    again = JournaledModel(script, journal, retry_unanswered=True)
    for _ in range(2):
        assert [c.text for c in again.sample(CHAT, 3, 0.7, 1)] == ["a", "b, at last", "c"]
    assert script.requests == 2


def test_each_sample_is_on_disk_before_the_next_is_asked_for(journal):
    seen = []

    def reply(messages, index, seed):
        seen.append(len(list(journal.calls())))
        return str(index)

    JournaledModel(ScriptedModel(reply), journal).sample(CHAT, 4, 0.7, 1)
    assert seen == [0, 1, 2, 3]


def test_an_error_keeps_what_came_before_it_and_is_recorded(journal):
    def reply(messages, index, seed):
        if index == 2:
            raise failed(ErrorKind.QUOTA, "no money")
        return str(index)

    model = JournaledModel(ScriptedModel(reply), journal)
    with pytest.raises(LLMError, match="insufficient_quota"):
        model.sample(CHAT, 4, 0.7, 1)
    assert [c.completion.text for c in journal.calls() if c.completion] == ["0", "1"]
    assert [(c.sample, c.failure.kind) for c in journal.calls() if c.failure] == [(2, ErrorKind.QUOTA)]
    assert (model.counters.made, model.counters.failed) == (2, 1)


class OutOfOrder(ScriptedModel):
    """Sample 2 comes first, then 0 and 3 in one reply, then 1 fails."""

    def __init__(self):
        super().__init__([])

    def arrivals(self, messages, samples, temperature, seed):
        replies = ({2: Completion("2")}, {0: Completion("0"), 3: Completion("3")})
        for reply in replies:
            if wanted := {i: c for i, c in reply.items() if i in samples}:
                yield wanted
        if 1 in samples:
            raise failed(ErrorKind.QUOTA, "no money")


def test_an_error_loses_no_answer_that_was_paid_for(journal):
    model = JournaledModel(OutOfOrder(), journal)
    with pytest.raises(LLMError, match="insufficient_quota"):
        model.sample(CHAT, 4, 0.7, 1)
    assert [(c.sample, c.completion.text) for c in journal.calls() if c.completion] == [
        (2, "2"),
        (0, "0"),
        (3, "3"),
    ]
    assert [(c.sample, c.failure.kind) for c in journal.calls() if c.failure] == [(1, ErrorKind.QUOTA)]
    assert (model.counters.made, model.counters.failed) == (3, 1)


def test_an_answer_is_on_disk_when_it_arrives_even_if_one_before_it_is_awaited(journal):
    stream = JournaledModel(OutOfOrder(), journal).stream(CHAT, [0, 2, 3], 0.7, 1)
    assert next(stream).text == "0"
    assert [call.sample for call in journal.calls()] == [2, 0, 3]
    assert [completion.text for completion in stream] == ["2", "3"]


def test_a_replay_never_asks(journal):
    model = fresh_texts()
    recorded = JournaledModel(model, journal).sample(CHAT, 2, 0.7, 1)
    replay = JournaledModel(model, journal, cache_only=True)
    assert replay.sample(CHAT, 2, 0.7, 1) == recorded
    for k, temperature, seed in ((3, 0.7, 1), (2, 0.6, 1), (2, 0.7, 2)):
        with pytest.raises(LLMError, match="record it") as caught:
            replay.sample(CHAT, k, temperature, seed)
        assert caught.value.kind is ErrorKind.REPLAY_MISS
    assert model.requests == 1


def test_without_the_cache_everything_is_asked_again_and_recorded(journal):
    model = fresh_texts()
    first = JournaledModel(model, journal).sample(CHAT, 2, 0.7, 1)
    second = JournaledModel(model, journal, use_cache=False).sample(CHAT, 2, 0.7, 1)
    assert [c.text for c in second] == ["text 2", "text 3"]
    assert len(list(journal.calls())) == 4
    assert JournaledModel(model, journal).sample(CHAT, 2, 0.7, 1) == first


def test_settings_that_contradict_each_other_are_refused(journal):
    with pytest.raises(ValueError, match="cache"):
        JournaledModel(fresh_texts(), journal, use_cache=False, cache_only=True)


def test_counters_count_what_was_paid_for(journal):
    model = JournaledModel(fresh_texts(), journal)
    assert model.counters == CallCounts()
    for _ in range(2):
        model.sample(CHAT, 3, 0.7, 1)
    assert model.counters == CallCounts(made=3, served=3, usage=Usage(30, 0 + 1 + 2))


def test_samples_that_are_all_the_same_are_counted_and_said_once(journal, caplog):
    model = JournaledModel(ScriptedModel(lambda *_: "same"), journal)
    with caplog.at_level(logging.WARNING):
        for seed in (1, 2):
            model.sample(CHAT, 3, 0.7, seed)
    assert model.counters.identical == 2
    assert caplog.text.count("same text") == 1


@pytest.mark.parametrize(("k", "temperature"), [(1, 0.7), (3, 0.0)])
def test_samples_that_must_be_the_same_are_no_warning(journal, k, temperature):
    model = JournaledModel(ScriptedModel(lambda *_: "same"), journal)
    model.sample(CHAT, k, temperature, 1)
    assert model.counters == replace(CallCounts(), made=k)


def test_a_model_that_gives_too_few_is_a_fault_of_ours(journal):
    class Short(ScriptedModel):
        def arrivals(self, messages, samples, temperature, seed):
            yield {0: Completion("only one")} if 0 in samples else {}

    with pytest.raises(RuntimeError, match="sample 1"):
        JournaledModel(Short(["x"]), journal).sample(CHAT, 2, 0.7, 1)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_from_two_on_equal_samples_are_counted_as_identical(journal, k):
    model = JournaledModel(ScriptedModel(lambda *_: "same"), journal)
    model.sample([Message("user", "hello")], k, 0.7, 0)
    assert model.counters.identical == int(k > 1)
