"""Reads the terse level back: sentences as the compact reader does, grids by their rows and columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compact_reader import CompactReader
from msgspec import structs

from envs.intermediate.implied import IMPLIED, Grid, read_implied
from envs.intermediate.outline import with_helpers
from envs.pddl.language.domain import read_vocabulary
from envs.registry import WORLDS_FOLDER
from envs.tasks import Literal
from envs.verbalisation.terse import GAP, REST
from envs.verbalisation.text import CLOSED
from envs.verbalisation.words import PredicateWords, read_words


@dataclass(frozen=True)
class Read:
    """What a terse text says."""

    init: set[Literal]
    goal: set[Literal]
    cells: set[tuple[str, int, int, str]]  #: place, row, column, object
    counts: Mapping[str, int]  #: noun → number


class TerseReader:
    """Reads the terse texts of one task of a world, whose objects are known."""

    def __init__(self, world: str, objects: Mapping[str, str]):
        folder = WORLDS_FOLDER / world
        self._implied = read_implied((folder / IMPLIED).read_text(encoding="utf-8"))
        domain = read_vocabulary((folder / "domain.pddl").read_text(encoding="utf-8"))
        words = read_words((folder / "words.json").read_text(encoding="utf-8"))
        said = {h.helper[0]: PredicateWords(h.text, f"no: {h.text}") for h in self._implied.helpers}
        words = structs.replace(words, predicates={**words.predicates, **said})
        self._reader = CompactReader(with_helpers(domain, self._implied), words, dict(objects))
        self._nouns = {words.type(k).many: k for k in (*domain.types.parents, "object")}
        self._objects = objects

    def read(self, text: str) -> Read:
        """What the text says of objects, grids, the initial state and the goal."""
        init, goal = self._reader.read(text.replace(REST, CLOSED))
        cells: set[tuple[str, int, int, str]] = set()
        for paragraph in text.split("\n\n"):
            first, *lines = paragraph.split("\n")
            for grid in self._implied.grids:
                if (found := _heading(grid).match(first)) is not None:
                    place = found.groupdict().get("place", "")
                    for row, line in enumerate(lines):
                        names = enumerate(line.split(" "))
                        cells |= {(place, row, column, n) for column, n in names if n != GAP}
                    assert len(lines) == int(found["rows"])
                    if grid.within:
                        init |= {(True, (grid.within, name, where)) for where, _, _, name in cells}
        kinds = list(self._objects.values())
        return Read(init, goal, cells, {noun: kinds.count(kind) for noun, kind in self._nouns.items()})


def _heading(grid: Grid) -> re.Pattern[str]:
    pattern = re.escape(grid.text)
    for name, group in (
        ("rows", r"(?P<rows>\d+) rows?"),
        ("columns", r"\d+ columns?"),
        ("place", r"(?P<place>\S+)"),
    ):
        pattern = pattern.replace(re.escape(f"{{{name}}}"), group)
    return re.compile(pattern)
