"""A task's text, sentence by sentence: what all levels of naturalness have in common.

Every sentence carries the facts that it states, so that what a text says can be compared with the task. The
text starts with the objects and ends with the goal; that nothing else holds initially is said outright, as no
level lists what is false.

The explicit level stands here, as the others fall back on it: one sentence a fact, grouped by predicate.
`envs.wording.reader` reads it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import Literal, TaskFacts
from envs.wording.words import Words, listed, sentence

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


def explicit(facts: TaskFacts, domain: Vocabulary, words: Words) -> TaskText:
    """The task with one sentence for each fact and for each literal of the goal.

    A predicate of which nothing holds has its `none` sentence, at the end.
    """
    groups = [[_say((True, atom), words) for atom in group] for group in by_predicate(facts.init, domain)]
    return bulleted(
        facts.objects,
        words,
        [*groups, list(none_sentences(facts, domain, words))],
        [[_say(literal, words) for literal in facts.goal]],
    )


def by_predicate(atoms: Iterable[GroundAtom], domain: Vocabulary) -> list[list[GroundAtom]]:
    """The atoms of each predicate, in the order in which the domain declares them; their own order stays."""
    place = {name: i for i, name in enumerate(domain.predicates)}
    ordered = sorted(atoms, key=lambda atom: place[atom[0]])
    return [list(group) for _, group in groupby(ordered, key=lambda atom: atom[0])]


def none_sentences(facts: TaskFacts, domain: Vocabulary, words: Words) -> Iterator[Sentence]:
    """The sentences that say of a predicate that nothing holds, for those that have one."""
    there = {atom[0] for atom in facts.init}
    for name, parameters in domain.predicates.items():
        none = words.none(name, len(parameters))
        if none is not None and name not in there:
            yield Sentence(sentence(none), ())


def _say(literal: Literal, words: Words) -> Sentence:
    holds, atom = literal
    templates = words.predicate(atom[0], len(atom) - 1)
    return Sentence(sentence(templates.positive if holds else templates.negative, atom[1:]), (literal,))
