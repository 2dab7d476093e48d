"""Goals predicted by a language model: what it is told, and how its reply is read."""

import pytest
from kitchen import OPERATORS, SOUP, observed, space

from agents.goals.asking import (
    GUESSES,
    OURS,
    PUBLISHED,
    Presentation,
    View,
    goal_request,
    predict,
    read_guesses,
)
from agents.goals.extension import UNBOUNDED, extend, texts_of
from agents.llm.interface import Completion, Finish
from agents.llm.scripted import ScriptedModel


def told(view, whole=True, plan=SOUP, examples=(), presentation=OURS):
    request = goal_request(observed(*plan), space(), view, examples, whole=whole, presentation=presentation)
    return request[1].content


def read(text, size=1):
    return [sorted(goal) for goal in read_guesses(Completion(text), space(size)).goals]


@pytest.mark.parametrize("whole", [True, False])
def test_each_view_tells_more_than_the_steps_alone(whole):
    texts = {view: told(view, whole) for view in View}
    for text in texts.values():
        assert all(f"{i}. {step}" in text for i, step in enumerate(SOUP, start=1))
        assert "(is kale raw)" in text and "leek kale - food" in text and "(is ?x ?kind)" in text
        assert ("the goal was reached" in text) == whole
    assert "  needs: " not in texts[View.ACTIONS] and "3. (is leek soup)" not in texts[View.ACTIONS]
    assert texts[View.OPERATORS].count("\n  needs: ") == len(OPERATORS)
    assert "3. (is leek soup)" in texts[View.PARSED] and "(held pot)" not in texts[View.PARSED]


def test_extensions_are_told_of_a_prefix_alone():
    plan = SOUP[:2]
    assert "1. (cook ?f pot)" in told(View.PARSED, whole=False, plan=plan)
    assert "(cook ?f pot)" not in told(View.PARSED, whole=True, plan=plan)


@pytest.mark.parametrize("whole", [True, False])
def test_the_published_presentation_gives_the_effects_of_hanging_steps(whole):
    seen = observed(*SOUP)
    text = told(View.PARSED, whole, presentation=PUBLISHED)
    hanging = [
        f"{number + 1}. {effect}"
        for number in seen.graph.hanging
        for effect in seen.graph.steps[number].effects
        if effect.positive
    ]
    assert hanging and all(line in text for line in hanging)
    assert told(View.PARSED, whole) != text and told(View.ACTIONS, whole, presentation=PUBLISHED) == told(
        View.ACTIONS, whole
    )


def test_unbounded_extensions_are_all_there():
    seen = observed(*SOUP[:2])
    every = extend(seen.graph, seen.operators, seen.objects, seen.vocabulary, seen.reached, UNBOUNDED)
    text = told(View.PARSED, whole=False, plan=SOUP[:2], presentation=Presentation(unbounded=True))
    assert all(line in text for line in texts_of(every))


def test_goals_of_others_are_shown():
    assert "clean salad" in told(View.ACTIONS, examples=[frozenset({"salad", "clean"})])
    assert "Nothing is known" in told(View.ACTIONS)


@pytest.mark.parametrize(
    "reply",
    [
        "The pot.\n```\nsoup\nclean\nsalad\n```",
        "```text\n1. Soup\n2. (is ?x clean)\n3. salad\n```",
        "soup\nclean\nsalad",
        "First thoughts:\n```\nsalad\n```\nNo:\n```\nsoup\nclean\nsalad\nsoup\n```",
    ],
)
def test_three_guesses_are_read_however_they_are_written(reply):
    assert read(reply) == [["soup"], ["clean"], ["salad"]]


def test_without_a_code_block_the_last_lines_count_as_reasoning_comes_first():
    reply = "No salad is wanted here.\nA pot must be clean first.\n\nsoup\nclean\nsalad"
    assert read(reply) == [["soup"], ["clean"], ["salad"]]


def test_lines_that_name_more_or_less_than_a_goal_are_no_guesses():
    assert read("```\nsoup clean\nsalad\nsoup soup salad\n```", size=2) == [
        ["clean", "soup"],
        ["salad", "soup"],
    ]
    assert read("```\nstew\n```") == []
    lines = "\n".join(["soup", "clean", "salad", "soup"])
    assert len(read(lines)) == GUESSES


@pytest.mark.parametrize(
    ("completion", "fault"),
    [
        (Completion("soup", Finish.LENGTH), "cut off"),
        (Completion("stew"), "names 1 of what may be wanted"),
        (Completion("x" * 1_000_001), "was not read"),
    ],
)
def test_a_reply_without_guesses_says_why(completion, fault):
    found = read_guesses(completion, space())
    assert found.goals == () and fault in found.fault


def test_a_model_is_asked_once_at_temperature_0():
    asked = []

    def reply(messages, sample, seed):
        asked.append((messages, seed))
        return "```\nsoup\n```"

    guesses = predict(
        ScriptedModel(reply), observed(*SOUP), space(), View.PARSED, whole=True, examples=(), seed=5
    )
    assert guesses.goals == (frozenset({"soup"}),) and guesses.fault is None and len(asked) == 1
    assert asked[0] == (goal_request(observed(*SOUP), space(), View.PARSED, (), whole=True), 5)
