"""Parenthesised text to trees that know where they stand.

A tree is a `Word` (lower-case text) or a `Group` (a pair of parentheses). Every node keeps its offset into
the text; `Source` turns an offset into line, column and the line itself, only when an issue needs them, so
that reading a good text pays nothing for it. Comments run from `;` to the end of the line. A line ends with
LF, CR LF or CR. A `?` starts a new word, so `(p?x)` reads as `(p ?x)`.

Reading is iterative, and refuses texts over `MAX_CHARACTERS` and nesting over `MAX_DEPTH`: whatever
recurses over the trees afterwards is safe from the recursion limit. It also refuses half characters (lone
surrogates): no file, planner or server can take them, so nothing after reading ever meets one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from envs.pddl.language.issues import Code, Issue, PDDLError, Severity

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 200
_MAX_SNIPPET = 400

_TOKEN = re.compile(r"[()]|\?[^\s()?;]*|[^\s()?;]+|;[^\r\n]*")
_LINE_END = re.compile(r"\r\n?|\n")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

#: Words that open a section of a `define`; deeper down they show where a parenthesis is missing.
_SECTIONS = frozenset((":requirements", ":types", ":constants", ":predicates", ":functions", ":action"))
_SECTIONS |= {":domain", ":objects", ":init", ":goal", ":metric"}
#: The fields of an action, which show the same when they stand inside another form.
_FIELDS = frozenset((":parameters", ":precondition", ":effect"))


@dataclass(eq=False, slots=True)
class Word:
    """A symbol in lower case, and its offset in the text."""

    text: str
    at: int

    def __str__(self) -> str:
        return self.text


@dataclass(eq=False, slots=True)
class Group:
    """The nodes between two parentheses, and the offset of the opening one."""

    items: list[Node]
    at: int

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


def nodes_in(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, in no order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Group):
            waiting.extend(node.items)


def excerpt(node: Node, limit: int) -> str:
    """The beginning of a node's text, cut soon after `limit` characters."""
    text = ""
    for token in _tokens(node):
        if len(text) > limit:
            break
        text += token if token == ")" or text[-1:] in ("", "(") else f" {token}"
    return text


def _tokens(node: Node) -> Iterator[str]:
    if isinstance(node, Word):
        yield node.text
    else:
        yield "("
        for item in node.items:
            yield from _tokens(item)
        yield ")"


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
        if not self._starts:
            self._starts.extend([0, *(m.end() for m in _LINE_END.finditer(self.text))])
        line = bisect_right(self._starts, at)
        start = self._starts[line - 1]
        end = _LINE_END.search(self.text, start)
        text = printable(self.text[start : end.start() if end else len(self.text)]).replace("\t", " ")
        column, cut = at - start + 1, 0
        if len(text) > _MAX_SNIPPET:
            cut = max(0, column - _MAX_SNIPPET // 2)
            text = text[cut : cut + _MAX_SNIPPET]
        return Issue(severity, code, message, fix, self.name, line, column, text, column - cut)

    def error(self, code: Code, at: int, message: str, fix: str) -> PDDLError:
        """An issue at offset `at` of this text, to be raised."""
        return PDDLError([self.issue(code, at, message, fix)])


def lone_surrogate(text: str) -> int | None:
    """Where the first half character of a text stands, counted from 0; None if there is none."""
    found = _LONE_SURROGATE.search(text)
    return found.start() if found else None


def printable(text: str) -> str:
    """The text with a `?` in the place of each lone surrogate; its length stays."""
    return _LONE_SURROGATE.sub("?", text)


def refuse_half_characters(source: Source) -> None:
    """Raise PDDLError (encoding) if the text holds a lone surrogate, at the place of the first."""
    at = lone_surrogate(source.text)
    if at is not None:
        name = f"U+{ord(source.text[at]):04X}"
        message = f"half a character ({name}, a lone surrogate) stands here, which no file can hold"
        raise source.error(Code.ENCODING, at, message, f"remove every {name}, or write the whole character")


def read_sexprs(source: Source) -> list[Node]:
    """The top-level nodes of a text. Raises PDDLError (too_large, encoding, unbalanced)."""
    if len(source.text) > MAX_CHARACTERS:
        message = f"the text has {len(source.text):,} characters; at most {MAX_CHARACTERS:,} are read"
        # Only the head is kept: an issue must stay small even when the text is one huge line.
        head = Source(source.text[:100], source.name)
        raise head.error(Code.TOO_LARGE, 0, message, "write a shorter text")
    refuse_half_characters(source)
    top: list[Node] = []
    items = top
    opened: list[Group] = []
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if token == "(":
            group = Group([], match.start())
            items.append(group)
            opened.append(group)
            items = group.items
            if len(opened) > MAX_DEPTH:
                message = f"parentheses are nested more than {MAX_DEPTH} deep"
                fix = "write flat conditions, such as one (and ...) with many parts"
                raise source.error(Code.TOO_LARGE, match.start(), message, fix)
        elif token == ")":
            if not opened:
                raise _surplus(source, top, match.start())
            opened.pop()
            items = opened[-1].items if opened else top
        elif token[0] != ";":
            items.append(Word(token.lower(), match.start()))
    if opened:
        raise _unclosed(source, opened)
    return top


def _surplus(source: Source, top: list[Node], at: int) -> PDDLError:
    for node in top:
        if isinstance(node, Group) and node.head in _SECTIONS:
            message = f"({_title(node)} ...) stands outside of (define ...): a `)` before it came too early"
            fix = "remove the surplus `)` before this section"
            return source.error(Code.UNBALANCED, node.at, message, fix)
    fix = "remove it, or add the `(` that it closes"
    return source.error(Code.UNBALANCED, at, "this `)` closes nothing", fix)


def _unclosed(source: Source, opened: list[Group]) -> PDDLError:
    """Blame the form that a field or section starts in, or else the innermost open parenthesis."""
    count = "a `)` is" if len(opened) == 1 else f"{len(opened)} `)` are"
    message = f"this `(` is never closed: at the end of the text {count} missing"
    return unclosed_form(source, opened[0]) or source.error(
        Code.UNBALANCED, opened[-1].at, message, "close every `(`; check this form first"
    )


def unclosed_form(source: Source, define: Group) -> PDDLError | None:
    """The first form of a `define` that lacks a `)`, judged by a section or field that starts inside it.

    A missing `)` often goes unnoticed at its place: a later one closes the form instead.
    """
    for section in define.parts:
        field_inside = _field_inside(section) if section.head == ":action" else None
        if field_inside is not None:
            form, word = field_inside
            return _missing_before(source, form, str(word), word.at)
        inside = next((part for part in section.parts if part.head in _SECTIONS), None)
        if inside is not None and section.head in _SECTIONS:
            return _missing_before(source, section, f"({_title(inside)} ...)", inside.at)
    return None


def _missing_before(source: Source, form: Group, following: str, at: int) -> PDDLError:
    """The form is not closed where `following`, at offset `at`, starts."""
    line = source.issue(Code.UNBALANCED, at, "", "").line
    message = f"({_title(form)} ...) is not closed before {following} in line {line}: a `)` is missing"
    return source.error(Code.UNBALANCED, form.at, message, f"add the missing `)` before {following}")


def _title(form: Group) -> str:
    """A form's keyword, with the name if it is an action."""
    return " ".join(excerpt(node, 40) for node in form.items[: 2 if form.head == ":action" else 1])


def _field_inside(action: Group) -> tuple[Group, Word] | None:
    """A form inside an action that holds a field of it, such as `:effect`, and that field."""
    waiting = [part for part in action.parts if part.head not in _SECTIONS]
    while waiting:
        form = waiting.pop()
        for node in form.items:
            if isinstance(node, Word) and node.text in _FIELDS:
                return form, node
        waiting.extend(part for part in form.parts if part.head not in _SECTIONS)
    return None
