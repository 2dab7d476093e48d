"""Texts by back-translation: good answers are kept, faulty ones are sent back, and the best one remains."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agents.describe import Describer, Draft, Reader, Showcase, TextStanding, checked, missing
from agents.llm.interface import Completion, Finish, Message
from agents.llm.scripted import ScriptedModel
from envs.pddl.language.domain import read_domain

DOMAIN = """(define (domain lamps) (:predicates (on ?l))
  (:action light :parameters (?l) :precondition (not (on ?l)) :effect (on ?l))
  (:action put-out :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))"""
VOCABULARY = read_domain(DOMAIN).vocabulary
PROBLEM = "(define (problem p) (:domain lamps) (:objects a b) (:init (on a)) (:goal (on b)))"
WRONG = PROBLEM.replace("(:init (on a))", "(:init (on b))")
SHOWN = tuple(
    Showcase(f"(domain {n})", f"about {n}", f'{{"about": "{n}"}}', f"(problem {n})", f"task {n}")
    for n in "xyz"
)
DESCRIPTION = "Lamps. 1. light: a lamp. 2. put-out: a lamp."


def fenced(text: str, label: str = "text") -> str:
    return f"Here it is.\n\n```{label}\n{text}\n```\n"


class Recorder:
    """A script that keeps what it was asked."""

    def __init__(self, *replies: str | Completion):
        self.replies = list(replies)
        self.asked: list[Sequence[Message]] = []

    def __call__(self, messages: Sequence[Message], index: int, seed: int) -> str | Completion:
        self.asked.append(messages)
        return self.replies[len(self.asked) - 1]


def describer(recorder: Recorder, attempts: int = 3) -> Describer:
    return Describer(ScriptedModel(recorder), SHOWN, attempts)


def task(recorder: Recorder, told: tuple[str, str] | None = None, attempts: int = 3) -> Draft:
    writer = describer(recorder, attempts)
    return writer.task(PROBLEM, Reader(writer.model, VOCABULARY, DESCRIPTION, "(on ?l): ?l shines"), told, 0)


@pytest.mark.parametrize("reply", [fenced(DESCRIPTION), DESCRIPTION, fenced("draft") + fenced(DESCRIPTION)])
def test_a_description_that_names_every_action_is_good(reply: str) -> None:
    script = Recorder(reply)
    draft = describer(script).description(DOMAIN, VOCABULARY, PROBLEM, 0)
    assert draft == Draft(DESCRIPTION, TextStanding.GOOD)
    roles = [message.role for message in script.asked[0]]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert DOMAIN in script.asked[0][-1].content and "about y" in script.asked[0][4].content


def test_an_action_left_out_is_asked_for_and_the_better_answer_is_kept() -> None:
    half = "Lamps. 1. light: a lamp. They are never output."
    script = Recorder(half, "Lamps.", fenced(DESCRIPTION))
    assert describer(script).description(DOMAIN, VOCABULARY, PROBLEM, 0).standing is TextStanding.GOOD
    assert "put-out is not named" in script.asked[1][-1].content
    draft = describer(Recorder("Lamps.", half, "Lamps.")).description(DOMAIN, VOCABULARY, PROBLEM, 0)
    assert (draft.text, draft.standing) == (half, TextStanding.DOUBTFUL)
    assert draft.faults == ("the action put-out is not named in the text",)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Completion(DESCRIPTION, Finish.LENGTH), "cut off"),
        (Completion("", Finish.EMPTY), "empty"),
        (Completion("I will not", Finish.REFUSAL), "refused"),
        (fenced(DOMAIN), "holds PDDL"),
        (fenced(DOMAIN[:-1]), "holds PDDL"),
        ("```text\n```", "empty"),
        ("I cannot see any file.", "none of the actions"),
        ("x" * 1_000_001, "not read"),
    ],
)
def test_what_is_no_text_is_never_kept(reply: str | Completion, why: str) -> None:
    script = Recorder(reply, reply)
    draft = describer(script, attempts=2).description(DOMAIN, VOCABULARY, PROBLEM, 0)
    assert draft.text is None and draft.standing is TextStanding.MISSING
    assert why in draft.faults[0] and why in script.asked[1][-1].content


def test_words_are_judged_by_the_caller() -> None:
    verdicts = {
        "bad": missing("no JSON"),
        "odd": checked("odd", ("odd plural",)),
        "fine": checked("fine", ()),
    }
    script = Recorder(fenced("bad", "json"), fenced("odd", "json"), fenced("fine", "json"))
    assert describer(script).words(DOMAIN, DESCRIPTION, verdicts.__getitem__, 0) == Draft(
        "fine", TextStanding.GOOD
    )
    assert "no JSON" in script.asked[1][-1].content and "odd plural" in script.asked[2][-1].content
    draft = describer(Recorder("odd", "bad"), 2).words(DOMAIN, DESCRIPTION, verdicts.__getitem__, 0)
    assert draft == Draft("odd", TextStanding.DOUBTFUL, ("odd plural",))


def test_a_task_that_is_read_back_right_is_good() -> None:
    assert task(Recorder(fenced("a shines. Make b shine."), PROBLEM)) == Draft(
        "a shines. Make b shine.", TextStanding.GOOD
    )


def test_differences_are_told_to_the_writer_and_then_to_the_user() -> None:
    script = Recorder("b shines.", WRONG, "a shines.", PROBLEM)
    assert task(script) == Draft("a shines.", TextStanding.GOOD)
    assert "the initial fact (on a) was not found" in script.asked[2][-1].content
    draft = task(Recorder("b shines.", WRONG, "b glows.", WRONG), attempts=2)
    assert (draft.text, draft.standing, len(draft.faults)) == ("b shines.", TextStanding.DOUBTFUL, 2)


def test_a_text_that_cannot_be_read_back_is_kept_as_unchecked() -> None:
    draft = task(Recorder("a shines.", "garbage", Completion(PROBLEM[:30], Finish.LENGTH)))
    assert (draft.text, draft.standing) == ("a shines.", TextStanding.UNCHECKED)
    assert "cut off" in draft.faults[0]


def test_a_copy_of_the_pddl_is_no_text_though_it_would_be_read_back_right() -> None:
    draft = task(Recorder(fenced(PROBLEM, "pddl"), fenced(PROBLEM, "pddl")), attempts=2)
    assert draft.standing is TextStanding.MISSING


def test_the_first_task_follows_other_worlds_and_the_others_follow_it() -> None:
    first, second = Recorder("a shines.", PROBLEM), Recorder("a shines.", PROBLEM)
    task(first)
    task(second, told=("(problem earlier)", "told earlier"))
    assert [m.content for m in first.asked[0]][2:5:2] == ["```text\ntask x\n```", "```text\ntask y\n```"]
    assert [m.role for m in second.asked[0]] == ["system", "user", "assistant", "user"]
    assert second.asked[0][2].content == "```text\ntold earlier\n```"


def test_equal_seeds_ask_equal_requests_and_each_answer_has_its_own() -> None:
    seeds: list[int] = []

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        seeds.append(seed)
        return "Lamps."

    for _ in range(2):
        Describer(ScriptedModel(reply), SHOWN).description(DOMAIN, VOCABULARY, PROBLEM, 7)
    assert seeds[:3] == seeds[3:] and len(set(seeds)) == 3
