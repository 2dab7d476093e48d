"""A planner that reads the model in words: all of it, two examples that work, thoughts and actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest
from true_answers import brief_of, modelled, true_domain

from agents.llm.interface import Message
from agents.llm.scripted import ScriptedModel
from agents.prompts import load
from agents.replies import MAX_REPLY_CHARS, ReplyTooLarge
from agents.requests import plan_request
from agents.texts import WorldTexts
from agents.worldmodel.model import (
    ActionModel,
    PredicateNote,
    WorldModel,
    in_environment,
    places_of,
)
from agents.worldmodel.planning import InstructedPlanner, actions_of
from agents.worldmodel.requests import shown_plan_request
from agents.worldmodel.saying import AdviceKind, Advisor
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.validate import validate_plan
from envs.source import read_texts
from envs.world import open_world

MODEL = modelled(true_domain("logistics"), brief_of("logistics"))
TEXTS = WorldTexts.of(open_world("logistics", 1))
PROBLEM = read_texts("logistics", 1).problem
PLAN = (
    "(drive-truck truck1 location2 location3 city1)",
    "(load-truck package3 truck1 location3)",
    "(drive-truck truck1 location3 location2 city1)",
    "(unload-truck package3 truck1 location2)",
)
GOAL = PROBLEM[: PROBLEM.index("(:goal")] + "(:goal (package-at package3 location2)))"
MUSEUM = """(define (domain museum) (:requirements :typing :negative-preconditions :equality)
  (:types hall door lamp)
  (:predicates (porter-in ?h - hall) (door-of ?d - door ?h - hall) (locked ?d - door)
    (hangs-in ?l - lamp ?h - hall) (lit ?l - lamp))
  (:action leave :parameters (?a - door ?b - hall ?c - hall)
    :precondition (and (porter-in ?b) (door-of ?a ?b) (door-of ?a ?c) (not (= ?b ?c)) (not (locked ?a)))
    :effect (and (porter-in ?c) (locked ?a) (not (porter-in ?b))))
  (:action unlock :parameters (?a - door ?b - hall)
    :precondition (and (porter-in ?b) (door-of ?a ?b) (locked ?a)) :effect (not (locked ?a)))
  (:action switch-off :parameters (?a - lamp ?b - hall)
    :precondition (and (porter-in ?b) (hangs-in ?a ?b) (lit ?a)) :effect (not (lit ?a))))"""
IN_MUSEUM = """(define (problem night) (:domain museum)
  (:objects hall1 hall2 hall3 - hall door1 door2 - door lamp1 lamp2 - lamp)
  (:init (porter-in hall1) (door-of door1 hall1) (door-of door1 hall2) (door-of door2 hall2)
    (door-of door2 hall3) (hangs-in lamp1 hall2) (hangs-in lamp2 hall3) (lit lamp1) (lit lamp2){more})
  (:goal {goal}))"""


def written(plan: Sequence[str]) -> str:
    steps = [f"Step {i}:\nthink: Next.\naction: {step}" for i, step in enumerate(plan, 1)]
    return "\n".join(steps)


@pytest.mark.parametrize("world", ["logistics", "household", "termes"])
def test_every_action_of_the_model_is_shown_in_words_with_both_examples(world: str) -> None:
    model = modelled(true_domain(world), brief_of(world))
    texts = WorldTexts.of(open_world(world, 1))
    asked = shown_plan_request(texts, model)[-1].content
    own = asked.partition("## Two examples")[0]
    for action in texts.actions:
        letters = " ".join([action.name, *"ABCDEFGH"[: len(action.parameters)]])
        assert f"\n{action.name}: " in own and f"\nWritten: ({letters})\n" in own
    assert own.count("Nothing else changes.") == len(texts.actions)
    assert "### Example 1" in asked and "### Example 2" in asked and "?" not in own
    assert texts.task.strip() in asked and model.brief.description.strip() in asked


def test_a_literal_less_is_shown_otherwise() -> None:
    shown = {shown_plan_request(TEXTS, MODEL)}
    for action in MODEL.actions:
        forms = (action.precondition, action.effect)
        for form in [f for f in forms if f.startswith("(and")]:
            first = form.removeprefix("(and ").split(") ")[0] + ")"
            less = [text.replace(first, "", 1) if text is form else text for text in forms]
            other = MODEL.with_action(ActionModel(action.signature, *less))
            shown.add(shown_plan_request(TEXTS, other))
    assert len(shown) > len(MODEL.actions)


@pytest.mark.parametrize(
    ("number", "more", "goal"),
    [
        (1, "", "(and (porter-in hall1) (not (lit lamp1)))"),
        (2, " (locked door2)", "(and (not (lit lamp1)) (not (lit lamp2)))"),
    ],
)
def test_the_plans_of_the_examples_work(number: int, more: str, goal: str) -> None:
    example = load("worldmodel/plan_examples.md").split("### Example ")[number]
    problem = read_problem(IN_MUSEUM.format(more=more, goal=goal), read_domain(MUSEUM))
    plan = actions_of(example)
    assert len(plan) > 3 and "think:" in example and validate_plan(problem, plan).valid


@pytest.mark.parametrize(
    "reply",
    [
        written(PLAN),
        "Let me see.\n" + written(PLAN).replace("think", "> **Think**").replace("action", "> **Action**"),
        "```\n" + written(PLAN).replace("Step", "### Step") + "\n```",
        written(PLAN[1:]) + "\n\nNo, the truck is elsewhere. Again:\n\n" + written(PLAN),
        written(PLAN).replace("\n", "\r\n") + "\nStep 5:\nthink: All is done.",
        written(PLAN).replace("action: ", "action:\n"),
        "\n".join(f"Step {number}: action: {step}" for number, step in enumerate(PLAN, 1)),
        "\n".join(f"{number}. Action: `{step}`" for number, step in enumerate(PLAN, 1)),
    ],
)
def test_the_actions_of_the_last_plan_are_read(reply: str) -> None:
    assert actions_of(reply) == PLAN


def test_a_reply_without_actions_has_none_and_one_that_is_too_long_is_refused() -> None:
    assert actions_of("Step 1: drive there.\nThis action needs a truck: truck1.") == ()
    with pytest.raises(ReplyTooLarge):
        actions_of("x" * (MAX_REPLY_CHARS + 1))


def test_advice_names_the_first_step_that_fails_and_what_is_missing_there() -> None:
    heard: list[str] = []

    def reply(messages: Sequence[Message], sample: int, seed: int) -> str:
        heard.append(messages[-1].content)
        return written(PLAN if len(messages) > 2 else PLAN[1:])

    planner = InstructedPlanner(ScriptedModel(reply), shown=MODEL)
    planned = planner.plan(TEXTS, 0, Advisor(MODEL, (GOAL,)))
    assert planned.plan == PLAN and dict(planned.told) == {AdviceKind.PRECONDITION: 1}
    first, second = heard
    assert first == shown_plan_request(TEXTS, MODEL)[-1].content
    assert f"Step 1, {PLAN[1]}," in second and "- truck-at of truck1 and location3" in second
    assert "(package-at" not in second and "in the same form" in second


def test_without_advice_the_first_plan_counts_and_without_a_model_nothing_is_shown() -> None:
    planned = InstructedPlanner(ScriptedModel([written(PLAN[1:])]), shown=MODEL).plan(TEXTS, 0)
    assert planned.plan == PLAN[1:] and not planned.told
    asked: list[Sequence[Message]] = []

    def silent(messages: Sequence[Message], sample: int, seed: int) -> str:
        asked.append(messages)
        return "I cannot."

    InstructedPlanner(ScriptedModel(silent)).plan(TEXTS, 0)
    assert asked == [plan_request(TEXTS, chain_of_thought=True)]


def test_the_models_own_parameters_are_shown_and_read() -> None:
    swapped = swap(("?t - truck", "?p - package", "?l - location"))
    steps = ("(load-truck truck1 package3 location3)",)
    planned = InstructedPlanner(ScriptedModel([written(steps)]), shown=swapped).plan(TEXTS, 0)
    assert planned.plan == steps
    places = places_of(swapped, TEXTS.actions)
    assert in_environment(steps, places) == ("(load-truck package3 truck1 location3)",)


@pytest.mark.parametrize("order", list(permutations(("?p - package", "?t - truck", "?l - location"))))
@pytest.mark.parametrize("renamed", [False, True])
def test_parameters_in_any_order_under_any_name_and_with_others_stand_for_the_environments(
    order: tuple[str, ...], renamed: bool
) -> None:
    objects = {"package": "package3", "truck": "truck1", "location": "location3", "city": "city1"}
    own = [f"?v{i} - {entry.split()[-1]}" if renamed else entry for i, entry in enumerate(order)]
    for parameters in (own, [*own, "?c - city"]):
        step = f"(load-truck {' '.join(objects[entry.split()[-1]] for entry in parameters)})"
        places = places_of(swap(parameters), TEXTS.actions)
        assert in_environment((step,), places) == (PLAN[1],)


def test_a_parameter_that_the_model_does_without_leaves_the_step_as_it_is() -> None:
    places = places_of(swap(("?p - package", "?t - truck")), TEXTS.actions)
    assert "load-truck" not in places and places["drive-truck"] == (0, 1, 2, 3)
    step = "(load-truck package3 truck1)"
    assert in_environment((step, PLAN[0]), places) == (step, PLAN[0])
    words = "drive the truck (carefully) to loc1"
    assert in_environment((words,), places) == (words,)


def swap(parameters: Sequence[str]) -> WorldModel:
    """The model with other parameters of load-truck, which loses its conditions."""
    own = tuple(Parameter(entry.split()[0], entry.split()[-1]) for entry in parameters)
    note = PredicateNote("loaded", "(loaded ?x)", "true if ?x is loaded")
    signature = ActionSignature("load-truck", own)
    package = next(p.name for p in own if p.type == "package")
    action = ActionModel(signature, "", f"(loaded {package})")
    free = WorldModel(brief_of("logistics", fixed=False), MODEL.predicates, MODEL.actions)
    return free.with_action(action, (note,))
