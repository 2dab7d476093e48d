"""Tasks of barman: cocktails with random recipes, to be served in random shot glasses.

Solvable by construction: a glass that already holds an ingredient can be emptied and cleaned. A cocktail
needs two different ingredients, each of which has a dispenser, and one glass to fetch them in, which is
cleaned after each; the shaker has two levels above the empty one, so that both fit. The glass of the cocktail
itself serves for fetching, and once the cocktail is poured the shaker is emptied and cleaned. Glasses for
ingredients are filled at the very end. No cocktail is in any glass at first, so no task is solved already.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, sample, shuffled, sized

_SHAKER = "shaker1"
_HANDS = ("left", "right")
_LEVELS = ("l0", "l1", "l2")


@dataclass(frozen=True)
class Barman(TaskGenerator):
    """Tasks of `barman`. Raises ValueError if the cocktails could not be served."""

    cocktails: int = sized(2, (1, 1, 2, 2, 3, 3, 4, 4, 5, 5), least=1)  #: each of which is to be served once
    ingredients: int = sized(3, (2, 3, 3, 3, 3, 4, 4, 5, 5, 6), least=2)  #: each with its own dispenser
    shots: int = sized(3, (2, 2, 2, 3, 3, 4, 5, 5, 6, 6))  #: shot glasses (at least as many as cocktails)
    #: how many of the glasses hold an ingredient at first (at most all)
    poured: int = sized(0, (0, 1, 0, 1, 0, 1, 0, 2, 2, 2), least=0)

    def _check(self) -> None:
        self.require(self.cocktails <= self.shots, "every cocktail needs a shot glass")
        self.require(self.poured <= self.shots, "there are no more poured glasses than glasses")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size that can be solved and is not solved already."""
        shots, cocktails, ingredients = self.names("shot", "cocktail", "ingredient")
        dispensers = numbered("dispenser", self.ingredients)
        objects = {
            **{"shaker": [_SHAKER], "hand": _HANDS, "shot": shots, "ingredient": ingredients},
            **{"cocktail": cocktails, "dispenser": dispensers, "level": _LEVELS},
        }
        poured = {shot: pick(rng, ingredients) for shot in sample(rng, shots, self.poured)}
        init = [
            *(("ontable", container) for container in (_SHAKER, *shots)),
            *(("handempty", hand) for hand in _HANDS),
            *_vessels(shots, poured),
            *zip(("dispenses",) * len(dispensers), dispensers, shuffled(rng, ingredients), strict=True),
            *(("shaker-empty-level", _SHAKER, _LEVELS[0]), ("shaker-level", _SHAKER, _LEVELS[0])),
            *(("next", low, high) for low, high in pairwise(_LEVELS)),
            *_recipes(rng, cocktails, ingredients),
        ]
        return TaskFacts.of(objects, init, _orders(rng, shots, cocktails, ingredients))


def _vessels(shots: list[str], poured: dict[str, str]) -> list[GroundAtom]:
    """Every container empty and clean, but for the glasses with an ingredient in them."""
    untouched = [container for container in (_SHAKER, *shots) if container not in poured]
    filled = [(shot, poured[shot]) for shot in shots if shot in poured]
    return [
        *((state, container) for state in ("empty", "clean") for container in untouched),
        *((state, shot, ingredient) for state in ("contains", "used") for shot, ingredient in filled),
    ]


def _recipes(rng: np.random.Generator, cocktails: list[str], ingredients: list[str]) -> list[GroundAtom]:
    """Two different ingredients for every cocktail."""
    recipes: list[GroundAtom] = []
    for cocktail in cocktails:
        first, second = sample(rng, ingredients, 2)
        recipes += [("cocktail-part1", cocktail, first), ("cocktail-part2", cocktail, second)]
    return recipes


def _orders(
    rng: np.random.Generator, shots: list[str], cocktails: list[str], ingredients: list[str]
) -> list[GroundAtom]:
    """Every cocktail in a glass of its own; about half of the other glasses with an ingredient."""
    served = dict(zip(sample(rng, shots, len(cocktails)), cocktails, strict=True))
    for shot in shots:
        if shot not in served and rng.random() < 0.5:
            served[shot] = pick(rng, ingredients)
    return [("contains", shot, served[shot]) for shot in shots if shot in served]
