"""The fixes that issues print, carried out word by word by a program: `apply` does what a fix says.

A rule is a pattern of words and what they mean for the node that the issue points at. Where a fix leaves a
choice (a name, a type), the rule takes the first one that the fix names, or a fresh one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import Issue

_WORD = re.compile(r"\??[^\s()?;]+")
_TOKEN = re.compile(r"[()]|\??[^\s()?;]+|;[^\n]*")


@dataclass(frozen=True)
class Texts:
    """A domain and a problem, and the place in one of them that a fix is about."""

    domain: str
    problem: str
    source: str = "domain"
    at: int = 0

    @property
    def text(self) -> str:
        """The text that the issue is in."""
        return self.domain if self.source == "domain" else self.problem

    @property
    def end(self) -> int:
        """Where the node at `at` ends."""
        return end_of(self.text, self.at)

    @property
    def node(self) -> str:
        """The node at `at`."""
        return self.text[self.at : self.end]

    def written(self, text: str) -> Texts:
        """With another text in the place of the issue's."""
        return replace(self, **{self.source: text})

    def put(self, new: str, start: int | None = None, end: int | None = None) -> Texts:
        """With `new` in the place of the node, or of the characters from `start` to `end`."""
        start, end = self.at if start is None else start, self.end if end is None else end
        return self.written(self.text[:start] + new + self.text[end:])

    def around(self) -> Texts:
        """At the parenthesis that the node stands in."""
        return replace(self, at=opening(self.text, self.at))

    def in_domain(self) -> Texts:
        """At the start of the domain."""
        return replace(self, source="domain", at=0)


def end_of(text: str, at: int) -> int:
    """Where a node ends; the text's end for one that never does."""
    if text[at : at + 1] != "(":
        found = _WORD.match(text, at)
        return found.end() if found else at + 1
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return len(text)


def opening(text: str, at: int) -> int:
    """The parenthesis that is open around a place."""
    opened: list[int] = []
    for token in _TOKEN.finditer(text, 0, at):
        if token.group() == "(":
            opened.append(token.start())
        elif token.group() == ")" and opened:
            opened.pop()
    return opened[-1]


def nodes(text: str) -> list[str]:
    """The nodes of a form, its head first."""
    found, at = [], text.index("(") + 1
    while (token := _TOKEN.search(text, at)) and token.group() != ")":
        at = end_of(text, token.start())
        found.append(text[token.start() : at])
    return found


def section(texts: Texts, head: str, more: str) -> Texts:
    """With `more` at the end of a section, which is made if there is none."""
    found = re.search(rf"\({head}(?=[\s()])", texts.text)
    if found:
        end = end_of(texts.text, found.start()) - 1
        return texts.put(f" {more}", end, end)
    title = re.search(r"\(\s*define\s*(?:\([^()]*\))?", texts.text, re.IGNORECASE)
    assert title is not None
    return texts.put(f" ({head} {more})", title.end(), title.end())


def types(texts: Texts, change: Callable[[list[tuple[str, str]]], list[tuple[str, str]]]) -> Texts:
    """With other entries in the domain's (:types ...)."""
    it = texts.in_domain()
    at = it.text.index("(:types")
    entries: list[tuple[str, str]] = []
    pending: list[str] = []
    words = iter(nodes(it.text[at:])[1:])
    for word in words:
        if word == "-":
            kind = next(words)
            entries += [(name, kind) for name in pending]
            pending = []
        else:
            pending.append(word)
    entries += [(name, "object") for name in pending]
    listed = " ".join(f"{name} - {kind}" for name, kind in change(entries))
    return it.put(f"(:types {listed})", at, end_of(it.text, at))


def parameters(texts: Texts) -> list[tuple[str, str]]:
    """The variables of the action around the place, or the objects of the problem, with their types."""
    here = texts.text.rfind("(:action", 0, texts.at)
    at = texts.text.index("(", texts.text.index(":parameters", here)) if here >= 0 else -1
    if at < 0:
        at = texts.problem.index("(:objects")
        words = nodes(texts.problem[at:])[1:]
    else:
        words = nodes(texts.text[at:])
    entries, kind = [], "object"
    for place in range(len(words) - 1, -1, -1):
        if place and words[place - 1] == "-":
            kind = words[place]
        elif words[place] != "-":
            entries.append((words[place], kind))
    return entries[::-1]


def as_declared(texts: Texts, declared: str) -> Texts:
    """The atom with as many arguments as its declaration, the given ones first."""
    _, *wanted = nodes(declared)
    kinds = [w for p, w in enumerate(wanted) if p and wanted[p - 1] == "-"]
    names = [w for w in wanted if w.startswith("?")]
    head, *given = nodes(texts.node)
    fill = [n for n, k in parameters(texts) if k in kinds[-1:]] or [n for n, _ in parameters(texts)]
    return texts.put(f"({' '.join([head, *(given + fill[:1] * 9)[: len(names)]])})")


Rule = Callable[[Texts, Issue, "re.Match[str]"], list[Texts]]


def apply(texts: Texts, issue: Issue) -> list[Texts]:
    """What each alternative of the issue's fix makes of the texts. Raises LookupError for unknown words."""
    from fix_rules import RULES

    lines = (texts.domain if issue.source == "domain" else texts.problem).split("\n")
    at = sum(len(line) + 1 for line in lines[: issue.line - 1]) + issue.column - 1
    here = replace(texts, source=issue.source, at=at)
    for pattern, rule in RULES.items():
        found = re.fullmatch(pattern, issue.fix)
        if found:
            return rule(here, issue, found)
    raise LookupError(f"no rule for the fix {issue.fix!r}")


def forms_alone(texts: Texts) -> Texts:
    """The define forms of a text, without what stands around them."""
    found = extract_pddl(texts.text)
    return texts.written("\n".join(found.domains + found.problems))
