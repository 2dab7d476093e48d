"""What may be said against a world model, and the one interface of all who say it.

A source reviews a model: it has a remark, or is content, or cannot judge it. It is asked again after each
correction and told which remarks it made before. Here is the simplest one, a person's remarks from a file;
the others are in `sources`, and `InTurn` makes one of several.

A remark goes to one action's dialogue: that of the likeliest action, or of the next one if that was told the
same before (`remark_to_next`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from agents.replies import hint
from agents.worldmodel.model import WorldModel

#: How good a model is to a source; larger is better, and only reviews of one source are compared.
Worth = tuple[float, ...]
#: So often the same is told before the problem is asked for again, which may be wrong instead of the model.
TOLD_BEFORE_PROBLEM = 2
_WORD = re.compile(r"[a-z]{3,}")
_ENDING = re.compile(r"(?:ing|ed|es|[sde])$")


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
            action = heading[1].lower()
            if action not in known:
                there = hint(action, known, "the actions are")
                raise UnreadableRemarks(f"line {number}: there is no action {action}; {there}")
            sections.append((action, []))
        elif sections:
            sections[-1][1].append(line)
        elif line.strip():
            raise UnreadableRemarks(
                f"line {number}, {line.strip()[:80]!r}, stands under no heading: write the name of the "
                f"action that it concerns above it, as in `## {known[0] if known else 'load-truck'}`"
            )
    given = [Remark(action, "\n".join(lines).strip()) for action, lines in sections]
    return Remarks(tuple(dict.fromkeys(remark for remark in given if remark.words)))


@dataclass(frozen=True)
class InTurn:
    """Sources in the order in which they are heard: the first that is not content has its say.

    Each sees the remarks of all. A model is worth the number of sources that are content before that one, and
    then what it is worth to that one. So two reviews are compared by a source's own worth only if the same
    source made both, and a model that more sources are content with is better, whatever the later ones think.
    A correction for a later source that an earlier one objects to makes the model worse, and the earlier one
    has its say again. Raises ValueError if there are no sources.
    """

    sources: tuple[RemarkSource, ...]

    def __post_init__(self) -> None:
        if not self.sources:
            raise ValueError("there is no source of remarks; name one")

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """The review of the first source that objects or cannot judge; the last one's if all are content."""
        queries = content = 0
        for source in self.sources:
            found = source.review(model, made)
            queries += found.world_queries
            if found.opinion is not Opinion.CONTENT:
                break
            content += 1
        return replace(found, worth=(float(content), *found.worth), world_queries=queries)


def remark_to_next(words: str, suspects: Iterable[str], model: WorldModel, made: Sequence[Remark]) -> Remark:
    """What is wrong, to the first suspect that was not told just that; to the first if all were.

    `suspects` are names of actions, the likeliest first; without any that the model has, all are.
    """
    known = [name for name in dict.fromkeys(suspects) if model.brief.action(name)]
    known = known or [action.name for action in model.brief.actions]
    addressed = told_before(words, made)
    return Remark(next((name for name in known if name not in addressed), known[0]), words)


def told_before(words: str, made: Sequence[Remark]) -> list[str]:
    """The actions that were told just that, once for each time."""
    return [remark.action for remark in made if remark.words == words]


def told_enough(words: str, made: Sequence[Remark]) -> bool:
    """Whether something is wrong that was told so often that the problem may be at fault."""
    return bool(words) and len(told_before(words, made)) >= TOLD_BEFORE_PROBLEM


def mentioning(fault: str, model: WorldModel) -> tuple[str, ...]:
    """The actions whose names and texts have the words of what `fault` says is wrong, rare words first."""
    wrong = _stems(" ".join(line for line in fault.splitlines() if " error[" in line) or fault)
    texts = {action.name: _stems(f"{action.name} {action.text}") for action in model.brief.actions}
    weight = {word: 1 / max(1, sum(word in text for text in texts.values())) for word in sorted(wrong)}
    return tuple(sorted(texts, key=lambda name: -sum(weight[w] for w in sorted(wrong & texts[name]))))


def _stems(text: str) -> frozenset[str]:
    """The words of a text without their endings, so that `washed` is found in `washes`."""
    return frozenset(_ENDING.sub("", word) for word in _WORD.findall(text.lower()))
