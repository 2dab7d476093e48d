"""Code blocks out of a model's reply, whatever the fences look like.

A reply is untrusted text. It is cut at fences of three or more backticks or tildes; labels are ignored, an
unterminated fence runs to the end, and a reply without fences counts as a whole. Blocks that hold calls are
told from blocks that hold PDDL, plans or prose by a line that starts with `name(`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from difflib import get_close_matches

#: Replies longer than this are refused unread; a real one has a few thousand characters.
MAX_REPLY_CHARS = 1_000_000

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_CALL = re.compile(r"^[ \t]*[A-Za-z_][\w.]*[ \t]*\(", re.MULTILINE)
_EDIT_CALL = re.compile(r"^[ \t]*(?:add_or_update_predicates|modify_action)[ \t]*\(", re.MULTILINE)
_STRING_OR_BRACKET = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|\"[^\"\n]*\"|[()]", re.DOTALL)


class ReplyTooLarge(ValueError):
    """A reply beyond `MAX_REPLY_CHARS`; the message says how long it is."""


def check_size(reply: str) -> None:
    """Raises ReplyTooLarge if it is longer than what is read."""
    if len(reply) > MAX_REPLY_CHARS:
        raise ReplyTooLarge(
            f"the reply has {len(reply):,} characters and was not read; at most {MAX_REPLY_CHARS:,} are: "
            "answer with a few calls only"
        )


def hint(name: str, known: Iterable[str], listed: str, quote: str = "") -> str:
    """`did you mean NAME?` if a known name is near, else `listed` and all of them."""
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {quote}{near[0]}{quote}?" if near else f"{listed} {', '.join(names)}"


def code_blocks(reply: str) -> tuple[str, ...]:
    """The fenced blocks of `reply`, in order, dedented, without their fences. Raises ReplyTooLarge."""
    check_size(reply)
    blocks: list[str] = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(reply):
        if opening is None:
            opening = fence
        elif _closes(fence, opening):
            blocks.append(reply[opening.end() : fence.start()])
            opening = None
    if opening is not None:
        blocks.append(reply[opening.end() :])
    return tuple(textwrap.dedent(block.strip("\n")) for block in blocks)


def last_block(reply: str) -> str:
    """The last fenced block of `reply`, or all of it without any, without blanks at its ends.

    Raises ReplyTooLarge.
    """
    blocks = code_blocks(reply)
    return (blocks[-1] if blocks else reply).strip()


def call_blocks(reply: str) -> tuple[str, ...]:
    """The parts of `reply` that hold function calls, in order; empty if there are none.

    With fences: every block that has a line starting with `name(`. Without: each call of an edit function
    that starts a line, up to its closing parenthesis. Raises ReplyTooLarge.
    """
    blocks = code_blocks(reply)
    if blocks:
        return tuple(block for block in blocks if _CALL.search(block))
    calls: list[str] = []
    end = 0
    for match in _EDIT_CALL.finditer(reply):
        if match.start() >= end:
            end = _end_of_call(reply, match.end())
            calls.append(reply[match.start() : end].strip())
    return tuple(calls)


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    """A closing fence has the opening one's character, at least its length, and no label."""
    mark, label = fence.group(1), fence.group(2)
    return mark.startswith(opening.group(1)) and not label.strip()


def _end_of_call(text: str, start: int) -> int:
    """Where the call whose opening parenthesis ends at `start` is closed; the text's end if it never is."""
    depth = 1
    for token in _STRING_OR_BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return len(text)
