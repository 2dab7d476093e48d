"""The terse level: what a person would say who leaves out what goes without saying.

Of objects it gives the numbers, and names only where no fact shows them; cells of a grid stand in rows and
columns; facts that the rules of the world give back (`envs.intermediate.implied`) are left out. The rest is
said as at the compact level. `stated_init` and `stated_goal` are what the sentences say, by helper predicates
too; with the rules the task follows from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import structs

from envs.intermediate.implied import Grid, Implied
from envs.intermediate.outline import Cell, Stated, outlined, with_helpers
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import TaskFacts
from envs.verbalisation.compact import few_sentences
from envs.verbalisation.text import GOAL, INITIALLY, NO_GOAL, Sentence, TaskText, bullets, counted, named
from envs.verbalisation.words import PredicateWords, Words, listed

REST = "Nothing else holds initially but what goes without saying."
#: Stands in a row where the grid has no cell.
GAP = "-"


def terse(facts: TaskFacts, domain: Vocabulary, words: Words, implied: Implied) -> TaskText:
    """The task without what follows. Raises ValueError if what is declared to follow is not true of it."""
    outline = outlined(facts, domain, implied)
    wider = with_helpers(domain, implied)
    spoken = _with_helper_words(words, implied)
    grids = tuple(_grid_sentences(outline, implied))
    shown = {literal for sentence in grids for literal in sentence.literals}
    rest = tuple(atom for atom in outline.init if (True, atom) not in shown)
    init, wanted = few_sentences(TaskFacts(facts.objects, rest, outline.goal), wider, spoken)
    said = "\n".join(sentence.text for sentence in (*grids, *init, *wanted))
    objects = _Objects(facts, wider, spoken, outline, implied)
    paragraphs = [
        " ".join(objects.sentences(said)),
        *(sentence.text for sentence in grids),
        "\n".join(implied.conventions),
        f"{INITIALLY}\n{bullets(init)}" if init else "",
        REST,
        f"{GOAL}\n{bullets(wanted)}" if wanted else NO_GOAL,
    ]
    return TaskText((*grids, *init), tuple(wanted), "\n\n".join(p for p in paragraphs if p))


class _Objects:
    """Says which objects of a task there are."""

    def __init__(self, facts: TaskFacts, domain: Vocabulary, words: Words, outline: Stated, implied: Implied):
        self._domain, self._words, self._outline = domain, words, outline
        self._orders = {order.type: order for order in implied.orders}
        stated = (*outline.init, *(atom for _, atom in outline.goal))
        self._typed = {pair for atom in stated for pair in self._slots(atom)}
        self._in_grids = {cell.name for cell in outline.cells}
        self._by_type = facts.by_type

    def sentences(self, said: str) -> Iterator[str]:
        """The numbers of objects, then the names that `said` and the grids do not show."""
        numbers, listings = [], []
        for kind, names in self._by_type.items():
            order = self._orders.get(kind) if kind in self._outline.counted else None
            if order is not None and order.text:
                listings.append(order.text.format(top=len(names) - 1))
            if set(names) <= self._in_grids or (order is not None and order.helper):
                continue
            known = order is not None or self._are_made(kind, names)
            if known or all(self._is_shown(name, kind, said) for name in names):
                numbers.append(counted(self._words, kind, names))
            else:
                listings.append(named(self._words, kind, names))
        if numbers:
            yield f"The world has {listed(numbers)}."
        yield from listings

    @staticmethod
    def _are_made(kind: str, names: Sequence[str]) -> bool:
        """Whether the names are those that counting gives: `shot1`, `shot2`, …"""
        return set(names) == {f"{kind}{number}" for number in range(1, len(names) + 1)}

    def _is_shown(self, name: str, kind: str, said: str) -> bool:
        """Whether a sentence has the name where only an object of this type can stand."""
        if name in self._in_grids:
            return True
        return (name, kind) in self._typed and bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said))

    def _slots(self, atom: GroundAtom) -> Iterator[tuple[str, str]]:
        declared = self._domain.predicates[atom[0]]
        return ((name, kind) for name, (_, kind) in zip(atom[1:], declared, strict=True))


def _with_helper_words(words: Words, implied: Implied) -> Words:
    helpers = {h.helper[0]: PredicateWords(h.text, f"it is false that {h.text}") for h in implied.helpers}
    return structs.replace(words, predicates={**words.predicates, **helpers})


def _grid_sentences(outline: Stated, implied: Implied) -> Iterator[Sentence]:
    """Each grid in rows and columns, with the places of its cells where it is one of several."""
    for grid in implied.grids:
        cells = [cell for cell in outline.cells if cell.grid == grid.helper]
        for place in dict.fromkeys(cell.within for cell in cells):
            yield _grid(grid, place, [cell for cell in cells if cell.within == place])


def _grid(grid: Grid, place: str, cells: Sequence[Cell]) -> Sentence:
    rows = _range(cell.row for cell in cells)
    columns = _range(cell.column for cell in cells)
    names = {(cell.row, cell.column): cell.name for cell in cells}
    lines = (" ".join(names.get((row, column), GAP) for column in columns) for row in rows)
    text = grid.text.format(rows=_many(len(rows), "row"), columns=_many(len(columns), "column"), place=place)
    gaps = f" {GAP} stands where there is none." if len(names) < len(rows) * len(columns) else ""
    facts = tuple((True, (grid.within, cell.name, place)) for cell in cells) if grid.within else ()
    return Sentence("\n".join([f"{text}{gaps}", *lines]), facts)


def _range(numbers: Iterator[int]) -> range:
    found = list(numbers)
    return range(min(found), max(found) + 1)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
