"""PDDL out of arbitrary text: the balanced `(define ...)` forms of a language model's reply.

Prose, code fences with any label or none, and several forms are all expected. A form starts at `(define`
and ends with its own parenthesis; parentheses in comments (`;` to the end of the line) do not count. It is
unbalanced if a line of a code fence, the next `(define` or the end of the text comes first. A `(define` on
a commented-out line is not a form. A line ends with LF, CR LF or CR.

When there are several domains (or problems), `domain` is the last: a reply that corrects itself ends with
what it means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from envs.pddl.language.sexpr import MAX_CHARACTERS

# The two long patterns start with a set of characters, so that all other text is skipped at full speed.
_COMMENT_LINE = re.compile(r"[^\S\r\n]*;[^\r\n]*")
#: Outside of forms: a line that is commented out, or the start of a form.
_OUTSIDE = re.compile(
    r"[\r\n(](?:(?<=\()(?P<form>\s*define\b)|(?<=[\r\n])[^\S\r\n]*;[^\r\n]*)", re.IGNORECASE
)
#: Inside a form: lines of comment, or a run of parentheses and line ends with blanks and marks of quotation.
_INSIDE = re.compile(r"[();\r\n](?:(?<=;)[^\r\n]*(?:[\r\n]+[ \t]*;[^\r\n]*)*+|(?<!;)[()\s>]*)")
_DEFINE = re.compile(r"define\b", re.IGNORECASE)
_FENCED = re.compile(r"[\r\n][ \t>]*\Z")
_KIND = re.compile(r"\(\s*define(?:\s|;[^\r\n]*[\r\n])*+\(\s*(domain|problem)\b", re.IGNORECASE)


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
    first = _COMMENT_LINE.match(reply)
    position = first.end() if first else 0
    while (start := _OUTSIDE.search(reply, position)) is not None:
        position = start.end()
        if start["form"] is None:
            continue
        position, balanced = _end_of_form(reply, position)
        text = reply[start.start() : position]
        if not balanced:
            found["unbalanced"].append(text.rstrip())
        elif kind := _KIND.match(text):
            found[kind.group(1).lower()].append(text)
    return Extraction(tuple(found["domain"]), tuple(found["problem"]), tuple(found["unbalanced"]))


def _end_of_form(text: str, inside: int) -> tuple[int, bool]:
    """Where the form ends whose `(define` ends at `inside`, and whether with its own parenthesis."""
    depth = 1
    for step in _INSIDE.finditer(text, inside):
        run = step.group()
        if run[0] == ";":
            continue
        closing = run.count(")")
        if closing >= depth and (length := _closing(run, depth)):
            return step.start() + length, True
        depth += run.count("(") - closing
        broken_off = _broken_off(text, run, step.end())
        if broken_off is not None:
            return step.start() + broken_off, False
    return len(text), False


def _broken_off(text: str, run: str, end: int) -> int | None:
    """Where in a run that ends at `end` the start of another form or the line of a fence begins."""
    following = text[end : end + 3]
    if following[:1] in ("d", "D"):
        opening = len(run.rstrip()) - 1
        return opening if run[opening] == "(" and _DEFINE.match(text, end) else None
    if following in ("```", "~~~"):
        line = _FENCED.search(run)
        return line.start() if line else None
    return None


def _closing(run: str, depth: int) -> int:
    """How long the part of a run is that closes `depth` parentheses; 0 if it does not."""
    for length, character in enumerate(run, 1):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return length
    return 0
