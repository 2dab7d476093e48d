"""Reading what a failure reports: the action, the walk before it, and the changes that are recommended.

The words are those of `ew.counterexample.feedback.render_failure` and `ew.counterexample.causes`; a test
renders every kind of failure and reads it here, so that words which change cannot silently change what a
simulated model knows of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from envs.pddl.language.operators import parse_operator
from ew.counterexample.causes import read_order
from ew.counterexample.explanations import Change

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
