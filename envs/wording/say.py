"""A domain in words, made from its PDDL: what there is, and what each action needs and changes.

It says everything that the PDDL says about executability, with the domain's phrases, and nothing else.
Parameters are called A, B, C, … in their order, bound variables X, Y, Z, ….
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence

from envs.pddl.language.prose import say_action, with_article
from envs.pddl.language.structure import Action, Domain
from envs.wording.words import Words, fill, listed, sentence

_CONFLICT = "Where an action would make something both true and false, it is true afterwards."


def say_domain(domain: Domain, words: Words) -> str:
    """The description of a domain: its types, the kinds of facts, and every action."""
    about = [_say_about(words.about)] if words.about else []
    kinds = "\n".join(_say_predicates(domain, words))
    count = len(domain.actions)
    actions = [
        f"{number}. {_say_action(action, words)}" for number, action in enumerate(domain.actions.values(), 1)
    ]
    heading = f"There {'is one action' if count == 1 else f'are {count} actions'}:"
    parts = [" ".join([*about, *_say_types(domain, words)]), kinds, heading, *actions, _CONFLICT]
    return "\n\n".join(part for part in parts if part)


def _say_about(about: str) -> str:
    """What a world is about, which its words say in a sentence or in a noun phrase."""
    return about if about.endswith(".") else f"This is about {about}."


def _say_types(domain: Domain, words: Words) -> Iterator[str]:
    for name, parent in domain.types.items():
        noun = words.type(name)
        if parent is not None:
            yield f"Every {noun.one} is {with_article(words.type(parent).one)}."
        if noun.about:
            yield f"{with_article(noun.one).capitalize()} {_predicate(noun.about)}."
    for name, kind in domain.constants.items():
        yield f"There is always {with_article(words.type(kind).one)} called {name}."


def _predicate(about: str) -> str:
    """What is said of a type, with a verb: `is a place`, but `stands in a hollow` as it is."""
    first = about.split()[0]
    return about if first.endswith("s") and not first.endswith("ss") else f"is {about}"


def _say_predicates(domain: Domain, words: Words) -> Iterator[str]:
    """Each kind of fact, with what its arguments are."""
    if domain.predicates:
        yield "These are the kinds of facts, each of which may be true or false:"
    for name, parameters in domain.vocabulary.predicates.items():
        letters = string.ascii_uppercase[: len(parameters)]
        template = words.predicate(name, len(parameters)).positive
        kinds = [
            f"{a} is {with_article(words.type(kind).one)}"
            for a, (_, kind) in zip(letters, parameters, strict=True)
        ]
        yield f"- {fill(template, letters)}{f', where {listed(kinds)}' if kinds else ''}."


def _say_action(action: Action, words: Words) -> str:
    about = sentence(words.actions[action.name]) if action.name in words.actions else ""
    return say_action(action, lambda *atom: _clause(words, *atom), lambda kind: words.type(kind).one, about)


def _clause(words: Words, predicate: str, terms: Sequence[str], holds: bool) -> str:
    templates = words.predicate(predicate, len(terms))
    return fill(templates.positive if holds else templates.negative, terms)
