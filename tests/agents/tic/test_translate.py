"""Translation: what is asked in each style, what is made of the answers, and what is sent back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from agents.llm.interface import Completion, Finish
from agents.llm.scripted import ScriptedModel
from agents.prompts import load
from agents.tic import infer as inferring
from agents.tic.infer import (
    Ending,
    InferenceFailed,
    InferenceLimits,
    Materialised,
    materialise,
    with_names_of,
)
from agents.tic.knowledge import Knowledge
from agents.tic.translate import Style, Translator, in_context_request, requests_of
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.process import ChildResult, ChildStatus

DOMAIN = """(define (domain lamps) (:requirements :strips :typing) (:types lamp room)
  (:predicates (lit ?l - lamp) (stands-in ?l - lamp ?r - room))
  (:action light :parameters (?l - lamp) :effect (lit ?l)))"""
KNOWN = Knowledge(
    DOMAIN,
    rules="%% lamp_grid(R, C, L): L is in row R.\n",
    types={"lamp": "lamp: gives light", "room": "room"},
    predicates={"lit": "l is lit", "stands-in": "l stands in r"},
    helpers={"lamp_grid(R, C, L)": "L is in row R."},
    example_task="EXAMPLE TEXT",
    example_ir="cardinality(lamp, 1).",
    example_problem="(define (problem example))",
)
TASK = "There are 2 lamps, in the living-room. Light lamp2."
OBJECTS = "cardinality(lamp, 2)."
NAMES = "object(living_room, room). object(lamp2, lamp)."
RULES = "init(stands_in(X, living_room)) :- object(X, lamp).\ngoal(lit(lamp2))."
IR = f"{OBJECTS}\n{NAMES}\n{RULES}"
PROBLEM = """(define (problem task) (:domain lamps) (:objects lamp1 lamp2 - lamp living-room - room)
  (:init (stands-in lamp1 living-room) (stands-in lamp2 living-room)) (:goal (lit lamp2)))"""
WHOLE = render_problem(read_problem(PROBLEM, read_domain(DOMAIN)))


def fenced(text: str) -> str:
    return f"So it is:\n\n```asp\n{text}\n```\nThat is all."


def translated(style: Style, *replies: str | Completion, corrections: int = 0) -> Materialised:
    model = ScriptedModel(replies)
    found = Translator(style, KNOWN, model, corrections).translate(TASK, 7)
    assert model.requests == len(replies)
    return found


@pytest.mark.parametrize(
    ("style", "replies"),
    [
        (Style.IN_CONTEXT, [fenced(IR)]),
        (Style.ONE_PROMPT, [IR]),
        (Style.THREE_PROMPTS, [fenced(OBJECTS), NAMES, fenced(RULES)]),
        (Style.DIRECT, [f"```pddl\n{PROBLEM}\n```"]),
    ],
)
def test_every_style_comes_to_the_same_problem(style: Style, replies: Sequence[str]) -> None:
    found = translated(style, *replies)
    assert (found.ending, found.problem, found.fault) == (Ending.TRANSLATED, WHOLE, "")
    assert found.ir == (None if style is Style.DIRECT else IR)


@pytest.mark.parametrize("style", Style)
def test_a_style_shows_what_it_may_know_and_nothing_else(style: Style) -> None:
    asked = "\n".join(m.content for messages in requests_of(style, KNOWN, TASK) for m in messages)
    assert asked.count(TASK) == len(requests_of(style, KNOWN, TASK))
    shows_example = style in (Style.IN_CONTEXT, Style.DIRECT)
    assert ("EXAMPLE TEXT" in asked) is shows_example
    assert (KNOWN.example_ir in asked) is (style is Style.IN_CONTEXT)
    assert (KNOWN.example_problem in asked) is (style is Style.DIRECT)
    words = (
        "- lamp: lamp: gives light",
        "- stands_in(l: lamp, r: room): l stands in r",
        "- lamp_grid(R, C, L)",
    )
    assert all((line in asked) is not shows_example for line in words)
    assert "(:action" not in asked and "$" not in asked


def test_the_third_prompt_is_told_what_the_first_two_found() -> None:
    asked = []

    def reply(messages: Sequence[object], index: int, seed: int) -> str:
        asked.append((str(messages[-1]), seed))
        return (OBJECTS, NAMES, RULES)[len(asked) - 1]

    found = Translator(Style.THREE_PROMPTS, KNOWN, ScriptedModel(reply)).translate(TASK, 7)
    assert found.ending is Ending.TRANSLATED
    assert OBJECTS in asked[2][0] and NAMES in asked[2][0] and OBJECTS not in asked[1][0]
    assert len({seed for _, seed in asked}) == 3


def test_the_example_of_the_generic_prompts_means_what_its_text_says() -> None:
    domain = """(define (domain museum) (:types painting lamp guard room stone) (:predicates
      (hangs_in ?p - painting ?r - room) (stands_in ?l - lamp ?r - room) (lit ?l - lamp)
      (watches ?g - guard ?r - room) (stands_on ?g - guard ?s - stone) (awake ?g - guard) (locked))
      (:action lock :parameters () :effect (locked)))"""
    parts = ("cardinalities", "objects", "rules")
    program = "\n".join(load(f"tic/example_{part}.md") for part in parts)
    found = materialise(program, with_names_of(Knowledge(domain), load("tic/example_task.md")))
    assert found.problem is not None
    problem = read_problem(found.problem, read_domain(domain))
    assert len(problem.objects) == 5 + 3 + 2 + 2 + 4 and len(problem.init) == 2 + 3 + 2 + 1 + 2 + 2
    assert ("stands_on", "guard1", "stone-2-1") in problem.init


@pytest.mark.parametrize(
    ("reply", "ending", "words"),
    [
        ("#script(python)", Ending.REFUSED, "1:1"),
        (f"{IR}\ninit(lit(lamp2, lamp2)).", Ending.UNFIT, "lit"),
        (f"{IR}\ninit(lit(lamp2)). init(-lit(lamp2)).", Ending.CONTRADICTION, "lit(lamp2)"),
        (f"{IR}\n{{ init(lit(lamp2)) }}.", Ending.AMBIGUOUS, "lit(lamp2)"),
        (Completion("", Finish.EMPTY), Ending.NO_ANSWER, "empty"),
        (Completion(IR, Finish.LENGTH), Ending.NO_ANSWER, "cut off"),
        ("x" * 1_000_001, Ending.REFUSED, "1,000,001 characters"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why(reply: str | Completion, ending: Ending, words: str) -> None:
    found = translated(Style.IN_CONTEXT, reply)
    assert (found.ending, found.problem) == (ending, None) and words in found.fault


@pytest.mark.parametrize(
    ("reply", "ending", "words"),
    [
        ("I do not know.", Ending.REFUSED, "no whole"),
        (PROBLEM.replace("(:goal (lit", "(:goal (on"), Ending.UNFIT, "undeclared_predicate"),
    ],
)
def test_pddl_that_cannot_be_used_says_why(reply: str, ending: Ending, words: str) -> None:
    found = translated(Style.DIRECT, reply)
    assert (found.ending, found.problem) == (ending, None) and words in found.fault


@pytest.mark.parametrize("style", Style)
def test_a_faulty_answer_is_sent_back_with_its_fault_as_often_as_may_be(style: Style) -> None:
    pieces = [OBJECTS, NAMES] if style is Style.THREE_PROMPTS else []
    good = PROBLEM if style is Style.DIRECT else IR
    seen: list[str] = []

    def reply(messages: Sequence[object], index: int, seed: int) -> str:
        seen.append(str(messages[-1]))
        answers = [*pieces, "init(.", "init((", good]
        return answers[len(seen) - 1]

    for corrections, ending in ((0, Ending.REFUSED), (1, Ending.REFUSED), (2, Ending.TRANSLATED)):
        seen.clear()
        model = ScriptedModel(reply)
        found = Translator(style, KNOWN, model, corrections).translate(TASK, 7)
        assert (found.ending, model.requests) == (ending, len(pieces) + corrections + 1)
        assert all("does not work" in turn for turn in seen[len(pieces) + 1 :])
    told = seen[len(pieces) + 1]
    assert ("no whole" if style is Style.DIRECT else "error") in told
    assert (OBJECTS in told) is (
        style is Style.THREE_PROMPTS
    )  # the others wrote the whole program themselves


def test_names_that_nobody_knows_are_sent_back_only_if_answers_are_mended() -> None:
    stray = f"{IR}\ninit(glowing(lamp2))."
    found = translated(Style.IN_CONTEXT, stray)
    assert (found.ending, found.problem) == (Ending.TRANSLATED, WHOLE) and "glowing" in found.mistakes[0]
    asked = []

    def reply(messages: Sequence[object], index: int, seed: int) -> str:
        asked.append(str(messages[-1]))
        return (stray, IR)[len(asked) - 1]

    mended = Translator(Style.IN_CONTEXT, KNOWN, ScriptedModel(reply), corrections=2).translate(TASK, 7)
    assert (mended.problem, mended.mistakes, len(asked)) == (WHOLE, (), 2)
    assert "no predicate glowing" in asked[1]


def test_a_problem_is_not_given_up_for_a_worse_answer() -> None:
    stray = f"{IR}\ninit(glowing(lamp2))."
    found = translated(Style.IN_CONTEXT, stray, "init(.", Completion("", Finish.EMPTY), corrections=2)
    assert found.problem == WHOLE


def test_what_is_known_is_still_known_behind_an_empty_answer() -> None:
    empty = Completion("", Finish.EMPTY)
    found = translated(Style.THREE_PROMPTS, OBJECTS, NAMES, empty, RULES, corrections=1)
    assert (found.ending, found.problem, found.ir) == (Ending.TRANSLATED, WHOLE, IR)


def test_what_looks_wrong_comes_with_the_problem() -> None:
    found = translated(Style.IN_CONTEXT, f"{IR}\nbright(lamp2).")
    assert found.problem == WHOLE and found.mistakes == () and "no rule reads bright" in found.notes[0]


def test_a_piece_that_was_not_answered_ends_the_translation() -> None:
    found = translated(Style.THREE_PROMPTS, OBJECTS, Completion("", Finish.REFUSAL))
    assert found.ending is Ending.NO_ANSWER and "refused" in found.fault


def test_a_failure_of_the_machine_is_nobodys_translation(monkeypatch: pytest.MonkeyPatch) -> None:
    crash = ChildResult(ChildStatus.KILLED, -9, "", "", 0.1)
    monkeypatch.setattr(inferring, "run_child", lambda *_args, **_options: crash)
    with pytest.raises(InferenceFailed, match="killed"):
        translated(Style.IN_CONTEXT, IR)


def test_a_program_without_end_is_stopped() -> None:
    bomb = "n(1..400). b(X,Y,Z) :- n(X), n(Y), n(Z), X+Y+Z > 0."
    found = materialise(bomb, KNOWN, InferenceLimits(wall_s=0.5))
    assert found.ending in (Ending.TIMEOUT, Ending.REFUSED) and found.fault


def test_names_with_hyphens_come_back_as_the_text_writes_them() -> None:
    named = with_names_of(KNOWN, "tile_0-1, pos-2-3, a -b and Nine-Ten; non-empty.")
    assert set(named.objects) == {"tile_0-1", "pos-2-3", "non-empty"}
    assert named.names.pddl("tile_0_1") == "tile_0-1" and replace(named, objects=()) == KNOWN


def test_inference_may_be_done_elsewhere() -> None:
    sent = []

    def elsewhere(text: str, knowledge: Knowledge) -> Materialised:
        sent.append((text, knowledge.objects))
        return Materialised(ending=Ending.UNFIT, fault="no")

    found = Translator(Style.ONE_PROMPT, KNOWN, ScriptedModel([IR]), run=elsewhere).translate(TASK, 7)
    assert sent == [(IR, ("living-room",))] and found.fault == "no"
    assert in_context_request(KNOWN, TASK)[0].role == "system"
