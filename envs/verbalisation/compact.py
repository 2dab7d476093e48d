"""The compact level: few sentences, each about many objects, and the same facts.

`ball1, ball2 and ball3 lie in room2.`, `Every shot glass is clean and empty.` Facts are merged into
blocks (`cover`), a block is a sentence, and sentences about the same objects that only differ behind
"is" are joined. Given the list of objects, and as nothing else holds, nothing is lost.

A block says the product of the objects in its slots: `at(ball1, room2)` and `at(ball2, room2)` are one block,
({ball1, ball2}, {room2}). It says exactly the atoms of its product, so blocks that cover the facts without
overlap lose nothing and add nothing.

Noun phrases for several objects, `every ball`, `every ball except ball3`, `each of ball1 and ball2`, go with
a verb in the singular, so they fit a template as it is. A slot can hold one if the words around it leave it a
noun phrase of its own: not in `gripper {1} of …`, where a noun comes before it, nor in `{0} paint is …`,
where one comes behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.tasks import TaskFacts
from envs.verbalisation.text import Sentence, TaskText, bulleted, by_predicate, none_sentences
from envs.verbalisation.words import SLOT, Words, capitalised, closed, fill, listed

Row = tuple[tuple[str, ...], ...]
#: More slots than this are not tried in every order.
_MAX_PERMUTED = 3
_JOINTS = ("and", "or", ",")
_PREPOSITIONS = frozenset((
    "above", "after", "as", "at", "before", "below", "between", "by", "for", "from", "in", "into", "of", "on",
    "onto", "over", "through", "to", "under", "using", "via", "with", "within",
))  # fmt: skip
#: "every x except …" names at most one object in so many.
_EXCEPTION_SHARE = 4


@dataclass(frozen=True)
class FactBlock:
    """All atoms of a predicate with one of `slots[i]` as argument i. Names in the order of the objects."""

    predicate: str
    slots: tuple[tuple[str, ...], ...]

    @property
    def atoms(self) -> Iterator[GroundAtom]:
        """What the block says, spelled out."""
        return ((self.predicate, *arguments) for arguments in product(*self.slots))


def cover(atoms: Sequence[GroundAtom], mergeable: Sequence[int], order: Mapping[str, int]) -> list[FactBlock]:
    """The atoms of one predicate in few blocks, which do not overlap.

    Only the slots in `mergeable` may hold several objects; `order` gives each object's place. Of the orders
    in which slots can be merged the first that gives the fewest blocks is taken.
    """
    if not atoms:
        return []
    orders = permutations(mergeable) if len(mergeable) <= _MAX_PERMUTED else [tuple(mergeable)]
    return min((_merged(atoms, slots, order) for slots in orders), key=len)


def _merged(atoms: Sequence[GroundAtom], slots: Sequence[int], order: Mapping[str, int]) -> list[FactBlock]:
    rows: list[Row] = [tuple((name,) for name in atom[1:]) for atom in atoms]
    for slot in slots:
        groups: dict[Row, list[str]] = {}
        for row in rows:
            groups.setdefault((*row[:slot], (), *row[slot + 1 :]), []).extend(row[slot])
        rows = [
            (*key[:slot], tuple(sorted(names, key=order.__getitem__)), *key[slot + 1 :])
            for key, names in groups.items()
        ]
    return [FactBlock(atoms[0][0], row) for row in rows]


#: Behind the subject, what joins sentences: "{0} is clean" and "{0} is empty".
_COPULAS = (" is ", " are ")


def compact(facts: TaskFacts, domain: Vocabulary, words: Words) -> TaskText:
    """The task in few sentences, those about the same objects joined."""
    init, goal = few_sentences(facts, domain, words)
    stated = [[sentence] for sentence in (*init, *none_sentences(facts, domain, words))]
    return bulleted(facts, words, stated, goal)


def few_sentences(
    facts: TaskFacts, domain: Vocabulary, words: Words
) -> tuple[list[Sentence], list[Sentence]]:
    """What is true at first and what is wanted, in few sentences."""
    writer = _Writer(facts, domain, words)
    wanted = _joined(writer.clauses((atom for holds, atom in facts.goal if holds), holds=True))
    unwanted = _joined(writer.clauses((atom for holds, atom in facts.goal if not holds), holds=False))
    return _joined(writer.clauses(facts.init, holds=True)), [*wanted, *unwanted]


@dataclass(frozen=True)
class _Clause:
    """A clause: its subject and what it says of it, if a copula parts them; else all of it is `rest`."""

    subject: str
    copula: str
    rest: str
    block: FactBlock
    holds: bool


class _Writer:
    """Writes the clauses of one task."""

    def __init__(self, facts: TaskFacts, domain: Vocabulary, words: Words):
        self._domain, self._words = domain, words
        self._order = {name: place for place, name in enumerate(facts.objects)}
        self._wholes = Wholes(facts.objects, domain)
        self._open_slots = cache(self._find_open_slots)

    def clauses(self, atoms: Iterable[GroundAtom], *, holds: bool) -> list[_Clause]:
        """A clause for each block of the atoms, by predicate."""
        groups = by_predicate(dict.fromkeys(atoms), self._domain)
        return [self._clause(block, holds) for group in groups for block in self._cover(group, holds)]

    def _cover(self, atoms: Sequence[GroundAtom], holds: bool) -> list[FactBlock]:
        name = atoms[0][0]
        slots = self._open_slots(name, holds)
        if holds and self._words.predicate(name, len(atoms[0]) - 1).many is not None and 0 not in slots:
            slots = [0, *slots]
        return cover(atoms, slots, self._order)

    def _clause(self, block: FactBlock, holds: bool) -> _Clause:
        words = self._words.predicate(block.predicate, len(block.slots))
        template = words.said(holds)
        arguments = [self._singular(names, holds) for names in block.slots]
        if holds and words.many is not None and self._in_plural(block):
            template, arguments[0] = words.many, listed(block.slots[0])
        copula = next((c for c in _COPULAS if template.startswith(f"{{0}}{c}")), "")
        if not copula:
            return _Clause("", "", _spoken(template, arguments), block, holds)
        rest = fill(template.partition(copula)[2], arguments)
        return _Clause(_spoken("{0}", arguments), copula, rest, block, holds)

    def _singular(self, names: Sequence[str], holds: bool) -> str:
        """The objects as one noun phrase that takes a verb in the singular.

        In a negated clause "every" would be ambiguous, so there they are named.
        """
        if len(names) == 1:
            return names[0]
        if holds and (whole := self._wholes.of(names)) is not None:
            kind, rest = whole
            return f"every {self._words.type(kind).one}" + (f" except {listed(rest)}" if rest else "")
        return f"each of {listed(names)}"

    def _in_plural(self, block: FactBlock) -> bool:
        """Whether the objects in slot 0 are named in the plural: several, and no "every" would say them."""
        if not block.slots or len(block.slots[0]) == 1:
            return False
        return 0 not in self._open_slots(block.predicate, True) or self._wholes.of(block.slots[0]) is None

    def _find_open_slots(self, name: str, holds: bool) -> list[int]:
        """The slots that can hold several objects in a predicate's positive or negative template."""
        kinds = [kind for _, kind in self._domain.predicates[name]]
        template = self._words.predicate(name, len(kinds)).said(holds)
        return open_slots(template, kinds, self._domain, self._words)


def _spoken(template: str, arguments: Sequence[str]) -> str:
    """The clause with a capital in front, unless a name comes first."""
    filled = fill(capitalised(template), arguments)
    return filled[:1].upper() + filled[1:] if filled.startswith(("every ", "each of ")) else filled


def _joined(clauses: Iterable[_Clause]) -> list[Sentence]:
    """The clauses as sentences, those with the same subject and copula in one, where the first stood."""
    groups: dict[tuple[object, ...], list[_Clause]] = {}
    for clause in clauses:
        key = (clause.subject, clause.copula, clause.holds) if clause.copula else (clause.block, clause.holds)
        groups.setdefault(key, []).append(clause)
    return [
        Sentence(
            closed(f"{group[0].subject}{group[0].copula}{listed([clause.rest for clause in group])}"),
            tuple((clause.holds, atom) for clause in group for atom in clause.block.atoms),
        )
        for group in groups.values()
    ]


def open_slots(template: str, parameter_types: Sequence[str], domain: Vocabulary, words: Words) -> list[int]:
    """The slots of a template that can hold a noun phrase for several objects, in the order of the text."""
    nouns = {
        noun
        for name in (*domain.types.parents, *parameter_types)
        for noun in (words.type(name).one, words.type(name).many)
    }
    tokens = re.findall(r"\{\d+\}|[^\s,]+|,", template)
    found = []
    for place, token in enumerate(tokens):
        slot = SLOT.fullmatch(token)
        before = tokens[place - 1] if place else ""
        behind = tokens[place + 1] if place + 1 < len(tokens) else ""
        if slot is None or int(slot[1]) >= len(parameter_types) or before in _JOINTS or behind in _JOINTS:
            continue
        leads = place == 0 and behind.endswith("s")
        follows = place > 0 and not _ends_in_noun(tokens[:place], nouns)
        if leads or (follows and (not behind or behind in _PREPOSITIONS)):
            found.append(int(slot[1]))
    return found


class Wholes:
    """Which sets of the objects of one task can be said without naming them all."""

    def __init__(self, objects: Mapping[str, str], domain: Vocabulary):
        #: The objects of each type that has more than one, narrow types first.
        self._extensions: dict[str, tuple[str, ...]] = {}
        kinds = sorted(
            (*domain.types.parents, OBJECT),
            key=lambda kind: sum(domain.types.is_subtype(other, kind) for other in domain.types.parents),
        )
        for kind in kinds:
            members = tuple(name for name, type_ in objects.items() if domain.types.is_subtype(type_, kind))
            if len(members) > 1:
                self._extensions[kind] = members

    def of(self, names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
        """The type that has these objects and only the few others that come second; None if there is none."""
        said = frozenset(names)
        for kind, members in self._extensions.items():
            rest = tuple(name for name in members if name not in said)
            if len(members) - len(rest) != len(said):
                continue
            if len(rest) * _EXCEPTION_SHARE <= len(members):
                return kind, rest
        return None


def _ends_in_noun(tokens: Sequence[str], nouns: set[str]) -> bool:
    text = f" {' '.join(tokens)}".lower()
    return any(text.endswith(f" {noun.lower()}") for noun in nouns)
