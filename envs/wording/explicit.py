"""The explicit level: one sentence a fact, grouped by predicate. `envs.wording.reader` reads it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import Literal, TaskFacts
from envs.wording.text import Sentence, TaskText, bulleted
from envs.wording.words import Words, sentence


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
