"""The compact level: few sentences, each about many objects, and the same facts.

`ball1, ball2 and ball3 lie in room2.`, `Every shot glass is clean and empty.` Facts are merged into
blocks (`cover`), a block is a sentence, and sentences about the same objects that only differ behind
"is" are joined. Given the list of objects, and as nothing else holds, nothing is lost.

A block says the product of the objects in its slots: `at(ball1, room2)` and `at(ball2, room2)` are one block,
({ball1, ball2}, {room2}). It says exactly the atoms of its product, so blocks that cover the facts without
overlap lose nothing and add nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Vocabulary
from envs.tasks import TaskFacts
from envs.wording.nouns import NounPhrases, open_slots
from envs.wording.text import Sentence, TaskText, bulleted, by_predicate, none_sentences
from envs.wording.words import Words, capitalised, closed, fill, listed

Row = tuple[tuple[str, ...], ...]
#: More slots than this are not tried in every order.
_MAX_PERMUTED = 3


@dataclass(frozen=True)
class Block:
    """All atoms of a predicate with one of `slots[i]` as argument i. Names in the order of the objects."""

    predicate: str
    slots: tuple[tuple[str, ...], ...]

    @property
    def atoms(self) -> Iterator[GroundAtom]:
        """What the block says, spelled out."""
        return ((self.predicate, *arguments) for arguments in product(*self.slots))


def cover(atoms: Sequence[GroundAtom], mergeable: Sequence[int], order: Mapping[str, int]) -> list[Block]:
    """The atoms of one predicate in few blocks, which do not overlap.

    Only the slots in `mergeable` may hold several objects; `order` gives each object's place. Of the orders
    in which slots can be merged the first that gives the fewest blocks is taken.
    """
    if not atoms:
        return []
    orders = permutations(mergeable) if len(mergeable) <= _MAX_PERMUTED else [tuple(mergeable)]
    return min((_merged(atoms, slots, order) for slots in orders), key=len)


def _merged(atoms: Sequence[GroundAtom], slots: Sequence[int], order: Mapping[str, int]) -> list[Block]:
    rows: list[Row] = [tuple((name,) for name in atom[1:]) for atom in atoms]
    for slot in slots:
        groups: dict[Row, list[str]] = {}
        for row in rows:
            groups.setdefault((*row[:slot], (), *row[slot + 1 :]), []).extend(row[slot])
        rows = [
            (*key[:slot], tuple(sorted(names, key=order.__getitem__)), *key[slot + 1 :])
            for key, names in groups.items()
        ]
    return [Block(atoms[0][0], row) for row in rows]


#: Behind the subject, what joins sentences: "{0} is clean" and "{0} is empty".
_COPULAS = (" is ", " are ")


def compact(facts: TaskFacts, domain: Vocabulary, words: Words) -> TaskText:
    """The task in few sentences, those about the same objects joined."""
    init, goal = few_sentences(facts, domain, words)
    return bulleted(
        facts.objects,
        words,
        [[sentence] for sentence in (*init, *none_sentences(facts, domain, words))],
        [goal],
    )


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
    block: Block
    holds: bool


class _Writer:
    """Writes the clauses of one task."""

    def __init__(self, facts: TaskFacts, domain: Vocabulary, words: Words):
        self._domain = domain
        self._words = words
        self._order = {name: place for place, name in enumerate(facts.objects)}
        self._nouns = NounPhrases(facts.objects, domain, words)
        #: The slots that can hold several objects in a predicate's positive and negative template.
        self._open = {
            (name, holds): self._open_slots(name, parameters, holds)
            for name, parameters in domain.predicates.items()
            for holds in (True, False)
        }

    def clauses(self, atoms: Iterable[GroundAtom], *, holds: bool) -> list[_Clause]:
        """A clause for each block of the atoms, by predicate."""
        groups = by_predicate(dict.fromkeys(atoms), self._domain)
        return [self._clause(block, holds) for group in groups for block in self._cover(group, holds)]

    def _cover(self, atoms: Sequence[GroundAtom], holds: bool) -> list[Block]:
        name = atoms[0][0]
        words = self._words.predicate(name, len(atoms[0]) - 1)
        slots = self._open[name, holds]
        if holds and words.many is not None and 0 not in slots:
            slots = [0, *slots]
        return cover(atoms, slots, self._order)

    def _clause(self, block: Block, holds: bool) -> _Clause:
        words = self._words.predicate(block.predicate, len(block.slots))
        template = words.positive if holds else words.negative
        arguments = [self._nouns.singular(names, negated=not holds) for names in block.slots]
        if holds and words.many is not None and self._in_plural(block):
            template, arguments[0] = words.many, listed(block.slots[0])
        copula = next((c for c in _COPULAS if template.startswith(f"{{0}}{c}")), "")
        if not copula:
            return _Clause("", "", _spoken(template, arguments), block, holds)
        rest = fill(template.partition(copula)[2], arguments)
        return _Clause(_spoken("{0}", arguments), copula, rest, block, holds)

    def _in_plural(self, block: Block) -> bool:
        """Whether the objects in slot 0 are named in the plural: several, and no "every" would say them."""
        if not block.slots or len(block.slots[0]) == 1:
            return False
        return 0 not in self._open[block.predicate, True] or not self._nouns.has_whole(block.slots[0])

    def _open_slots(self, name: str, parameters: Parameters, holds: bool) -> list[int]:
        words = self._words.predicate(name, len(parameters))
        template = words.positive if holds else words.negative
        return open_slots(template, [kind for _, kind in parameters], self._domain, self._words)


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
