"""The narrative level: the same facts told in other words and in another order.

Facts are told around the objects that they are about, each in one of its predicate's paraphrases. Wording and
order are drawn from a stream that is seeded by the task's content, so a task always has the same text.
"""

from __future__ import annotations

import hashlib

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import TaskFacts, pick, shuffled
from envs.wording.text import CLOSED, NO_GOAL, Sentence, TaskText, none_sentences, object_sentences
from envs.wording.words import Words, sentence

_SCENES = ("This is how things stand at the beginning.", "This is the situation that you find.")
_WISHES = (
    "What you are asked for is a state in which the following is true.",
    "You are done once all of the following is the case.",
)


def narrative(facts: TaskFacts, domain: Vocabulary, words: Words) -> TaskText:
    """The task told in paraphrases, a paragraph for the facts about each object, in a random order."""
    rng = np.random.default_rng(_entropy(facts))
    about: dict[str, list[GroundAtom]] = {}
    for atom in facts.init:
        about.setdefault(atom[1] if len(atom) > 1 else "", []).append(atom)
    init = [
        tuple(_told(atom, words, rng) for atom in shuffled(rng, about[subject]))
        for subject in shuffled(rng, list(about))
    ]
    goal = tuple(_wanted(holds, atom, words) for holds, atom in shuffled(rng, facts.goal))
    absent = tuple(none_sentences(facts, domain, words))
    told = [" ".join(s.text for s in group) for group in (*init, absent) if group]
    paragraphs = [
        " ".join(object_sentences(facts.objects, words)),
        "\n".join([pick(rng, _SCENES), *told, CLOSED]),
        " ".join([pick(rng, _WISHES), *(s.text for s in goal)]) if goal else NO_GOAL,
    ]
    return TaskText((*init, absent), (goal,), "\n\n".join(paragraphs))


def _told(atom: GroundAtom, words: Words, rng: np.random.Generator) -> Sentence:
    templates = words.predicate(atom[0], len(atom) - 1)
    template = pick(rng, (templates.positive, *templates.narrative))
    return Sentence(sentence(template, atom[1:]), ((True, atom),))


def _wanted(holds: bool, atom: GroundAtom, words: Words) -> Sentence:
    """A literal of the goal. Paraphrases tell what is the case, so a wish is said in plain words."""
    templates = words.predicate(atom[0], len(atom) - 1)
    text = sentence(templates.positive if holds else templates.negative, atom[1:])
    return Sentence(text, ((holds, atom),))


def _entropy(facts: TaskFacts) -> int:
    content = repr((tuple(facts.objects.items()), facts.init, facts.goal))
    return int.from_bytes(hashlib.sha256(content.encode()).digest()[:16], "big")
