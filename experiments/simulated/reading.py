"""Reading a request to a language model: what is asked for, and what it shows, from the messages alone.

A prompt of `agents.prompts` is a text with placeholders; here it is read backwards, so a message says which
prompt it was made of and what each placeholder was filled with. A prompt whose sentences change is read as
before; one that gains, loses or renames a placeholder, and a new one, is a test that fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from agents.llm.interface import Message
from agents.prompts import load


class Ask(StrEnum):
    """What a request asks for; the value is its prompt."""

    PROBLEM = "problem.md"
    PROBLEM_FROM_PROPOSAL = "problem_from_proposal.md"
    NEXT_TASK = "next_task.md"
    PROPOSAL = "proposal.md"  #: a domain as PDDL
    DOMAIN = "domain.md"  #: a domain by edits
    PLAN = "plan.md"
    TRANSLATION = "tic/direct.md"  #: a problem with its objects, for a domain that is not shown
    ZERO_SHOT = "translate/task.md"  #: the same, for a domain that is shown
    FEEDBACK = "feedback.md"  #: edits after a failure
    EITHER = "either.md"  #: edits, a problem or both after a failure
    MEND_PROBLEM = "mend_problem.md"  #: a problem after a failure
    MEND_TRANSLATION = "tic/mend_whole.md"


#: What begins a conversation; the others go on with one.
FIRST = (
    Ask.PROBLEM, Ask.PROBLEM_FROM_PROPOSAL, Ask.NEXT_TASK, Ask.PROPOSAL, Ask.DOMAIN, Ask.PLAN,
    Ask.TRANSLATION, Ask.ZERO_SHOT,
)  # fmt: skip
_PLACEHOLDER = re.compile(r"\$(\w+)")


class Unreadable(ValueError):
    """A request that is none of `Ask`; one line."""


@dataclass(frozen=True)
class Request:
    """A request as it was read. Texts are as the prompts hold them, without blanks at their ends."""

    ask: Ask
    shown: Mapping[str, str]  #: what the last turn's placeholders were filled with
    first: Mapping[str, str]  #: the same of the turn that began the conversation
    answers: tuple[str, ...] = ()  #: the model's earlier ones, in order
    failures: tuple[str, ...] = ()  #: what each turn after the first says is wrong, in order

    @property
    def last_answer(self) -> str:
        """The model's last answer; empty if it has given none."""
        return self.answers[-1] if self.answers else ""


def read_request(messages: Sequence[Message]) -> Request:
    """What `messages` ask for. Raises Unreadable."""
    turns = [m.content for m in messages if m.role == "user"]
    start = next((i for i, text in enumerate(turns) if _among(text, FIRST)), None)
    if start is None:
        raise Unreadable("the conversation begins with no request that a simulated language model knows")
    (_, first), *later = [_turn(text, i > 0) for i, text in enumerate(turns[start:])]
    answers = [m.content for m in messages if m.role == "assistant"][start:]
    ask, shown = later[-1] if later else _turn(turns[start], False)
    failures = tuple(_failure(said) for _, said in later)
    return Request(ask, shown, first, tuple(answers), failures)


def filled(prompt: str, text: str) -> dict[str, str] | None:
    """What the placeholders of a prompt file were filled with to give `text`; None if it did not give it."""
    found = _pattern(prompt).fullmatch(text.strip())
    return found.groupdict() if found else None


@cache
def _pattern(prompt: str) -> re.Pattern[str]:
    pieces = _PLACEHOLDER.split(load(prompt))
    parts = (f"(?P<{piece}>.*)" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))
    return re.compile("".join(parts), re.DOTALL)


def _turn(text: str, follows: bool) -> tuple[Ask, dict[str, str]]:
    found = _among(text, tuple(ask for ask in Ask if ask not in FIRST) if follows else FIRST)
    if found is None:
        raise Unreadable(f"a turn is made of no prompt that a simulated language model knows: {text[:80]!r}")
    return found


def _among(text: str, asks: Sequence[Ask]) -> tuple[Ask, dict[str, str]] | None:
    found = ((ask, filled(ask.value, text)) for ask in asks)
    return next(((ask, shown) for ask, shown in found if shown is not None), None)


def _failure(shown: Mapping[str, str]) -> str:
    """The words about what is wrong, with all that stands beside them."""
    said = (shown.get(name, "") for name in ("failure", "standing", "faults"))
    return "\n\n".join(filter(None, said))
