"""A pair: a task in words, and the PDDL that it should be translated into.

Each side of the text, initial state and goal, is explicit, one sentence a fact, or abstract, summed up. An
abstract side leaves open which object is which. If so much is open that nothing ties the goal's objects to
those of the initial state, the pair is a `placeholder`: a translation may then give the goal's objects other
names than the truth does, see `envs.pddl.equivalence.compare`. Goals that are said by what is there at first
(swap, invert, …) stay tied.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from envs.pddl.language.vocabulary import Vocabulary
from envs.planetarium.drawn_task import DrawnTask, TaskSide
from envs.tasks import problem_text
from envs.verbalisation.text import CLOSED, INITIALLY
from envs.verbalisation.words import Words, sentence

#: The kinds of texts, by what is abstract in them: the initial state, the goal.
STYLES = ((False, False), (False, True), (True, False), (True, True))
_IN_THE_END = "In the end:"
#: The ranges of sizes that results are grouped by: the last number of each but the last.
SIZE_BOUNDS = (20, 40, 60, 80)


class Split(StrEnum):
    """What a pair is for."""

    TRAIN = "train"
    TEST = "test"


@dataclass(frozen=True)
class Pair:
    """One pair, with what results are broken down by. Plain data: a row of a data set."""

    id: str
    world: str
    text: str
    problem: str  #: PDDL, of the world's domain
    placeholder: bool = False
    init_abstract: bool = False
    goal_abstract: bool = False
    init_layout: str = ""  #: empty for a task of a world that has no layouts
    goal_layout: str = ""
    level: str = ""  #: `explicit`, `compact` or `narrative`; empty for a text with two sides
    size: int = 0  #: atoms of the initial state and the goal
    objects: int = 0
    #: digest of the canonical form: equal for equivalent pairs only; for all where there is no level
    certificate: str = ""

    @property
    def style(self) -> str:
        """How abstract the text is: `abstract to explicit`, or the level of its words."""
        sides = ("abstract" if side else "explicit" for side in (self.init_abstract, self.goal_abstract))
        return self.level or " to ".join(sides)

    def to_json(self) -> dict[str, Any]:
        """Plain data, in the order of the fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Pair:
        """The pair of `data`; other keys are left out. Raises KeyError if one is missing."""
        return cls(**{field.name: data[field.name] for field in fields(cls)})


def size_class(size: int) -> str:
    """The range of sizes that one is in: `21-40`."""
    place = bisect_left(SIZE_BOUNDS, size)
    if place == len(SIZE_BOUNDS):
        return f">{SIZE_BOUNDS[-1]}"
    return f"{(0, *SIZE_BOUNDS)[place] + 1}-{SIZE_BOUNDS[place]}"


def pair_of(
    task: DrawnTask, world: str, name: str, style: tuple[bool, bool], domain: Vocabulary, words: Words
) -> Pair:
    """The pair of a task, with its text in that style."""
    init_abstract, goal_abstract = style
    facts = task.facts
    return Pair(
        id=name,
        world=world,
        text=_text(task, style, words),
        problem=problem_text(name, domain, facts),
        placeholder=not task.goal.relative if goal_abstract else init_abstract,
        init_abstract=init_abstract,
        goal_abstract=goal_abstract,
        init_layout=task.init.layout,
        goal_layout=task.goal.layout,
        size=len(facts.init) + len(facts.goal),
        objects=len(facts.objects),
    )


def _text(task: DrawnTask, style: tuple[bool, bool], words: Words) -> str:
    init = task.init.words if style[0] else _explicit(INITIALLY, task.init, words, CLOSED)
    goal = f"The goal: {task.goal.words}" if style[1] else _explicit(_IN_THE_END, task.goal, words)
    return "\n\n".join((task.there, init, goal))


def _explicit(head: str, side: TaskSide, words: Words, *last: str) -> str:
    facts = (sentence(words.predicate(a[0], len(a) - 1).positive, a[1:]) for a in side.atoms)
    return " ".join([head, *facts, *last])
