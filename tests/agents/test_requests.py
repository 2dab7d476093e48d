"""Requests: every placeholder filled in, the example first, nothing of one world in another's."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from agents.draft import DomainDraft
from agents.example import example_answer, example_world
from agents.llm.interface import Message
from agents.prompts import load, render
from agents.requests import (
    domain_request,
    feedback_turn,
    next_task_request,
    plan_request,
    problem_from_proposal_request,
    problem_request,
    proposal_request,
)
from agents.texts import WorldTexts
from envs.pddl.interface import ActionSignature, Parameter

LAMPS = WorldTexts(
    "lamps $name ${task}",
    "A lamp costs $5 and can be {switched}. $description",
    "Lamp l1 is off; $task.",
    {"lamp": None},
    {"l1": "lamp"},
    (ActionSignature("switch", (Parameter("?l", "lamp"),)),),
)
DRAFT = DomainDraft.empty(LAMPS.domain_name, LAMPS.types, LAMPS.actions)
REQUESTS = {
    "problem": problem_request(LAMPS),
    "proposal": proposal_request(LAMPS),
    "problem_from_proposal": problem_from_proposal_request(LAMPS, "(define (domain lamps) $proposal)"),
    "domain": domain_request(LAMPS, "(define (problem lamps) $problem)"),
    "next_task": next_task_request(LAMPS, "(define (problem lamps) $problem)", DRAFT, LAMPS),
    "plan": plan_request(LAMPS, chain_of_thought=False),
    "plan_cot": plan_request(LAMPS, chain_of_thought=True),
}
WITH_EXAMPLE = ("problem", "proposal", "problem_from_proposal", "domain")


@pytest.mark.parametrize("name", REQUESTS)
def test_the_only_dollars_left_are_those_of_the_values(name: str) -> None:
    text = "\n".join(message.content for message in REQUESTS[name])
    given = {"$5", "$description", "$task", "$proposal", "$problem"}
    assert set(re.findall(r"\$\{?\w+\}?", text)) <= given
    assert LAMPS.description in text or name == "task"


@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_a_solved_example_of_the_same_form_comes_before_the_question(name: str) -> None:
    system, example, answer, question = REQUESTS[name]
    assert [m.role for m in REQUESTS[name]] == ["system", "user", "assistant", "user"]
    assert system.content == load("system.md")
    assert answer.content == example_answer(name)
    assert example_world().description in example.content
    headings = [re.findall(r"^## .*$", m.content, re.MULTILINE) for m in (example, question)]
    assert headings[0] == headings[1] != []
    assert "block" not in question.content.replace("code block", "")


def test_the_feedback_turn_holds_failure_refusals_and_the_current_domain() -> None:
    turn = feedback_turn("Incorrect. $5 {x}", ("`f()`: no such function",), DRAFT)
    assert turn.role == "user"
    assert turn.content.startswith("Incorrect. $5 {x}\n\nSome of your calls were refused")
    assert "- `f()`: no such function" in turn.content
    assert DRAFT.text().strip() in turn.content
    assert "refused" not in feedback_turn("Incorrect.", (), DRAFT).content


def test_requests_depend_on_the_texts_alone() -> None:
    assert problem_request(LAMPS) == REQUESTS["problem"]
    assert all(isinstance(m, Message) and m.content.strip() == m.content for m in REQUESTS["domain"])


def test_rendering_wants_exactly_the_placeholders() -> None:
    with pytest.raises(ValueError, match=r"feedback.md has the placeholders \['domain', 'failure'\]"):
        render("feedback.md", failure="x")
    with pytest.raises(ValueError, match="was given"):
        render("refused.md", reasons="x", more="y")


def test_every_prompt_file_is_shipped_and_has_text() -> None:
    names = [f.name for f in files("agents.prompts").iterdir() if f.name.endswith(".md")]
    assert {"problem.md", "proposal.md", "domain.md", "feedback.md", "next_task.md", "plan.md"} <= set(names)
    assert all(load(name) for name in names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("grippers_ood", "grippers_ood"), ("pddlgym:Blocks", "pddlgym-blocks"), ("3 rooms/", "world-3-rooms")],
)
def test_any_world_name_makes_a_pddl_name(name: str, expected: str) -> None:
    texts = WorldTexts(name, "", "", {}, {}, ())
    assert texts.domain_name == expected
    assert texts.problem_name == f"{expected}-task"
