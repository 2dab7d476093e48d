"""Reading a request to a language model: what is asked for, and what it shows, from the messages alone.

A prompt of `agents.prompts` is a text with placeholders; here it is read backwards, so a message says which
prompt it was made of and what each placeholder was filled with. A prompt whose sentences change is read as
before; one that gains, loses or renames a placeholder, and a new one, is a test that fails.

A failure reports the action, the walk before it, and the changes that are recommended. Its words are those of
`ew.counterexample.feedback.render_failure` and `ew.counterexample.causes`; a test renders every kind of
failure and reads it here, so that words which change cannot silently change what a simulated model knows of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from agents.llm.interface import Message
from agents.prompts import load
from envs.pddl.language.operators import parse_operator
from ew.counterexample.causes import read_order
from ew.counterexample.explanations import Change


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

    @property
    def reports(self) -> tuple[Report, ...]:
        """What the failures report, in order."""
        return tuple(map(read_report, self.failures))


def read_request(messages: Sequence[Message]) -> Request:
    """What `messages` ask for. Raises Unreadable."""
    turns = [m.content for m in messages if m.role == "user"]
    start = next((i for i, text in enumerate(turns) if _among(text, FIRST)), None)
    if start is None:
        raise Unreadable("the conversation begins with no request that a simulated language model knows")
    read = [_turn(text, i > 0) for i, text in enumerate(turns[start:])]
    answers = [m.content for m in messages if m.role == "assistant"][start:]
    failures = tuple(_failure(said) for _, said in read[1:])
    return Request(*read[-1], read[0][1], tuple(answers), failures)


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


#: A change that is recommended: its kind, the action (empty for an initial fact), and the literal.
Order = tuple[Change, str, str]

_NEXT = re.compile(r"^Next action: (\(.+\))$", re.MULTILINE)
_EXECUTES = re.compile(r"^Expected: .*For example, the environment executes (\([^()]+\))\.$", re.MULTILINE)
_WALK = re.compile(
    r"^Executed one after another from the initial state.*:\n((?:(?:\(|\.\.\. ).*\n?)+)", re.MULTILINE
)
_IDLE = re.compile(r"^Incorrect\. Every action must change something.*\n\n((?:- .*\n?)+)", re.MULTILINE)
_UNREAD = (
    "Incorrect. Your reply does not change the domain.",
    "Incorrect. Your changes of the domain could not",
)
_ERRORS = "Incorrect. The PDDL has errors:"
_TOGETHER = "These changes of the initial state, made together,"
_SINGLE = "Single changes of your model,"


@dataclass(frozen=True)
class Report:
    """What a failure reports, as far as it can be acted on."""

    failing: str = ""  #: the name of the action whose operator model and environment treat differently
    before: tuple[str, ...] = ()  #: the names of the actions executed before it, in order
    idle: tuple[str, ...] = ()  #: actions without effects
    recommended: tuple[tuple[Order, ...], ...] = ()  #: alternatives, the best ones; each is made as a whole
    unread: bool = False  #: nothing of the last answer could be applied
    errors: bool = False  #: the domain or the problem has errors

    @property
    def places(self) -> bool:
        """Whether it names actions."""
        return bool(self.failing or self.before or self.idle)


def read_report(failure: str) -> Report:
    """What the words of a failure report."""
    found = _NEXT.search(failure) or _EXECUTES.search(failure)
    walk, idle = _WALK.search(failure), _IDLE.search(failure)
    operators = [line for line in (walk[1] if walk else "").splitlines() if line.startswith("(")]
    return Report(
        failing=parse_operator(found[1])[0] if found else "",
        before=tuple(parse_operator(line)[0] for line in operators),
        idle=tuple(line.removeprefix("- ") for line in idle[1].splitlines()) if idle else (),
        recommended=tuple(_recommended(failure)),
        unread=failure.startswith(_UNREAD),
        errors=failure.startswith(_ERRORS),
    )


def _recommended(failure: str) -> Iterator[tuple[Order, ...]]:
    """The changes that together explain everything, and each single one of the first count."""
    for paragraph in failure.split("\n\n"):
        head, *lines = paragraph.splitlines() or [""]
        orders = [order for line in _first_group(lines) if (order := read_order(line.removeprefix("- ")))]
        if head.startswith(_TOGETHER) and orders:
            yield tuple(orders)
        elif head.startswith(_SINGLE):
            yield from ((order,) for order in orders)


def _first_group(lines: list[str]) -> Iterator[str]:
    """The lines of a list up to the second count; those of a list without counts."""
    for number, line in enumerate(lines):
        if line.startswith("- "):
            yield line
        elif number:
            return
