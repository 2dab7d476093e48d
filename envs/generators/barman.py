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

from envs.pddl.language.structure import GroundAtom
from envs.tasks import Literal, TaskFacts, pick, sample, shuffled

_SHAKER = "shaker1"
_HANDS = ("left", "right")
_LEVELS = ("l0", "l1", "l2")


@dataclass(frozen=True)
class Size:
    """How large a task is. Raises ValueError if its cocktails could not be served."""

    cocktails: int = 2  #: cocktails, each of which is to be served once (at least 1)
    ingredients: int = 3  #: ingredients, each with its own dispenser (at least 2)
    shots: int = 3  #: shot glasses (at least as many as cocktails)
    poured: int = 0  #: how many of the glasses hold an ingredient at first (at most all)

    def __post_init__(self) -> None:
        if not (
            1 <= self.cocktails <= self.shots and self.ingredients >= 2 and 0 <= self.poured <= self.shots
        ):
            raise ValueError(
                f"{self}: it takes a cocktail, a shot glass for every cocktail, two ingredients, "
                "and no more poured glasses than there are glasses"
            )


SIZES: tuple[Size, ...] = (
    Size(cocktails=1, ingredients=2, shots=2),
    Size(cocktails=1, ingredients=3, shots=2, poured=1),
    Size(cocktails=2, ingredients=3, shots=2),
    Size(cocktails=2, ingredients=3, shots=3, poured=1),
    Size(cocktails=3, ingredients=3, shots=3),
    Size(cocktails=3, ingredients=4, shots=4, poured=1),
    Size(cocktails=4, ingredients=4, shots=5),
    Size(cocktails=4, ingredients=5, shots=5, poured=2),
    Size(cocktails=5, ingredients=5, shots=6, poured=2),
    Size(cocktails=5, ingredients=6, shots=6, poured=2),
)


def generate(rng: np.random.Generator, size: Size) -> TaskFacts:
    """A task of that size that can be solved and is not solved already."""
    shots = _names("shot", size.shots)
    ingredients = _names("ingredient", size.ingredients)
    cocktails = _names("cocktail", size.cocktails)
    dispensers = _names("dispenser", size.ingredients)
    objects = {_SHAKER: "shaker", **dict.fromkeys(_HANDS, "hand"), **dict.fromkeys(shots, "shot")}
    objects |= dict.fromkeys(ingredients, "ingredient") | dict.fromkeys(cocktails, "cocktail")
    objects |= dict.fromkeys(dispensers, "dispenser") | dict.fromkeys(_LEVELS, "level")
    poured = {shot: pick(rng, ingredients) for shot in sample(rng, shots, size.poured)}
    init = [
        *(("ontable", container) for container in (_SHAKER, *shots)),
        *(("handempty", hand) for hand in _HANDS),
        *_vessels(shots, poured),
        *zip(("dispenses",) * len(dispensers), dispensers, shuffled(rng, ingredients), strict=True),
        *_shaker_levels(),
        *_recipes(rng, cocktails, ingredients),
    ]
    return TaskFacts(objects, tuple(init), _orders(rng, shots, cocktails, ingredients))


def _vessels(shots: list[str], poured: dict[str, str]) -> list[GroundAtom]:
    """Every container empty and clean, but for the glasses with an ingredient in them."""
    untouched = [container for container in (_SHAKER, *shots) if container not in poured]
    filled = [(shot, poured[shot]) for shot in shots if shot in poured]
    return [
        *(("empty", container) for container in untouched),
        *(("clean", container) for container in untouched),
        *(("contains", shot, ingredient) for shot, ingredient in filled),
        *(("used", shot, ingredient) for shot, ingredient in filled),
    ]


def _shaker_levels() -> list[GroundAtom]:
    """The shaker at its lowest level, and the order of the levels."""
    steps = [("next", low, high) for low, high in pairwise(_LEVELS)]
    return [("shaker-empty-level", _SHAKER, _LEVELS[0]), ("shaker-level", _SHAKER, _LEVELS[0]), *steps]


def _recipes(rng: np.random.Generator, cocktails: list[str], ingredients: list[str]) -> list[GroundAtom]:
    """Two different ingredients for every cocktail."""
    recipes: list[GroundAtom] = []
    for cocktail in cocktails:
        first, second = sample(rng, ingredients, 2)
        recipes += [("cocktail-part1", cocktail, first), ("cocktail-part2", cocktail, second)]
    return recipes


def _orders(
    rng: np.random.Generator, shots: list[str], cocktails: list[str], ingredients: list[str]
) -> tuple[Literal, ...]:
    """Every cocktail in a glass of its own; about half of the other glasses with an ingredient."""
    served = dict(zip(sample(rng, shots, len(cocktails)), cocktails, strict=True))
    for shot in shots:
        if shot not in served and rng.random() < 0.5:
            served[shot] = pick(rng, ingredients)
    return tuple((True, ("contains", shot, served[shot])) for shot in shots if shot in served)


def _names(stem: str, count: int) -> list[str]:
    return [f"{stem}{number}" for number in range(1, count + 1)]
