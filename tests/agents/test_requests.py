"""Requests: every placeholder filled in, the example first, nothing of one world in another's."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files

import pytest
from example_world import example_world
from hypothesis import given
from hypothesis import strategies as st

from agents.draft import DomainDraft
from agents.llm.interface import Message
from agents.problems import commented, definitions, read_problem_reply
from agents.prompts import load, render
from agents.requests import (
    WITH_EXAMPLE,
    domain_request,
    example_answer,
    feedback_turn,
    follow_up,
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


@pytest.mark.parametrize("name", REQUESTS)
def test_the_only_dollars_left_are_those_of_the_values(name: str) -> None:
    text = "\n".join(message.content for message in REQUESTS[name])
    given = {"$5", "$description", "$task", "$proposal", "$problem"}
    assert set(re.findall(r"\$\{?\w+\}?", text)) <= given
    assert LAMPS.description in text or name == "task"


@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_a_short_solved_example_comes_before_the_first_question_and_no_other(name: str) -> None:
    system, example, answer, question = REQUESTS[name]
    assert [m.role for m in REQUESTS[name]] == ["system", "user", "assistant", "user"]
    assert system.content == load("system.md")
    assert answer.content == example_answer(name)
    assert example_world().description in example.content
    assert len(example.content) + len(answer.content) <= 1500
    assert "block" not in question.content.replace("code block", "")
    reply, turn = Message("assistant", "a reply"), Message("user", "and now?")
    asked = follow_up((*REQUESTS[name], reply), turn)
    assert asked == (system, question, reply, turn)
    again = (reply, Message("user", "and then?"))
    assert follow_up((*asked, again[0]), again[1]) == (*asked, *again)


@pytest.mark.parametrize("name", [*WITH_EXAMPLE, "next_task"])
def test_a_request_says_that_its_text_may_be_wrong_and_that_the_environment_decides(name: str) -> None:
    text = REQUESTS[name][-1].content
    doubt = text.partition(LAMPS.description)[2].partition("\n\n")[2]
    assert doubt.startswith("This text may be incomplete or wrong") and "the environment decides" in doubt


REPLY = """
The predicates:

- `(joined ?a - place ?b - place)`: a road leads from ?a to ?b
2. **(near ?a ?b)** — ?a is **near** ?b
* `load(?t)`: how much ?t carries
- (free ?t - truck): it can take one more
- (free ?t - truck): not this one
- `(free t1)`: since nothing is on it
- (near ?a): too few arguments
- (unused ?a ?b): of no fact at first
- `(switch ?l)`: an action and no predicate
- (forall ?x): no predicate either
- (note): nor this

```pddl
(define (problem p) (:domain lamps)
  ; (at-rest): nothing moves
  (:init (joined a b) (near a b) (load t1) (free t1) (at-rest)) (:goal (near b a)))
```
"""
ARITIES = {"joined": 2, "near": 2, "load": 1, "free": 1, "at-rest": 0, "silent": 1}
MEANT = {
    "joined": "(joined ?a - place ?b - place): a road leads from ?a to ?b",
    "near": "(near ?a ?b): ?a is **near** ?b",
    "load": "(load ?t): how much ?t carries",
    "free": "(free ?t - truck): it can take one more",
    "at-rest": "(at-rest): nothing moves",
    "unused": "(unused ?a ?b): of no fact at first",
}


def test_the_domain_request_carries_what_the_problems_author_means_by_its_predicates() -> None:
    assert definitions(REPLY, ARITIES, ["switch"]) == MEANT
    world = replace(LAMPS, objects=dict.fromkeys(("a", "b", "t1"), "lamp"))
    reading = read_problem_reply(REPLY, world)
    assert reading.problem is not None
    asked = domain_request(LAMPS, reading.problem)[-1].content
    assert all(f"  ; {meaning}\n" in asked for meaning in MEANT.values())
    assert read_problem_reply(reading.problem, world) == reading


@given(st.text(max_size=200), st.sampled_from(["", "- ", "1. ", "; ", "> * "]))
def test_no_reply_breaks_the_problem_by_its_definitions(text: str, mark: str) -> None:
    found = definitions(f"{mark}(near ?a ?b): {text}", ARITIES)
    assert all("\n" not in meaning and "`" not in meaning for meaning in found.values())
    pddl = "(define (problem p)\n  (:init)\n)"
    said = commented(pddl, found, "(:init")
    assert [line for line in said.split("\n") if not line.startswith("  ; ")] == pddl.split("\n")


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
