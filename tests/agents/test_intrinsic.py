"""Plans are read tolerantly, and never mended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from example_world import example_world

from agents.intrinsic import ask_for_plan, read_plan_reply
from agents.llm.interface import Completion, Finish, Message
from agents.llm.scripted import ScriptedModel
from envs.pddl.interface import ActionSignature, Parameter

_ONE, _TWO = (Parameter("?x", "block"),), (Parameter("?x", "block"), Parameter("?y", "block"))
WORLD = replace(
    example_world(),
    actions=(
        ActionSignature("pick-up", _ONE), ActionSignature("put-down", _ONE), ActionSignature("stack", _TWO),
        ActionSignature("unstack", _TWO),
    ),
)  # fmt: skip
PLAN = ("(unstack b a)", "(put-down b)", "(pick-up c)", "(stack c a)")


def plan_of(reply: str) -> tuple[str, ...] | None:
    return read_plan_reply(Completion(reply), WORLD).plan


@pytest.mark.parametrize(
    "lines",
    [
        "(unstack b a)\n(put-down b)\n(pick-up c)\n(stack c a)",
        "1. (unstack b a)\n2. (put-down b)\n3. (pick-up c)\n4. (stack c a)",
        "unstack b a\nput-down b\npick-up c\nstack c a.",
        "1) unstack b a\n2) put-down b\n3) pick-up c\n4) stack c, a",
        "unstack(b, a)\nput-down(b)\npick-up(c)\nstack (c, a)",
        "- Unstack B A ; take b off\n- Put-Down B # (aside)\n\n* pick-up c\n* Step 4: stack c a",
        "(unstack b a) (put-down b)\n(pick-up c) (stack c a)",
    ],
)
def test_one_plan_has_many_notations(lines: str) -> None:
    assert plan_of(f"My plan:\n```\n{lines}\n```") == PLAN
    assert plan_of(lines) == PLAN


def test_the_last_block_is_the_plan() -> None:
    assert plan_of("First try:\n```\n(pick-up b)\n```\nBetter:\n```plan\n(pick-up c)\n```") == (
        "(pick-up c)",
    )


def test_a_step_of_an_unknown_name_stays_for_the_environment_to_refuse() -> None:
    assert plan_of("```\n(pick-up c)\n(throw c)\n(stack c)\n```") == ("(pick-up c)", "(throw c)", "(stack c)")


def test_prose_around_an_unfenced_plan_is_no_step() -> None:
    reply = "I take b (the upper block) first.\n(unstack b a)\nThen it goes (somewhere) down.\nput-down b"
    assert plan_of(reply) == PLAN[:2]


def test_an_empty_block_is_the_empty_plan_and_prose_is_none() -> None:
    assert plan_of("Nothing is to be done.\n```\n```") == ()
    assert plan_of("I cannot do that.") is None
    assert plan_of("```\nno idea\n```") is None


@pytest.mark.parametrize("finish", [f for f in Finish if f is not Finish.STOP])
def test_a_completion_that_did_not_end_by_itself_holds_no_plan(finish: Finish) -> None:
    proposal = read_plan_reply(Completion("```\n(pick-up c)\n```", finish), WORLD)
    assert (proposal.plan, proposal.finish) == (None, finish)
    assert proposal.fault


@pytest.mark.parametrize(
    "reply", ["(" * 10_000_000, "a" * 900_000, "```\n" + "((" * 100_000, "(a " * 200_000]
)
def test_hostile_replies_hold_no_plan(reply: str) -> None:
    proposal = read_plan_reply(Completion(reply), WORLD)
    assert proposal.plan is None
    assert proposal.fault


def test_chain_of_thought_changes_the_request_and_one_greedy_sample_is_drawn() -> None:
    seen: list[tuple[Message, ...]] = []

    def reply(messages: object, index: int, seed: int) -> str:
        seen.append(tuple(messages))  # type: ignore[arg-type]
        return "```\n(pick-up c)\n```"

    for chain_of_thought in (False, True):
        found = ask_for_plan(ScriptedModel(reply), WORLD, 1, chain_of_thought=chain_of_thought)
        assert found.plan == ("(pick-up c)",)
    direct, reasoned = (messages[-1].content for messages in seen)
    assert "nothing but the plan" in direct
    assert "Reason first" in reasoned
    assert direct.split("## What to write")[0] == reasoned.split("## What to write")[0]
