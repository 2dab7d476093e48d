"""A task's text, sentence by sentence: what all levels of naturalness have in common.

Every sentence carries the facts that it states, so that what a text says can be compared with the task. The
text starts with the objects and ends with the goal; that nothing else holds initially is said outright, as no
level lists what is false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from envs.tasks import Literal
from envs.wording.words import Words, listed

INITIALLY = "Initially:"
CLOSED = "Nothing else holds initially."
GOAL = "Your goal is to reach a state in which all of this holds:"
NO_GOAL = "Your goal asks for nothing."


@dataclass(frozen=True)
class Sentence:
    """One sentence, and the facts that it states."""

    text: str
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class TaskText:
    """A task in words, in groups of sentences, and the whole text that they make."""

    init: tuple[tuple[Sentence, ...], ...]
    goal: tuple[tuple[Sentence, ...], ...]
    text: str

    @property
    def stated_init(self) -> tuple[Literal, ...]:
        """Everything that the text says about the initial state, besides that nothing else holds."""
        return _stated(self.init)

    @property
    def stated_goal(self) -> tuple[Literal, ...]:
        """Everything that the text asks of the goal."""
        return _stated(self.goal)


def bulleted(
    objects: Mapping[str, str],
    words: Words,
    init: Sequence[Sequence[Sentence]],
    goal: Sequence[Sequence[Sentence]],
) -> TaskText:
    """The text with a line a sentence, an empty line between groups."""
    asked = list(chain.from_iterable(goal))
    paragraphs = [
        "\n".join(object_sentences(objects, words)),
        f"{INITIALLY}\n{_grouped([group for group in init if group])}",
        CLOSED,
        f"{GOAL}\n{_bullets(asked)}" if asked else NO_GOAL,
    ]
    return TaskText(
        tuple(map(tuple, init)), tuple(map(tuple, goal)), "\n\n".join(p.strip() for p in paragraphs if p)
    )


def object_sentences(objects: Mapping[str, str], words: Words) -> list[str]:
    """`There are 2 balls: ball1 and ball2.` for each type, in the order of the first object of each."""
    by_type: dict[str, list[str]] = {}
    for name, kind in objects.items():
        by_type.setdefault(kind, []).append(name)
    return [
        f"There are {len(names)} {words.type(kind).many}: {listed(names)}."
        if len(names) > 1
        else f"There is one {words.type(kind).one}: {names[0]}."
        for kind, names in by_type.items()
    ]


def _grouped(groups: Sequence[Sequence[Sentence]]) -> str:
    """The bullets, an empty line between groups unless both are a single line."""
    text = ""
    for place, group in enumerate(groups):
        if place:
            text += "\n" if len(group) == len(groups[place - 1]) == 1 else "\n\n"
        text += _bullets(group)
    return text


def _bullets(sentences: Sequence[Sentence]) -> str:
    return "\n".join(f"- {sentence.text}" for sentence in sentences)


def _stated(groups: Sequence[Sequence[Sentence]]) -> tuple[Literal, ...]:
    return tuple(chain.from_iterable(s.literals for s in chain.from_iterable(groups)))
