"""What may be said against a world model, and the one interface of all who say it.

A source reviews a model: it has a remark, or is content, or cannot judge it. It is asked again after each
correction and told which remarks it made before. Here is the simplest one, a person's remarks from a file;
the others are `world_source` and `plan_source`, and `in_turn` makes one of several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Protocol

from agents.worldmodel.model import WorldModel

#: How good a model is to a source; larger is better, and only reviews of one source are compared.
Worth = tuple[float, ...]


@dataclass(frozen=True)
class Remark:
    """Something said against a model."""

    action: str  #: the one whose dialogue goes on; the fault may lie in another
    words: str


class Opinion(StrEnum):
    """What a source thinks of a model."""

    OBJECTS = "objects"  #: it has a remark
    CONTENT = "content"
    CANNOT_JUDGE = "cannot judge"


@dataclass(frozen=True)
class Review:
    """One source's view of one model."""

    opinion: Opinion
    worth: Worth
    remark: Remark | None = None  #: exactly if it objects
    note: str = ""  #: why it cannot judge
    world_queries: int = 0  #: that the review took
    met: frozenset[str] = frozenset()  #: actions that were seen at work; what is said is of these alone


class RemarkSource(Protocol):
    """Whoever says what is wrong with a model."""

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """The view of `model`, after the remarks that were `made` so far."""
        ...


@dataclass(frozen=True)
class Remarks:
    """A person's remarks, made one after another, each once."""

    remarks: tuple[Remark, ...]

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """The next remark; content when all are made. A model is worth the remarks that it answers to."""
        left = [remark for remark in self.remarks if remark not in made]
        worth = (float(len(self.remarks) - len(left)),)
        if not left:
            return Review(Opinion.CONTENT, worth)
        return Review(Opinion.OBJECTS, worth, left[0])


class UnreadableRemarks(ValueError):
    """A file of remarks that cannot be read; the message says where and what was expected."""


_HEADING = re.compile(r"#+\s*`?([\w.+-]+)`?\s*$")


def read_remarks(text: str, actions: Iterable[str]) -> Remarks:
    """The remarks in a file: under a heading with an action's name, `## load-truck`, all that concerns it.

    What stands under one heading is one remark; what is said twice is said once. Raises UnreadableRemarks.
    """
    known = list(actions)
    sections: list[tuple[str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        heading = _HEADING.match(line)
        if heading is not None:
            sections.append((_known(heading[1].lower(), known, number), []))
        elif sections:
            sections[-1][1].append(line)
        elif line.strip():
            raise UnreadableRemarks(
                f"line {number}, {line.strip()[:80]!r}, stands under no heading: write the name of the "
                f"action that it concerns above it, as in `## {known[0] if known else 'load-truck'}`"
            )
    told = [Remark(action, "\n".join(lines).strip()) for action, lines in sections]
    return Remarks(tuple(dict.fromkeys(remark for remark in told if remark.words)))


def _known(action: str, known: Sequence[str], line: int) -> str:
    if action in known:
        return action
    near = get_close_matches(action, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"the actions are {', '.join(known)}"
    raise UnreadableRemarks(f"line {line}: there is no action {action}; {hint}")
