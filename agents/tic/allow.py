"""What a language model wrote as ASP, checked before clingo may see it as a program."""

from __future__ import annotations

from dataclasses import dataclass

from agents.tic.knowledge import Knowledge
from envs.pddl.issues import Issue


class IRError(ValueError):
    """A text that is no IR; `issues` say where and why, `str` renders them for whoever wrote it."""

    def __init__(self, issues: tuple[Issue, ...]):
        super().__init__(issues)
        self.issues = issues


@dataclass(frozen=True)
class Statement:
    """One statement of a program, in clingo's own words, and its 1-based place in the text."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class IR:
    """A program that may be run. Picklable."""

    statements: tuple[Statement, ...]


def read_ir(text: str, knowledge: Knowledge) -> IR:
    """The program that `text` is, without a code fence around it. Raises IRError."""
    raise NotImplementedError
