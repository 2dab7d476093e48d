"""Reads the explicit level back: text to objects, initial facts and goal.

The reader knows the domain's declarations and the phrases, nothing of the task. Each line must be made by one
phrase in one way; a line that none or two could have made is refused, so that an ambiguous text is a fault
and not a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.tasks import Literal, TaskFacts
from envs.verbalisation.text import CLOSED, GOAL, INITIALLY, NO_GOAL
from envs.verbalisation.words import SLOT, Words, capitalised, closed, sentence

_NAME = r"([^\s,()?;]+)"
_LISTING = re.compile(r"There (?:is one|are (\d+)) (.+?): (.+)\.")


class UnreadableText(ValueError):
    """A line that is no sentence of the explicit level, or could be two."""


@dataclass(frozen=True)
class _Reading:
    """One way to read a sentence: the pattern of a phrase, and which argument each of its groups is."""

    pattern: re.Pattern[str]
    predicate: str
    holds: bool
    slots: tuple[int, ...]

    def read(self, line: str) -> Literal | None:
        """The literal that `line` states, if this phrase made it."""
        found = self.pattern.fullmatch(line)
        if found is None:
            return None
        arguments = dict(zip(self.slots, found.groups(), strict=True))
        return self.holds, (self.predicate, *(arguments[i] for i in range(len(arguments))))


class ExplicitReader:
    """Reads the explicit texts of one domain."""

    def __init__(self, domain: Vocabulary, words: Words):
        self._domain = domain
        self._kinds = {}
        for name in (*domain.types.parents, OBJECT):
            self._kinds[words.type(name).one] = self._kinds[words.type(name).many] = name
        #: The ways to read a sentence, by its number of words.
        self._readings: dict[int, list[_Reading]] = {}
        self._none: dict[str, str] = {}
        for name, parameters in domain.predicates.items():
            templates = words.predicate(name, len(parameters))
            for holds, template in ((True, templates.positive), (False, templates.negative)):
                reading = _Reading(_pattern(template), name, holds, tuple(map(int, SLOT.findall(template))))
                self._readings.setdefault(len(template.split()), []).append(reading)
            if (none := words.none(name, len(parameters))) is not None:
                self._none[sentence(none)] = name

    def read(self, text: str) -> TaskFacts:
        """The task that an explicit text states. Raises UnreadableText."""
        head, _, rest = text.partition(f"{INITIALLY}\n")
        first, whole, last = rest.partition(CLOSED)
        if not rest or not whole:
            raise UnreadableText(f"the text must have the lines {INITIALLY!r} and {CLOSED!r}")
        objects = dict(chain.from_iterable(map(self._listing, head.strip().splitlines())))
        return TaskFacts(objects, self._init(first, objects), self._goal(last.strip(), objects))

    def _listing(self, line: str) -> Iterator[tuple[str, str]]:
        found = _LISTING.fullmatch(line)
        names = re.split(r", | and ", found[3]) if found else []
        if found is None or found[2] not in self._kinds or len(names) != int(found[1] or 1):
            raise UnreadableText(f"no list of objects: {line!r}")
        return ((name, self._kinds[found[2]]) for name in names)

    def _init(self, text: str, objects: dict[str, str]) -> tuple[GroundAtom, ...]:
        lines = list(_bullets(text))
        empty = {self._none[line] for line in lines if line in self._none}
        stated = [self._literal(line, objects) for line in lines if line not in self._none]
        wrong = [atom for holds, atom in stated if not holds or atom[0] in empty]
        if wrong:
            raise UnreadableText(f"the text says both that {wrong[0]} holds and that it does not")
        return tuple(atom for _, atom in stated)

    def _goal(self, text: str, objects: dict[str, str]) -> tuple[Literal, ...]:
        if text == NO_GOAL:
            return ()
        if not text.startswith(GOAL):
            raise UnreadableText(f"the text must have the line {GOAL!r}")
        return tuple(self._literal(line, objects) for line in _bullets(text.removeprefix(GOAL)))

    def _literal(self, line: str, objects: dict[str, str]) -> Literal:
        candidates = (r.read(line) for r in self._readings.get(len(line.split()), ()))
        fitting = [c for c in candidates if c is not None and self._fits(c[1], objects)]
        if len(fitting) != 1:
            raise UnreadableText(f"{line!r} can be read in {len(fitting)} ways: {fitting}")
        return fitting[0]

    def _fits(self, atom: GroundAtom, objects: dict[str, str]) -> bool:
        """Whether the arguments are objects of the types that the predicate takes."""
        parameters = self._domain.predicates[atom[0]]
        return all(
            name in objects and self._domain.types.is_subtype(objects[name], kind)
            for name, (_, kind) in zip(atom[1:], parameters, strict=True)
        )


def _pattern(template: str) -> re.Pattern[str]:
    """What matches the sentences made of `template`, and a name in each slot."""
    pieces = SLOT.split(closed(capitalised(template)))
    return re.compile("".join(_NAME if place % 2 else re.escape(piece) for place, piece in enumerate(pieces)))


def _bullets(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("- "):
            yield line[2:]
        elif line.strip():
            raise UnreadableText(f"neither a sentence of a list nor an empty line: {line!r}")
