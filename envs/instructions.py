"""What a person may ask for in one sentence or two: instructions, made from tasks on demand.

An instruction is a task on demand whose goal is said in the imperative, without naming predicates; every
fourth one of a world that knows chores "in any order" also says which of two things comes first, and which
next. It is judged by the task's goal, and by the order in which these two things became true.

How a goal is asked for stands in `instructions.json` beside a world's `domain.pddl`:

    {"do": {"package-at": ["bring {0} to {1}", "deliver {0} to {1}"]},
     "undo": {"appliance-on": ["switch {0} off"]},
     "any order": ["package-at"]}

A goal without a phrase is asked for by the sentence that says that it holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count, islice, pairwise

import numpy as np

from envs.pddl.language.domain import GroundAtom, read_vocabulary
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from envs.tasks import Literal, Pool, TaskFacts, make_facts, pick, sample, task_seed
from envs.verbalisation.text import NO_GOAL, explicit
from envs.verbalisation.words import Words, capitalised, fill, listed, phrase

FILE = "instructions.json"
#: One in so many instructions names an order, where the world has chores that can be ordered.
ORDERED_EVERY = 4
#: Of each round of ten sizes of tasks on demand, the smallest so many are asked for.
_SIZES = ORDERED_EVERY
_ROUND = 10
_OPENINGS = ("{}.", "Please {}.", "I would like you to {}.", "Would you {}?")
_ORDERED = ("First {}, then {}.", "{}, and only after that {}.", "Please {} before you {}.")
_REST = ("Besides, {}, at any time.", "I also need you to {}; when does not matter.")


@dataclass(frozen=True)
class Instruction:
    """One instruction, in words, and what it comes to."""

    world: str
    number: int  #: from 1
    task: str  #: the stem of the task whose start and goal it has, such as `g12`
    start: str  #: the objects and the initial state in words
    text: str  #: what is asked for
    goal: tuple[Literal, ...]
    order: tuple[Literal, ...] = ()  #: what has to become true one after the other; empty for any order

    def kept_order(self, states: Sequence[frozenset[GroundAtom]]) -> bool:
        """Whether the things to be ordered became true in that order in an execution's states."""
        reached = [_first(literal, states) for literal in self.order]
        return all(one is not None and (other is None or one < other) for one, other in pairwise(reached))


@dataclass(frozen=True)
class _Phrases:
    """How a world's goals are asked for."""

    do: Mapping[str, Sequence[str]] = field(default_factory=dict)
    undo: Mapping[str, Sequence[str]] = field(default_factory=dict)
    any_order: tuple[str, ...] = ()  #: predicates of chores that can be done in whatever order

    def ask(self, literals: Sequence[Literal], words: Words, rng: np.random.Generator) -> str:
        """`bring package1 to location2, and make sure that lamp1 is dark and that box1 is closed`."""
        known = [self._known(literal) for literal in literals]
        chores = [fill(pick(rng, do), atom[1:]) for do, (_, atom) in zip(known, literals, strict=True) if do]
        others = [literal for do, literal in zip(known, literals, strict=True) if not do]
        if not others:
            return listed(chores)
        assured = listed([f"that {phrase(words, atom, holds=holds)}" for holds, atom in others])
        return f"{listed(chores)}, and make sure {assured}" if chores else f"make sure {assured}"

    def asked(
        self, goal: Iterable[Literal], order: Sequence[Literal], words: Words, rng: np.random.Generator
    ) -> str:
        """The whole instruction."""
        others = [literal for literal in goal if literal not in order]
        rest = self.ask(others, words, rng) if others else ""
        if not order:
            return capitalised(pick(rng, _OPENINGS).format(rest))
        ordered = pick(rng, _ORDERED).format(*(self.ask([one], words, rng) for one in order))
        return capitalised(ordered) + (f" {pick(rng, _REST).format(rest)}" if rest else "")

    def _known(self, literal: Literal) -> Sequence[str]:
        holds, atom = literal
        return (self.do if holds else self.undo).get(atom[0], ())


def make_instruction(world: str, number: int) -> Instruction:
    """Instruction `number` (from 1) of a built-in world. Deterministic; raises WorldNotFound, ValueError."""
    if number < 1:
        raise ValueError(f"instructions are counted from 1, not {number}")
    phrases = _phrases(world)
    ordered = bool(phrases.any_order) and number % ORDERED_EVERY == 0
    index = _index(world, number, ordered)
    facts = make_facts(world, Pool.ON_DEMAND, index)
    rng = np.random.default_rng(task_seed(world, Pool.ON_DEMAND, index).spawn(1)[0])
    order = tuple(sample(rng, _orderable(facts, phrases), 2)) if ordered else ()
    texts = read_texts(world, f"g{index}")
    stated = explicit(replace(facts, goal=()), read_vocabulary(texts.domain), texts.words).text
    start = stated.removesuffix(NO_GOAL).strip()
    asked = phrases.asked(facts.goal, order, texts.words, rng)
    return Instruction(world, number, f"g{index}", start, asked, facts.goal, order)


def _index(world: str, number: int, ordered: bool) -> int:
    """Which task on demand an instruction is made of: all different, and of the smallest sizes."""
    turn, place = divmod(number - 1, ORDERED_EVERY)
    if not ordered:
        return turn * _ROUND + place + 1
    return next(islice(_with_order(world), turn, None))


def _with_order(world: str) -> Iterator[int]:
    """The tasks on demand of the largest size asked for in which two chores can be ordered."""
    phrases = _phrases(world)
    for turn in count():
        index = turn * _ROUND + _SIZES
        if len(_orderable(make_facts(world, Pool.ON_DEMAND, index), phrases)) > 1:
            yield index


def _orderable(facts: TaskFacts, phrases: _Phrases) -> list[Literal]:
    """The goals that are still open at first and can be reached in whatever order."""
    initially = frozenset(facts.init)
    return [
        (holds, atom)
        for holds, atom in facts.goal
        if atom[0] in phrases.any_order and (atom in initially) != holds
    ]


def _first(literal: Literal, states: Sequence[frozenset[GroundAtom]]) -> int | None:
    """The first state in which the literal holds."""
    holds, atom = literal
    return next((place for place, state in enumerate(states) if (atom in state) == holds), None)


@cache
def _phrases(world: str) -> _Phrases:
    """A built-in world's phrases; none if it has no file of them."""
    path = WORLDS_FOLDER / world / FILE
    if not path.is_file():
        return _Phrases()
    read = json.loads(path.read_text(encoding="utf-8"))
    return _Phrases(read.get("do", {}), read.get("undo", {}), tuple(read.get("any order", ())))
