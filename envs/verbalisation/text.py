"""A task's text, sentence by sentence: what all levels of naturalness have in common.

Every sentence carries the facts that it states, so that what a text says can be compared with the task. The
text starts with the objects and ends with the goal; that nothing else holds initially is said outright, as no
level lists what is false.

The explicit level stands here, as the others fall back on it: one sentence a fact, grouped by predicate.
`envs.verbalisation.reader` reads it back. The narrative level has the same facts in other words and in
another order, around the objects that they are about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import Literal, TaskFacts, pick, shuffled
from envs.verbalisation.words import Words, listed, sentence

INITIALLY = "Initially:"
CLOSED = "Nothing else holds initially."
GOAL = "Your goal is to reach a state in which all of this holds:"
NO_GOAL = "Your goal asks for nothing."
_SCENES = ("This is how things stand at the beginning.", "This is the situation that you find.")
_WISHES = (
    "What you are asked for is a state in which the following is true.",
    "You are done once all of the following is the case.",
)


@dataclass(frozen=True)
class Sentence:
    """One sentence, and the facts that it states."""

    text: str
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class TaskText:
    """A task in words: its sentences, and the whole text that they make."""

    init: tuple[Sentence, ...]
    goal: tuple[Sentence, ...]
    text: str

    @property
    def stated_init(self) -> tuple[Literal, ...]:
        """Everything that the text says about the initial state, besides that nothing else holds."""
        return tuple(literal for sentence in self.init for literal in sentence.literals)

    @property
    def stated_goal(self) -> tuple[Literal, ...]:
        """Everything that the text asks of the goal."""
        return tuple(literal for sentence in self.goal for literal in sentence.literals)


def bulleted(
    facts: TaskFacts, words: Words, init: Sequence[Sequence[Sentence]], goal: Sequence[Sentence]
) -> TaskText:
    """The text of a task with a line a sentence, an empty line between groups of initial facts."""
    paragraphs = [
        "\n".join(object_sentences(facts, words)),
        f"{INITIALLY}\n{_grouped([group for group in init if group])}",
        CLOSED,
        f"{GOAL}\n{bullets(goal)}" if goal else NO_GOAL,
    ]
    text = "\n\n".join(paragraph.strip() for paragraph in paragraphs if paragraph)
    return TaskText(tuple(chain.from_iterable(init)), tuple(goal), text)


def object_sentences(facts: TaskFacts, words: Words) -> list[str]:
    """`There are 2 balls: ball1 and ball2.` for each type, in the order of the first object of each."""
    return [named(words, kind, names) for kind, names in facts.by_type.items()]


def named(words: Words, kind: str, names: Sequence[str]) -> str:
    """`There are 2 balls: ball1 and ball2.`"""
    verb = "are" if len(names) > 1 else "is"
    return f"There {verb} {counted(words, kind, names)}: {listed(names)}."


def counted(words: Words, kind: str, names: Sequence[str]) -> str:
    """`2 balls`, `one ball`."""
    noun = words.type(kind)
    return f"{len(names)} {noun.many}" if len(names) > 1 else f"one {noun.one}"


def _grouped(groups: Sequence[Sequence[Sentence]]) -> str:
    """The bullets, an empty line between groups unless both are a single line."""
    text = ""
    for place, group in enumerate(groups):
        if place:
            text += "\n" if len(group) == len(groups[place - 1]) == 1 else "\n\n"
        text += bullets(group)
    return text


def bullets(sentences: Sequence[Sentence]) -> str:
    """A line a sentence."""
    return "\n".join(f"- {sentence.text}" for sentence in sentences)


def explicit(facts: TaskFacts, domain: Vocabulary, words: Words) -> TaskText:
    """The task with one sentence for each fact and for each literal of the goal.

    A predicate of which nothing holds has its `none` sentence, at the end.
    """
    groups = [[_say((True, atom), words) for atom in group] for group in by_predicate(facts.init, domain)]
    goal = [_say(literal, words) for literal in facts.goal]
    return bulleted(facts, words, [*groups, list(none_sentences(facts, domain, words))], goal)


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
    return Sentence(sentence(words.predicate(atom[0], len(atom) - 1).said(holds), atom[1:]), (literal,))


def narrative(facts: TaskFacts, domain: Vocabulary, words: Words) -> TaskText:
    """The task in paraphrases, a paragraph for the facts about each object, in a random order.

    Paraphrases state what is the case, so the goal is said in plain words. Wording and order are drawn from a
    stream that is seeded by the task's content, so a task always has the same text.
    """
    rng = np.random.default_rng(_entropy(facts))
    about: dict[str, list[GroundAtom]] = {}
    for atom in facts.init:
        about.setdefault(atom[1] if len(atom) > 1 else "", []).append(atom)
    init = [
        [_paraphrased(atom, words, rng) for atom in shuffled(rng, about[subject])]
        for subject in shuffled(rng, list(about))
    ]
    goal = tuple(_say(literal, words) for literal in shuffled(rng, facts.goal))
    init.append(list(none_sentences(facts, domain, words)))
    groups = [" ".join(s.text for s in group) for group in init if group]
    paragraphs = [
        " ".join(object_sentences(facts, words)),
        "\n".join([pick(rng, _SCENES), *groups, CLOSED]),
        " ".join([pick(rng, _WISHES), *(s.text for s in goal)]) if goal else NO_GOAL,
    ]
    return TaskText(tuple(chain.from_iterable(init)), goal, "\n\n".join(paragraphs))


def _paraphrased(atom: GroundAtom, words: Words, rng: np.random.Generator) -> Sentence:
    templates = words.predicate(atom[0], len(atom) - 1)
    template = pick(rng, (templates.positive, *templates.narrative))
    return Sentence(sentence(template, atom[1:]), ((True, atom),))


def _entropy(facts: TaskFacts) -> int:
    content = repr((tuple(facts.objects.items()), facts.init, facts.goal))
    return int.from_bytes(hashlib.sha256(content.encode()).digest()[:16], "big")
