"""A pair: a task in words, and the PDDL that it should be translated into.

Each side of the text, initial state and goal, is explicit, one sentence a fact, or abstract, summed up. An
abstract side leaves open which object is which. If so much is open that nothing ties the goal's objects to
those of the initial state, the pair is a `placeholder`: a translation may then give the goal's objects other
names than the truth does, see `envs.pddl.equivalence.compare`. Goals that are said by what is there at first
(swap, invert, …) stay tied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary
from envs.planetarium.sketch import Part, Sketch
from envs.tasks import problem_text
from envs.wording.text import CLOSED, INITIALLY
from envs.wording.words import Words, sentence

#: The kinds of texts, by what is abstract in them: the initial state, the goal.
STYLES = ((False, False), (False, True), (True, False), (True, True))
_IN_THE_END = "In the end:"
#: The ranges of sizes that results are told by: the last number of each but the last.
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
    placeholder: bool
    init_abstract: bool
    goal_abstract: bool
    init_layout: str  #: empty for a task of a world that has no layouts
    goal_layout: str
    level: str  #: `explicit`, `compact` or `narrative`; empty for a text with two sides
    size: int  #: atoms of the initial state and the goal
    objects: int
    certificate: str = ""  #: equal for equivalent pairs only, and for all of them where there is no level

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
    low = 1
    for high in SIZE_BOUNDS:
        if size <= high:
            return f"{low}-{high}"
        low = high + 1
    return f">{SIZE_BOUNDS[-1]}"


def pair_of(
    sketch: Sketch, world: str, name: str, style: tuple[bool, bool], domain: Vocabulary, words: Words
) -> Pair:
    """The pair of a task, with its text in that style."""
    init_abstract, goal_abstract = style
    facts = sketch.facts
    return Pair(
        id=name,
        world=world,
        text=_text(sketch, style, words),
        problem=problem_text(name, domain, facts),
        placeholder=not sketch.goal.relative if goal_abstract else init_abstract,
        init_abstract=init_abstract,
        goal_abstract=goal_abstract,
        init_layout=sketch.init.layout,
        goal_layout=sketch.goal.layout,
        level="",
        size=len(facts.init) + len(facts.goal),
        objects=len(facts.objects),
    )


def _text(sketch: Sketch, style: tuple[bool, bool], words: Words) -> str:
    init = sketch.init.words if style[0] else _explicit(INITIALLY, sketch.init, words, CLOSED)
    goal = sketch.goal.words if style[1] else _explicit(_IN_THE_END, sketch.goal, words)
    return "\n\n".join((sketch.cast, init, f"The goal: {goal}" if style[1] else goal))


def _explicit(head: str, part: Part, words: Words, *last: str) -> str:
    return " ".join([head, *_sentences(part.atoms, words), *last])


def _sentences(atoms: Sequence[GroundAtom], words: Words) -> list[str]:
    return [sentence(words.predicate(atom[0], len(atom) - 1).positive, atom[1:]) for atom in atoms]
