"""Issues as they are found: one collector per text, which keeps each fault once and stops a flood.

A name that is wrong in thirty places is one fault, so a finding may carry a `key`; only the first one with
that key is kept. After `MAX_ISSUES` errors the text is given up: `TooManyIssues` ends the check. Warnings
beyond that number are dropped, since a text with warnings alone must be checked to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from envs.pddl.language.issues import Code, Issue, Severity
from envs.pddl.language.sexpr import Node, Source, excerpt

MAX_ISSUES = 60
_MAX_HINT_NAMES = 200


class TooManyIssues(Exception):
    """The collector is full; what it holds is enough to go on with."""


class Findings:
    """The issues of one text, in the order they were found."""

    def __init__(self, source: Source):
        self.source = source
        self.issues: list[Issue] = []
        self._keys: set[tuple[Code, Hashable]] = set()
        self._found = Counter[Severity]()

    def error(
        self, node: Node, message: str, fix: str, code: Code = Code.SYNTAX, key: Hashable = None
    ) -> None:
        """Record an error at `node`; with a key, only the first one of that code and key."""
        self._add(Severity.ERROR, node, message, fix, code, key)

    def warning(self, node: Node, message: str, fix: str, code: Code, key: Hashable = None) -> None:
        """Record a warning at `node`; with a key, only the first one of that code and key."""
        self._add(Severity.WARNING, node, message, fix, code, key)

    def _add(self, severity: Severity, node: Node, message: str, fix: str, code: Code, key: Hashable) -> None:
        if (code, key) in self._keys:
            return
        if key is not None:
            self._keys.add((code, key))
        self._found[severity] += 1
        if self._found[severity] <= MAX_ISSUES:
            self.issues.append(self.source.issue(code, node.at, message, fix, severity))
        elif severity is Severity.ERROR:
            raise TooManyIssues


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """` (did you mean at-robby?)`, or nothing if no candidate is near."""
    near = _nearest(name[:80], tuple(islice(candidates, _MAX_HINT_NAMES)))
    return f" (did you mean {near}?)" if near else ""


@lru_cache(maxsize=256)
def _nearest(name: str, names: tuple[str, ...]) -> str:
    """The name nearest to `name`, or none. A name that is wrong in a thousand places is looked up once."""
    return next(iter(get_close_matches(name, names, n=1, cutoff=0.7)), "")


def shorten(node: Node | str, limit: int = 60) -> str:
    """A node's text for a message, cut to `limit` characters."""
    text = node if isinstance(node, str) else excerpt(node, limit)
    return text if len(text) <= limit else text[: limit - 4] + " ..."


def listed(names: Collection[str], limit: int = 8) -> str:
    """The first names of a collection, for a message."""
    shown = [shorten(name, 40) for name in islice(names, limit)]
    return ", ".join(shown) + (", ..." if len(names) > limit else "")
