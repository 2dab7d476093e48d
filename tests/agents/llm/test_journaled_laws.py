"""Laws of a model behind a journal, on drawn scripts: against a slow reference, and by exact counts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agents.llm.errors import ErrorKind, LLMError, failed
from agents.llm.interface import Completion, Finish, Message
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.keys import fresh_seed
from agents.llm.scripted import ScriptedModel

CHAT = [Message("user", "hi")]
ENDS = (Finish.STOP, Finish.LENGTH, Finish.EMPTY, Finish.REFUSAL)
#: More calls than any case needs: what asks for ever is stopped.
MOST_CALLS = 60


class Drawn:
    """A script in which every call is drawn by its seed and sample; it logs what it is asked for."""

    def __init__(self, case: int, ends: Sequence[Finish] = ENDS):
        self.case, self.ends = case, ends
        self.calls: list[tuple[int, int]] = []  #: (seed, sample)
        self.model = ScriptedModel(self._reply)

    def answer(self, seed: int, sample: int) -> Completion:
        """What is said to this sample of a request with this seed."""
        end = random.Random(f"{self.case}/{seed}/{sample}").choice(self.ends)
        return Completion(f"{seed}:{sample}:{end}", end)

    def _reply(self, messages: Sequence[Message], index: int, seed: int) -> Completion:
        self.calls.append((seed, index))
        assert len(self.calls) < MOST_CALLS, "asked for ever"
        return self.answer(seed, index)


def reference(
    answer: Callable[[int, int], Completion], samples: int, seed: int, fresh: int
) -> tuple[list[Completion], list[tuple[int, int]]]:
    """What stands for each sample, and the calls in order: who may differ is asked again, the rest never."""
    stands: dict[int, Completion] = {}
    calls = []
    for attempt in range(fresh + 1):
        left = [i for i in range(samples) if i not in stands]
        for place, sample in enumerate(left):
            call = (fresh_seed(seed, attempt), place if attempt else sample)
            calls.append(call)
            said = answer(*call)
            if said.finish in (Finish.STOP, Finish.LENGTH) or attempt == fresh:
                stands[sample] = said
    return [stands[i] for i in range(samples)], calls


@pytest.fixture
def journal(tmp_path: Path):
    with Journal(tmp_path / "calls.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("case", range(6))
def test_who_may_differ_is_asked_anew_as_often_as_allowed_and_nobody_else(journal: Journal, case: int):
    script, fresh = Drawn(case), case % 4
    model = JournaledModel(script.model, journal, fresh=fresh)
    stands, calls = reference(script.answer, 4, case, fresh)
    assert list(model.sample(CHAT, 4, 0.7, case)) == stands
    assert script.calls == calls
    assert model.counters.made == len(calls) == len(list(journal.calls()))
    assert model.counters.not_whole == sum(not script.answer(*call).whole for call in calls)


@pytest.mark.parametrize("case", range(4))
def test_what_stands_is_served_to_whoever_asks_later_without_a_call(journal: Journal, case: int):
    script, fresh = Drawn(case), case % 3
    stands = JournaledModel(script.model, journal, fresh=fresh).sample(CHAT, 4, 0.7, case)
    asked = len(script.calls)
    again = JournaledModel(script.model, journal, fresh=fresh)
    assert again.sample(CHAT, 4, 0.7, case) == stands and len(script.calls) == asked
    assert (again.counters.served, again.counters.made) == (4, 0)


@pytest.mark.parametrize("fresh", [0, 2])
def test_what_has_no_answer_is_asked_for_again_once_in_the_life_of_a_model(journal: Journal, fresh: int):
    script = Drawn(0, (Finish.EMPTY, Finish.REFUSAL))
    JournaledModel(script.model, journal, fresh=fresh).sample(CHAT, 3, 0.7, 1)
    asked = len(script.calls)
    for _ in range(2):
        again = JournaledModel(script.model, journal, fresh=fresh, retry_unanswered=True)
        before = len(script.calls)
        stands = {again.sample(CHAT, 3, 0.7, 1) for _ in range(3)}
        assert len(stands) == 1 and len(script.calls) - before == asked == 3 * (1 + fresh)


def test_the_journal_holds_under_each_seed_what_was_said_to_that_seed(journal: Journal):
    """Of a probe, too, which finds out whether a refused request is to blame itself."""

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        if messages == CHAT:
            raise failed(ErrorKind.BAD_REQUEST, "not this one")
        return f"{seed}:{index}"

    model = JournaledModel(ScriptedModel(reply), journal)
    assert model.sample(CHAT, 1, 0.7, 5)[0].finish is Finish.REJECTED
    model.sample([Message("user", "and this")], 3, 0.7, 6)
    said = [call for call in journal.calls() if call.completion is not None and not call.completion.note]
    assert len(said) == 4
    for call in said:
        assert call.completion.text == f"{call.request['seed']}:{call.sample}"


@pytest.mark.parametrize("answered_at", [0.7, 0.2, None])
def test_a_refused_request_is_probed_only_where_no_other_of_its_parameters_was_answered(
    journal: Journal, answered_at: float | None
):
    asked: list[str] = []

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        asked.append(messages[-1].content)
        if messages == CHAT:
            raise failed(ErrorKind.BAD_REQUEST, "not this one")
        return "yes"

    if answered_at is not None:
        JournaledModel(ScriptedModel(reply), journal).sample([Message("user", "a")], 1, answered_at, 1)
    asked.clear()
    JournaledModel(ScriptedModel(reply), journal).sample(CHAT, 1, 0.7, 1)
    assert len(asked) == (1 if answered_at == 0.7 else 2)


def shown(messages: Sequence[Message]) -> tuple[tuple[str, str], ...]:
    """A conversation, comparable."""
    return tuple((m.role, m.content) for m in messages)


@pytest.mark.parametrize(
    "chat",
    [
        CHAT,
        [Message("user", "Reply with the word yes.")],  # as the first probe is
        [Message("system", "You write PDDL."), Message("user", "hi")],
        [Message("user", "hi"), Message("assistant", "yes?"), Message("user", "again")],
    ],
)
@pytest.mark.parametrize("kind", [ErrorKind.BAD_REQUEST, ErrorKind.CONTEXT])
def test_where_nothing_is_answered_three_conversations_are_asked_each_once_and_in_the_same_roles(
    journal: Journal, chat: list[Message], kind: ErrorKind
):
    """Refusals that name the conversation are its own, until there are three."""
    asked: list[tuple[tuple[str, str], ...]] = []

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        asked.append(shown(messages))
        raise failed(kind, "not this one")

    model = JournaledModel(ScriptedModel(reply), journal)
    own = [chat, [*chat[:-1], Message("user", "b")], [*chat[:-1], Message("user", "c")]]
    if kind is ErrorKind.CONTEXT:
        assert {model.sample(each, 1, 0.7, 1)[0].finish for each in own[:2]} == {Finish.CONTEXT}
        with pytest.raises(LLMError) as caught:
            model.sample(own[2], 1, 0.7, 1)
        refused = own
    else:
        with pytest.raises(LLMError) as caught:
            model.sample(chat, 1, 0.7, 1)
        refused = [chat]
    assert caught.value.kind is ErrorKind.BAD_REQUEST
    assert f"{len(asked)} different conversations were refused" in str(caught.value)
    assert asked[: len(refused)] == [shown(each) for each in refused]
    assert len(asked) == len(set(asked)) == max(3, len(refused) + 1)
    for probe in asked[len(refused) :]:
        assert [role for role, _ in probe] == [*(["system"] if chat[0].role == "system" else []), "user"]
