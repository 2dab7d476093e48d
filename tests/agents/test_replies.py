"""Code blocks are found whatever the fences look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.replies import MAX_REPLY_CHARS, ReplyTooLarge, call_blocks, code_blocks

CALL = 'modify_action("move", [], ["(p)"])'


@pytest.mark.parametrize(
    "label", ["", "python", "py", "Python3", "tool_code", "pddl", " {.python .numberLines}"]
)
@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
def test_any_fence_and_any_label_is_accepted(fence: str, label: str) -> None:
    reply = f"Here it is.\n\n{fence}{label}\n{CALL}\n{fence}\nDone."
    assert code_blocks(reply) == (CALL,)
    assert call_blocks(reply) == (CALL,)


@given(
    st.lists(
        st.text(st.characters(exclude_characters="`~\r", exclude_categories=["Cs"]), max_size=40), max_size=5
    )
)
def test_blocks_come_back_in_order_whatever_they_hold(texts: list[str]) -> None:
    bodies = [f"x{text.strip()}x" for text in texts]
    reply = "\n".join(f"prose\n```\n{body}\n```" for body in bodies)
    assert len(code_blocks(reply)) == len(bodies)
    assert [b.replace("\n", "").split() for b in code_blocks(reply)] == [
        b.replace("\n", "").split() for b in bodies
    ]


def test_an_unterminated_fence_runs_to_the_end() -> None:
    assert code_blocks(f"text\n```python\n{CALL}") == (CALL,)


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    assert code_blocks("````\n```\ninner\n```\n````") == ("```\ninner\n```",)


def test_blocks_in_lists_and_quotations_are_dedented() -> None:
    assert code_blocks("1. first\n   ```\n   a\n     b\n   ```") == ("a\n  b",)


def test_only_blocks_that_hold_calls_count_as_code() -> None:
    reply = f"```pddl\n(define (domain d))\n```\n```\n{CALL}\n```\n```\nsome prose\n```\n```\nprint(1)\n```"
    assert call_blocks(reply) == (CALL, "print(1)")


def test_without_fences_each_edit_call_is_cut_out_of_the_prose() -> None:
    first = 'add_or_update_predicates([\n    "(p ?x) ; a ) in a string",\n])'
    assert call_blocks(f"I declare p (see above):\n{first}\nand then\n  {CALL}\nThat is all.") == (
        first,
        CALL,
    )


def test_a_reply_without_code_holds_no_calls() -> None:
    assert call_blocks("I would call modify_action (the second function) here.") == ()
    assert call_blocks("") == ()


def test_an_oversized_reply_is_refused_unread() -> None:
    with pytest.raises(ReplyTooLarge, match="10,000,000 characters"):
        call_blocks("(" * 10_000_000)
    assert code_blocks("x" * MAX_REPLY_CHARS) == ()
