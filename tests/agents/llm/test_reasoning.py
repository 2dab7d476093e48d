"""Reasoning text is split off, in whatever form it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.answers import split_reasoning

FIXTURES = {
    "none": ("(define (domain d))\n", "(define (domain d))\n", ""),
    "one block": ("<think>\nLet me see.\n</think>\n\nanswer", "answer", "Let me see."),
    "never closed": ("<think>and so on and", "", "and so on and"),
    "never opened": ("Let me see.</think>answer", "answer", "Let me see."),
    "two blocks": ("<think>a</think>one <thinking>b</thinking>two", "one two", "a\nb"),
    "empty block": ("<think>\n\n</think>\n\nanswer", "answer", ""),
    "closed late": ("answer <THINK>but then", "answer", "but then"),
    "code inside": ("<think>(define (domain no))</think>(define ())", "(define ())", "(define (domain no))"),
}


@pytest.mark.parametrize("name", FIXTURES)
def test_fixture(name):
    content, answer, reasoning = FIXTURES[name]
    assert split_reasoning(content) == (answer, reasoning)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thinking>", "a", " ", "<", "think>"])))
def test_no_tag_is_left_over_and_no_word_is_lost(parts):
    content = "".join(parts)
    answer, reasoning = split_reasoning(content)
    assert answer.count("a") + reasoning.count("a") == content.count("a")


def test_a_hundred_thousand_opening_tags_are_no_trouble():
    assert split_reasoning("<think>x" * 100_000)[0] == ""
