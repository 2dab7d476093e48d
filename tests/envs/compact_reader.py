"""Reads the compact level back, knowing only the phrases: the writer's oracle.

It tries every phrase on every sentence, with any noun phrase in its slots, and every way to part what is
joined behind "is". A sentence must have exactly one meaning.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.tasks import Literal
from envs.verbalisation.text import CLOSED, GOAL, INITIALLY
from envs.verbalisation.words import SLOT, Words, sentence

_JOINTS = (", ", " and ")


class CompactReader:
    """Reads the compact texts of one task, whose objects are known."""

    def __init__(self, domain: Vocabulary, words: Words, objects: dict[str, str]):
        self._domain, self._objects = domain, objects
        self._nouns = {words.type(kind).one: kind for kind in (*domain.types.parents, OBJECT)}
        nouns = "|".join(sorted(map(re.escape, self._nouns), key=len, reverse=True))
        name = r"[^\s,]+"
        names = rf"{name}(?:, {name})*(?: and {name})?"
        self._np = rf"([Ee]very (?:{nouns})(?: except {names})?|[Ee]ach of {names}|{names})"
        self._templates: list[tuple[str, bool, str]] = []
        for predicate, parameters in domain.predicates.items():
            said = words.predicate(predicate, len(parameters))
            self._templates += [(predicate, True, said.positive), (predicate, False, said.negative)]
            self._templates += [(predicate, True, said.many)] if said.many else []
        self._none = {
            sentence(none)
            for predicate, parameters in domain.predicates.items()
            if (none := words.none(predicate, len(parameters))) is not None
        }

    def read(self, text: str) -> tuple[set[Literal], set[Literal]]:
        """What the text says of the initial state and of the goal."""
        first, _, last = text.partition(f"{INITIALLY}\n")[2].partition(CLOSED)
        return self._all(first, skip=self._none), self._all(last.partition(GOAL)[2], skip=set())

    def _all(self, text: str, skip: set[str]) -> set[Literal]:
        lines = [line[2:] for line in text.splitlines() if line.strip()]
        return set(itertools.chain.from_iterable(self._one(line) for line in lines if line not in skip))

    def _one(self, line: str) -> frozenset[Literal]:
        meanings = set(self._meanings(line.removesuffix(".")))
        assert len(meanings) == 1, f"{line!r} can be read in {len(meanings)} ways: {meanings}"
        return meanings.pop()

    def _meanings(self, clause: str) -> Iterator[frozenset[Literal]]:
        for predicate, holds, template in self._templates:
            found = re.fullmatch(self._pattern(template), clause)
            if found is not None:
                yield from self._literals(predicate, holds, template, found.groups())
        for copula in (" is ", " are "):
            subject, _, rest = clause.partition(copula)
            for at, joint in ((m.start(), m[0]) for m in re.finditer("|".join(_JOINTS), rest)):
                yield from self._parted(subject + copula, rest[:at], rest[at + len(joint) :])

    def _parted(self, subject: str, first: str, others: str) -> Iterator[frozenset[Literal]]:
        for left in self._whole(subject + first):
            for right in self._meanings(subject + others):
                yield left | right

    def _whole(self, clause: str) -> Iterator[frozenset[Literal]]:
        for predicate, holds, template in self._templates:
            found = re.fullmatch(self._pattern(template), clause)
            if found is not None:
                yield from self._literals(predicate, holds, template, found.groups())

    def _pattern(self, template: str) -> str:
        pieces = SLOT.split(template)
        words = "".join(self._np if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
        return f"(?i:{words[0]}){words[1:]}" if pieces[0] else words

    def _literals(
        self, predicate: str, holds: bool, template: str, said: tuple[str, ...]
    ) -> Iterator[frozenset[Literal]]:
        slots = dict(zip(map(int, SLOT.findall(template)), map(self._named, said), strict=True))
        kinds = [kind for _, kind in self._domain.predicates[predicate]]
        arguments = [slots[i] for i in range(len(kinds))]
        if all(
            name in self._objects and self._domain.types.is_subtype(self._objects[name], kind)
            for names, kind in zip(arguments, kinds, strict=True)
            for name in names
        ):
            yield frozenset((holds, (predicate, *atom)) for atom in itertools.product(*arguments))

    def _named(self, phrase: str) -> list[str]:
        """The objects that a noun phrase stands for."""
        if (every := re.fullmatch(r"[Ee]very (.+?)(?: except (.+))?", phrase)) and every[1] in self._nouns:
            kind, rest = self._nouns[every[1]], self._named(every[2]) if every[2] else []
            names = [n for n, t in self._objects.items() if self._domain.types.is_subtype(t, kind)]
            return [name for name in names if name not in rest]
        return re.split(r", | and ", re.sub(r"^[Ee]ach of ", "", phrase))
