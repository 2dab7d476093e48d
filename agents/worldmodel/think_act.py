"""The actions of a plan that is written as steps, each with a thought and an action.

    Step 1:
    think: The box is in the drawer, and the drawer is closed.
    action: (open drawer1)

A reply that begins again with its first step has thought better of what it wrote before, so its last plan
counts. Thoughts are not read.

Source of the form: Guan et al. 2023, Appendix A.12.1.
"""

from __future__ import annotations

import re

from agents.replies import MAX_REPLY_CHARS, ReplyTooLarge

#: Marks that a reply may set a line or a word in.
_MARKS = " \t>*_`-"
#: An action may stand behind the number of its step, and in the line below its name.
_ACTION = re.compile(
    rf"^[#{_MARKS}]*(?:(?:step[ \t]*)?\d+[.:)][{_MARKS}]*)?action[*_`]*[ \t]*:"
    rf"(?:[{_MARKS}]*\n[{_MARKS}]*(?=\())?(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(rf"^[#{_MARKS}]*step[ \t]*0*1\b(?![.]\d)", re.IGNORECASE | re.MULTILINE)


def actions_of(reply: str) -> tuple[str, ...]:
    """The actions of the last plan in `reply`, as they are written; empty if there is none.

    Raises ReplyTooLarge.
    """
    if len(reply) > MAX_REPLY_CHARS:
        raise ReplyTooLarge(len(reply))
    starts = [0, *(first.start() for first in _FIRST.finditer(reply))]
    ends = [*starts[1:], len(reply)]
    plans = [_actions(reply[start:end]) for start, end in zip(starts, ends, strict=True)]
    return next((plan for plan in reversed(plans) if plan), ())


def _actions(text: str) -> tuple[str, ...]:
    written = (found.strip(f"{_MARKS}\r") for found in _ACTION.findall(text))
    return tuple(action for action in written if action)
