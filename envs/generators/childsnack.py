"""Tasks of childsnack: children at tables, some of them allergic to gluten, each to be served a sandwich.

Solvable by construction: there is a portion of bread and of content for every child, gluten-free ones of both
for every child who is allergic, and at least as many sandwiches as children; trays can be moved anywhere, so
that the one that is filled first may start at any place. Nobody has been served at first, so that no task is
solved already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, sample, sized, subset

_KITCHEN = "kitchen"


@dataclass(frozen=True)
class Childsnack(TaskGenerator):
    """Tasks of `childsnack`. Raises ValueError if nobody, or not everybody, could be served."""

    #: children, with as many portions of bread and of content
    children: int = sized(4, (3, 3, 4, 4, 5, 6, 6, 7, 8, 9), least=1)
    #: children, and gluten-free portions of both (at most all)
    allergic: int = sized(1, (1, 2, 1, 2, 2, 2, 3, 3, 3, 4), least=0)
    trays: int = sized(1, (1, 1, 2, 2, 1, 2, 3, 2, 3, 3), least=1)  #: trays
    #: how many more sandwiches than children there are to make
    spare: int = sized(0, (0, 1, 0, 1, 0, 1, 0, 1, 2, 2), least=0)
    tables: int = sized(3, (3, 3, 3, 3, 3, 3, 4, 3, 3, 4), least=1)  #: places besides the kitchen

    def _check(self) -> None:
        self.require(self.allergic <= self.children, "no more than all children can be allergic")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size that can be solved and is not solved already."""
        children, trays = numbered("child", self.children), numbered("tray", self.trays)
        breads, contents = numbered("bread", self.children), numbered("content", self.children)
        sandwiches, tables = numbered("sandw", self.children + self.spare), numbered("table", self.tables)
        objects = {
            **{"child": children, "bread-portion": breads, "content-portion": contents},
            **{"sandwich": sandwiches, "tray": trays, "place": [_KITCHEN, *tables]},
        }
        allergic = frozenset(sample(rng, children, self.allergic))
        init = [
            *(("at_kitchen_bread", bread) for bread in breads),
            *(("at_kitchen_content", content) for content in contents),
            *(("no_gluten_bread", bread) for bread in subset(rng, breads, self.allergic)),
            *(("no_gluten_content", content) for content in subset(rng, contents, self.allergic)),
            *(("allergic_gluten", child) for child in children if child in allergic),
            *(("not_allergic_gluten", child) for child in children if child not in allergic),
            *(("waiting", child, pick(rng, tables)) for child in children),
            *(("at", tray, pick(rng, [_KITCHEN, *tables])) for tray in trays),
            *(("notexist", sandwich) for sandwich in sandwiches),
        ]
        return TaskFacts.of(objects, init, (("served", child) for child in children))
