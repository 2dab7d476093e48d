"""Tasks of childsnack: children at tables, some of them allergic to gluten, each to be served a sandwich.

Solvable by construction: there is a portion of bread and of content for every child, gluten-free ones of both
for every child who is allergic, and at least as many sandwiches as children; trays can be moved anywhere, so
that the one that is filled first may start at any place. Nobody has been served at first, so that no task is
solved already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.tasks import TaskFacts, pick, sample

_KITCHEN = "kitchen"


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if nobody, or not everybody, could be served."""

    children: int = 4  #: children, with as many portions of bread and of content (at least 1)
    allergic: int = 1  #: how many of the children are allergic, and of the portions gluten-free (at most all)
    trays: int = 1  #: trays (at least 1)
    spare: int = 0  #: how many more sandwiches than children there are to make
    tables: int = 3  #: places besides the kitchen (at least 1)

    def __post_init__(self) -> None:
        if min(self.children, self.trays, self.tables) < 1 or not 0 <= self.allergic <= self.children:
            raise ValueError(f"{self}: it takes a child, a tray and a table, and no more allergic than all")
        if self.spare < 0:
            raise ValueError(f"{self}: there must be a sandwich for every child")


SIZES: tuple[Size, ...] = (
    Size(children=3, allergic=1),
    Size(children=3, allergic=2, spare=1),
    Size(children=4, allergic=1, trays=2),
    Size(children=4, allergic=2, trays=2, spare=1),
    Size(children=5, allergic=2),
    Size(children=6, allergic=2, trays=2, spare=1),
    Size(children=6, allergic=3, trays=3, tables=4),
    Size(children=7, allergic=3, trays=2, spare=1),
    Size(children=8, allergic=3, trays=3, spare=2),
    Size(children=9, allergic=4, trays=3, spare=2, tables=4),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size that can be solved and is not solved already."""
    children, trays = _names("child", size.children), _names("tray", size.trays)
    breads, contents = _names("bread", size.children), _names("content", size.children)
    sandwiches, tables = _names("sandw", size.children + size.spare), _names("table", size.tables)
    objects = dict.fromkeys(children, "child") | dict.fromkeys(breads, "bread-portion")
    objects |= dict.fromkeys(contents, "content-portion") | dict.fromkeys(sandwiches, "sandwich")
    objects |= dict.fromkeys(trays, "tray") | dict.fromkeys([_KITCHEN, *tables], "place")
    allergic = frozenset(sample(rng, children, size.allergic))
    init: list[GroundAtom] = [
        *(("at_kitchen_bread", bread) for bread in breads),
        *(("at_kitchen_content", content) for content in contents),
        *(("no_gluten_bread", bread) for bread in _some(rng, breads, size.allergic)),
        *(("no_gluten_content", content) for content in _some(rng, contents, size.allergic)),
        *(("allergic_gluten", child) for child in children if child in allergic),
        *(("not_allergic_gluten", child) for child in children if child not in allergic),
        *(("waiting", child, pick(rng, tables)) for child in children),
        *(("at", tray, pick(rng, [_KITCHEN, *tables])) for tray in trays),
        *(("notexist", sandwich) for sandwich in sandwiches),
    ]
    return TaskFacts(objects, tuple(init), tuple((True, ("served", child)) for child in children))


def _some(rng: np.random.Generator, names: list[str], count: int) -> list[str]:
    """`count` of the names, in their order."""
    chosen = frozenset(sample(rng, names, count))
    return [name for name in names if name in chosen]


def _names(stem: str, count: int) -> list[str]:
    return [f"{stem}{number}" for number in range(1, count + 1)]
