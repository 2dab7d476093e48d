"""A domain in words, made from its PDDL: what there is, and what each action needs and changes.

It says everything that the PDDL says about executability, with the domain's phrases, and nothing else.
Parameters are called A, B, C, … in their order, bound variables X, Y, Z, ….

States in words: every predicate's phrase, filled in with the objects of an atom.

A state's text says, in the order of the atoms, every fluent atom that is true; of the predicates without
arguments also the false ones, as nothing else in the text would show them. Where an operator is refused, the
reason may as well be a fact that never changes, or one that is false; which of them the operator needs is not
said, so a state as it bears on an operator (`step_state`) gives all of those about the operator's objects.
"""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

from envs.pddl.language.domain import Action, Domain, GroundAtom, Problem
from envs.pddl.language.prose import say_action, with_article
from envs.verbalisation.words import Words, closed, fill, listed, phrase, sentence

#: Lines of each kind; what goes beyond is counted.
MAX_LINES = 40
#: Stands where there is no line.
NOTHING = "(nothing)"
_CONFLICT = "Where an action would make something both true and false, it is true afterwards."


def verbalise_domain(domain: Domain, words: Words) -> str:
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

    def clause(predicate: str, terms: Sequence[str], holds: bool) -> str:
        return phrase(words, (predicate, *terms), holds=holds)

    return say_action(action, clause, lambda kind: words.type(kind).one, about)


def step_state(
    words: Words,
    problem: Problem,
    state: str,
    atoms: Collection[GroundAtom],
    static: Collection[GroundAtom],
    objects: Sequence[str],
) -> str:
    """`state`, the text of a state of `problem` in which `atoms` hold, completed for an operator's `objects`.

    Three lists, each under a heading: what is true and can change; of what never changes, the facts that
    name one of the objects; and all false facts about these objects alone.
    """
    named = tuple(dict.fromkeys(objects))
    fixed = [_line(words, a, True) for a in sorted(static) if len(a) == 1 or set(a[1:]) & set(named)]
    false = [_line(words, a, False) for a in _about(problem, named) if a not in atoms]
    about = ", ".join(named)
    parts = ["True now (facts that never change and false facts are left out here):", state or NOTHING]
    if named:
        parts += [f"Facts that never change, about {about}:", *_cut(fixed)]
        parts += [f"False now, about {about} alone:", *_cut(false)]
    return "\n".join(parts)


def _about(problem: Problem, objects: Sequence[str]) -> Iterator[GroundAtom]:
    """Every atom over distinct ones of these objects that fits a predicate's types, in a fixed order."""
    domain = problem.domain
    kinds = {name: problem.objects[name] for name in objects if name in problem.objects}
    for name, declared in sorted(domain.vocabulary.predicates.items()):
        for chosen in permutations(kinds, len(declared)) if declared else ():
            if all(domain.is_subtype(kinds[o], t) for o, (_, t) in zip(chosen, declared, strict=True)):
                yield (name, *chosen)


def _line(words: Words, atom: GroundAtom, holds: bool) -> str:
    return closed(phrase(words, atom, holds=holds))


def _cut(lines: Sequence[str]) -> list[str]:
    more = len(lines) - MAX_LINES
    return [*(lines[:MAX_LINES] or [NOTHING]), *([f"(and {more} more)"] if more > 0 else [])]


class StateWriter:
    """Writes states over a fixed sequence of atoms; the sentences are made once."""

    def __init__(self, words: Words, atoms: Sequence[GroundAtom]):
        self._true = tuple(_line(words, atom, True) for atom in atoms)
        self._false = {i: _line(words, atom, False) for i, atom in enumerate(atoms) if len(atom) == 1}

    def write(self, values: Sequence[int]) -> str:
        """One line a sentence. `values` has 1 for each atom that is true, 0 for the others."""
        chosen = (self._true[i] if value else self._false.get(i) for i, value in enumerate(values))
        return "\n".join(line for line in chosen if line)

    @property
    def longest(self) -> int:
        """No text is longer than this, in characters."""
        return sum(len(line) + 1 for line in (*self._true, *self._false.values())) + 1

    @property
    def characters(self) -> frozenset[str]:
        """Every character that may occur in a text."""
        return frozenset("\n").union(*self._true, *self._false.values())
