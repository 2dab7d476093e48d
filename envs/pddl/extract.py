"""PDDL out of arbitrary text: the balanced `(define ...)` forms of a language model's reply.

Prose, code fences with any label or none, and several forms are all expected. A form starts at `(define`
and ends with its own parenthesis; parentheses in comments (`;` to the end of the line) do not count. It is
unbalanced if a line of a code fence, the next `(define` or the end of the text comes first. A `(define` on
a commented-out line is not a form.

When there are several domains (or problems), `domain` is the last: a reply that corrects itself ends with
what it means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from envs.pddl.sexpr import MAX_CHARACTERS

_START = re.compile(r"\(\s*define\b", re.IGNORECASE)
_KIND = re.compile(r"\(\s*define(?:\s|;[^\n]*\n)*\(\s*(domain|problem)\b", re.IGNORECASE)
_STEP = re.compile(r"[()]|;[^\n]*|^[ \t>]*(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True)
class Extraction:
    """The forms found in a text, in its order. Zero or several domains are for the caller to judge."""

    domains: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    unbalanced: tuple[str, ...] = ()  #: forms that never close, up to where they were given up
    too_large: bool = False  #: the text is over `MAX_CHARACTERS` and was not looked at

    @property
    def domain(self) -> str | None:
        """The last domain form, or None."""
        return self.domains[-1] if self.domains else None

    @property
    def problem(self) -> str | None:
        """The last problem form, or None."""
        return self.problems[-1] if self.problems else None


def extract_pddl(reply: str) -> Extraction:
    """The `(define ...)` forms of `reply`, byte for byte as they stand there. Never raises; linear time."""
    if len(reply) > MAX_CHARACTERS:
        return Extraction(too_large=True)
    found: dict[str, list[str]] = {"domain": [], "problem": [], "unbalanced": []}
    position = 0
    while (start := _START.search(reply, position)) is not None:
        position = start.end()
        if _is_commented_out(reply, start.start()):
            continue
        position, balanced = _end_of_form(reply, start)
        text = reply[start.start() : position]
        kind = _KIND.match(text)
        if not balanced:
            found["unbalanced"].append(text.rstrip())
        elif kind is not None:
            found[kind.group(1).lower()].append(text)
    return Extraction(tuple(found["domain"]), tuple(found["problem"]), tuple(found["unbalanced"]))


def _is_commented_out(text: str, at: int) -> bool:
    line_start = text.rfind("\n", 0, at) + 1
    return text[line_start:at].lstrip().startswith(";")


def _end_of_form(text: str, start: re.Match[str]) -> tuple[int, bool]:
    """Where the form that `start` opens ends, and whether with its own parenthesis."""
    depth = 1
    for step in _STEP.finditer(text, start.end()):
        token = step.group()
        if token == ")":
            depth -= 1
            if depth == 0:
                return step.end(), True
        elif token == "(":
            if _START.match(text, step.start()):
                return step.start(), False
            depth += 1
        elif token[0] != ";":
            return step.start(), False
    return len(text), False
