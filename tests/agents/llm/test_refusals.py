"""What is no answer: asked for anew, then a fact; and whose fate a refused request is."""

import itertools

import pytest
from wide import wide

from agents.llm.errors import ErrorKind, LLMError
from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Finish, Message
from agents.llm.journal import Journal
from agents.llm.journaled import FRESH_SAMPLES, JournaledModel
from agents.llm.keys import fresh_seed
from agents.llm.recording import RecordedModel, load_recording
from agents.llm.stub import StubServer

NAMED = [(Fault.CONTEXT_LENGTH, Finish.CONTEXT), (Fault.CONTENT_FILTER, Finish.FILTER)]
UNNAMED = [Fault.BAD_REQUEST, Fault.HTML_ERROR, Fault.UNSUPPORTED_PARAMETER]
WITHHELD = [Fault.EMPTY, Fault.REFUSAL, Fault.FILTER]


def by_seed(messages, index, seed):
    return f"{messages[-1].content}/{index}/{seed}"


def talk(words):
    return [Message("system", "You write PDDL."), Message("user", words)]


class Picky(StubServer):
    """Refuses conversations that hold a word, and answers all others."""

    word = "please"

    def arrival(self, body):
        wrong = any(self.word in message["content"] for message in body["messages"])
        self.behaviour = Behaviour(always=self.fault if wrong else Fault.NONE)
        return super().arrival(body)


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "calls.sqlite") as opened:
        yield opened


@pytest.fixture
def asked(model_at, journal):
    """asked(stub): a live model behind the journal, as runs have it."""
    return lambda stub, **settings: JournaledModel(
        model_at(stub.url), journal, fresh=FRESH_SAMPLES, **settings
    )


@pytest.mark.parametrize("fault", WITHHELD)
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_what_may_differ_is_asked_for_anew_with_other_seeds(chat, asked, fault, temperature):
    with StubServer(by_seed, Behaviour([fault] * 3)) as stub:
        model = asked(stub)
        (completion,) = model.sample(chat, 1, temperature, 5)
        assert model.sample(chat, 1, temperature, 5) == (completion,)
    assert completion.finish is Finish.STOP and completion.text.endswith(f"/{fresh_seed(5, 3)}")
    assert [b["seed"] for b in stub.seen.bodies] == [fresh_seed(5, attempt) for attempt in range(4)]
    assert len({b["seed"] for b in stub.seen.bodies}) == 4


@pytest.mark.parametrize("fault", WITHHELD)
def test_after_three_fresh_samples_no_answer_is_a_fact_until_it_is_asked_again(chat, asked, fault, journal):
    with StubServer(by_seed, Behaviour(always=fault)) as stub:
        (first,) = asked(stub).sample(chat, 1, 0.0, 5)
        assert first.unanswered and stub.seen.requests == 4
        assert asked(stub).sample(chat, 1, 0.0, 5) == (first,)
        assert stub.seen.requests == 4
        again = asked(stub, retry_unanswered=True)
        assert again.sample(chat, 1, 0.0, 5)[0].unanswered and stub.seen.requests == 8
        assert again.sample(chat, 1, 0.0, 5)[0].unanswered and stub.seen.requests == 8
        stub.behaviour = Behaviour()
        assert asked(stub).sample(chat, 1, 0.0, 5)[0].finish is first.finish and stub.seen.requests == 8
        (last,) = asked(stub, retry_unanswered=True).sample(chat, 1, 0.0, 5)
        assert last.whole and asked(stub).sample(chat, 1, 0.0, 5) == (last,)
    assert len({b["seed"] for b in stub.seen.bodies}) == stub.seen.requests == 9
    assert {call.sample for call in journal.calls()} == {0}


def test_only_the_samples_that_are_no_answer_are_asked_for_anew(chat, asked):
    def reply(messages, index, seed):
        return "" if seed == 5 and index == 1 else f"{index}/{seed}"

    with StubServer(reply) as stub:
        texts = [c.text for c in asked(stub).sample(chat, 3, 0.7, 5)]
    assert texts == ["0/5", f"0/{fresh_seed(5, 1)}", "2/5"]
    assert ["n" in body for body in stub.seen.bodies] == [True, False]


def test_an_answer_that_was_cut_off_is_not_asked_for_anew(chat, asked):
    with StubServer(by_seed, Behaviour(always=Fault.LENGTH)) as stub:
        for _ in range(2):
            assert asked(stub).sample(chat, 1, 0.0, 5)[0].finish is Finish.LENGTH
    assert stub.seen.requests == 1


def test_a_stop_between_fresh_samples_changes_nothing(chat, asked):
    faults = [Fault.EMPTY, Fault.EMPTY, Fault.AUTH, Fault.EMPTY, Fault.NONE]
    with StubServer(by_seed, Behaviour(faults)) as stub:
        with pytest.raises(LLMError, match="auth"):
            asked(stub).sample(chat, 1, 0.0, 5)
        (completion,) = asked(stub).sample(chat, 1, 0.0, 5)
    assert completion.text.endswith(f"/{fresh_seed(5, 3)}") and stub.seen.requests == 5


@pytest.mark.parametrize(("fault", "finish"), NAMED)
def test_a_refusal_that_names_the_conversation_is_its_own(chat, asked, fault, finish):
    with StubServer(by_seed, Behaviour([fault])) as stub:
        model = asked(stub)
        (refused,) = model.sample(chat, 1, 0.0, 5)
        assert (refused.finish, refused.text, refused.whole) == (finish, "", False) and refused.note
        assert model.sample(talk("and now?"), 1, 0.0, 5)[0].whole
        assert asked(stub).sample(chat, 1, 0.0, 5) == (refused,)
    assert stub.seen.requests == 2


def test_a_refusal_stands_for_all_samples_of_its_request(chat, asked):
    with StubServer(by_seed, Behaviour([Fault.CONTEXT_LENGTH])) as stub:
        assert [c.finish for c in asked(stub).sample(chat, 3, 0.7, 5)] == [Finish.CONTEXT] * 3
    assert stub.seen.requests == 1


@pytest.mark.parametrize("fault", UNNAMED)
def test_a_refusal_without_a_reason_is_its_own_after_an_answer(chat, asked, fault):
    with StubServer(by_seed, Behaviour([Fault.NONE, fault])) as stub:
        assert asked(stub).sample(talk("first"), 1, 0.0, 5)[0].whole
        (refused,) = asked(stub).sample(chat, 1, 0.0, 5)  # another start of the run
        assert refused.finish is Finish.REJECTED and stub.seen.requests == 2


@pytest.mark.parametrize("fault", wide(UNNAMED, UNNAMED[0]))
def test_a_refusal_without_a_reason_is_its_own_whatever_came_first(asked, fault, tmp_path, model_at):
    conversations = [talk("one"), talk("two, please"), talk("three"), talk("four, please")]
    found = set()
    # of conversations that are refused, or answered, alike, the order in which they come makes no case
    orders = [
        o for o in itertools.permutations(range(4)) if o.index(0) < o.index(2) and o.index(1) < o.index(3)
    ]
    for number, order in enumerate(orders):
        with Picky(by_seed) as stub, Journal(tmp_path / f"{number}.sqlite") as journal:
            stub.fault = fault
            model = JournaledModel(model_at(stub.url), journal, fresh=FRESH_SAMPLES)
            finishes = {i: model.sample(conversations[i], 1, 0.0, 5)[0].finish for i in order}
            found.add(tuple(finishes[i] for i in range(4)))
    assert found == {(Finish.STOP, Finish.REJECTED, Finish.STOP, Finish.REJECTED)}


@pytest.mark.parametrize("fault", [*UNNAMED, Fault.CONTEXT_LENGTH])
def test_three_different_conversations_refused_and_none_answered_are_a_setting(asked, fault, journal):
    with StubServer(by_seed, Behaviour(always=fault)) as stub:
        model = asked(stub)
        with pytest.raises(LLMError) as caught:
            for words in ("one", "two", "three", "four"):
                model.sample(talk(words), 1, 0.0, 5)
    assert caught.value.kind is ErrorKind.BAD_REQUEST
    assert "3 different conversations were refused" in str(caught.value) or "4 different" in str(caught.value)
    texts = {tuple(m["content"] for m in body["messages"]) for body in stub.seen.bodies}
    assert 3 <= len(texts) == stub.seen.requests <= 4
    if fault is Fault.UNSUPPORTED_PARAMETER:
        assert "max_tokens_parameter" in str(caught.value)


def test_other_parameters_that_were_answered_do_not_count(chat, asked):
    faults = [Fault.NONE, *[Fault.UNSUPPORTED_PARAMETER] * 3]
    with StubServer(by_seed, Behaviour(faults, unsupported=("temperature", "."))) as stub:
        model = asked(stub)
        assert model.sample(chat, 1, 0.0, 5)[0].whole
        with pytest.raises(LLMError, match="omit_temperature"):
            model.sample(chat, 1, 0.7, 5)


def test_a_recording_answers_with_what_stood(chat, asked, tmp_path, journal):
    with StubServer(by_seed, Behaviour([Fault.NONE, *[Fault.EMPTY] * 4, Fault.CONTEXT_LENGTH])) as stub:
        model = asked(stub)
        stood = [model.sample(talk(words), 1, 0.0, 5) for words in ("one", "two", "three")]
    assert [c.finish for (c,) in stood] == [Finish.STOP, Finish.EMPTY, Finish.CONTEXT]
    recorded = RecordedModel(load_recording(tmp_path / "calls.sqlite"))
    with Journal(tmp_path / "replay.sqlite") as other:
        replay = JournaledModel(recorded, other)
        for _ in range(2):
            assert [replay.sample(talk(w), 1, 0.0, 5) for w in ("one", "two", "three")] == stood
