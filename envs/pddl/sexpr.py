"""Parenthesised text to trees that know where they stand.

A tree is a `Word` (lower-case text) or a `Group` (a pair of parentheses). Every node keeps its offset into
the text; `Source` turns an offset into line, column and the line itself, only when an issue needs them, so
that reading a good text pays nothing for it. Comments run from `;` to the end of the line. A `?` starts a
new word, so `(p?x)` reads as `(p ?x)`.

Reading is iterative, and refuses texts over `MAX_CHARACTERS` and nesting over `MAX_DEPTH`: whatever
recurses over the trees afterwards is safe from the recursion limit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from envs.pddl.issues import Code, Issue, PDDLError, Severity

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 200

_TOKEN = re.compile(r"[()]|\?[^\s()?;]*|[^\s()?;]+|;[^\n]*")

#: Words that open a section of a `define`; deeper down they show where a parenthesis is missing.
_SECTIONS = frozenset(
    [
        ":requirements",
        ":types",
        ":constants",
        ":predicates",
        ":functions",
        ":action",
        ":domain",
        ":objects",
        ":init",
        ":goal",
        ":metric",
    ]
)


class Word:
    """A symbol in lower case, and its offset in the text."""

    __slots__ = ("at", "text")

    def __init__(self, text: str, at: int):
        self.text = text
        self.at = at

    def __str__(self) -> str:
        return self.text


class Group:
    """The nodes between two parentheses, and the offset of the opening one."""

    __slots__ = ("at", "items")

    def __init__(self, items: list[Node], at: int):
        self.items = items
        self.at = at

    @property
    def head(self) -> str:
        """The first word's text; empty if the group is empty or starts with a group."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Word) else ""

    @property
    def parts(self) -> list[Group]:
        """The groups after the first node, such as the parts of an `and`."""
        return [node for node in self.items[1:] if isinstance(node, Group)]

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.items))})"


Node = Word | Group


@dataclass(frozen=True)
class Source:
    """A text and its name (`domain`, `problem` or a file's name), able to say where an offset is."""

    text: str
    name: str
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def issue(
        self, code: Code, at: int, message: str, fix: str, severity: Severity = Severity.ERROR
    ) -> Issue:
        """An issue at offset `at` of this text."""
        line = self._line_of(at)
        start = self._starts[line]
        snippet = self.text[start:].partition("\n")[0] if line + 1 == len(self._starts) else None
        if snippet is None:
            snippet = self.text[start : self._starts[line + 1] - 1]
        return Issue(
            severity,
            code,
            message,
            fix,
            self.name,
            line + 1,
            at - start + 1,
            snippet.rstrip("\r").replace("\t", " "),
        )

    def _line_of(self, at: int) -> int:
        if not self._starts:
            self._starts.extend([0, *(m.end() for m in re.finditer("\n", self.text))])
        return bisect_right(self._starts, at) - 1


def read_sexprs(source: Source) -> list[Node]:
    """The top-level nodes of a text. Raises PDDLError (too_large, unbalanced)."""
    if len(source.text) > MAX_CHARACTERS:
        raise PDDLError([_too_long(source)])
    top: list[Node] = []
    items = top
    above: list[list[Node]] = []
    opened: list[Group] = []
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if token == "(":
            group = Group([], match.start())
            items.append(group)
            above.append(items)
            opened.append(group)
            items = group.items
            if len(opened) > MAX_DEPTH:
                raise PDDLError([_too_deep(source, match.start())])
        elif token == ")":
            if not opened:
                raise PDDLError([_surplus(source, top, match.start())])
            items = above.pop()
            opened.pop()
        elif token[0] != ";":
            items.append(Word(token.lower(), match.start()))
    if opened:
        raise PDDLError([_unclosed(source, opened)])
    return top


def _too_long(source: Source) -> Issue:
    message = f"the text has {len(source.text):,} characters; at most {MAX_CHARACTERS:,} are read"
    # Only the head is kept: an issue must stay small even when the text is one huge line.
    head = Source(source.text[:100], source.name)
    return head.issue(Code.TOO_LARGE, 0, message, "write a shorter text")


def _too_deep(source: Source, at: int) -> Issue:
    return source.issue(
        Code.TOO_LARGE,
        at,
        f"parentheses are nested more than {MAX_DEPTH} deep",
        "write flat conditions, such as one (and ...) with many parts",
    )


def _surplus(source: Source, top: list[Node], at: int) -> Issue:
    for node in top:
        if isinstance(node, Group) and node.head in _SECTIONS:
            return source.issue(
                Code.UNBALANCED,
                node.at,
                f"({node.head} ...) stands outside of (define ...): a `)` before it closes define too early",
                "remove the surplus `)` before this section",
            )
    return source.issue(
        Code.UNBALANCED, at, "this `)` closes nothing", "remove it, or add the `(` that it closes"
    )


def _unclosed(source: Source, opened: list[Group]) -> Issue:
    """Blame the section that another section starts in, or else the innermost open parenthesis."""
    for outer in opened[1:]:
        inside = next((n for n in outer.items if isinstance(n, Group) and n.head in _SECTIONS), None)
        if inside is not None:
            section = next(g for g in opened[1:] if g.head in _SECTIONS or g is outer)
            title = " ".join(map(str, section.items[:2])) if section.head == ":action" else section.head
            return source.issue(
                Code.UNBALANCED,
                section.at,
                f"({title} ...) is not closed before ({inside.head} ...) starts "
                f"in line {source.issue(Code.UNBALANCED, inside.at, '', '').line}: a `)` is missing",
                f"add the missing `)` before ({inside.head} ...)",
            )
    count = "a `)` is" if len(opened) == 1 else f"{len(opened)} `)` are"
    return source.issue(
        Code.UNBALANCED,
        opened[-1].at,
        f"this `(` is never closed: at the end of the text {count} missing",
        "close every `(`; check this form first",
    )
