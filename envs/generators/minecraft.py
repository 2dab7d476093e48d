"""Tasks of `minecraft`: certain things are to be made, and one of them carried in a certain slot.

Solvable by construction. The task has every site, station and first tool that the recipes of the wanted
things lead to, all on a map whose tiles are connected. `_Workshop` makes the wanted things in thought, one
after the other, and counts how many hypothetical objects are in use at a time; the task has as many, and one
more for each wanted thing but one. So no more are ever in use than there are, and each wanted thing can be
given the name that the goal gives it (intervals of which at most n overlap can be named with n names). Things
can be put down anywhere, so that three slots are enough to make anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import TaskFacts, TaskGenerator, numbered, pick, sample, shuffled, sized

HYPOTHETICAL = "hypothetical"


@dataclass(frozen=True)
class _Recipe:
    """One way to get a thing: mined at a site, perhaps with a tool, or crafted at a station."""

    place: str  #: the type of the site or station
    tool: str | None = None  #: the type of the tool that mining needs
    ingredients: tuple[str, ...] = ()  #: what crafting uses up


#: The type of a thing to the ways to get it. Tools that are not made first are given from the start.
_RECIPES: dict[str, tuple[_Recipe, ...]] = {
    "ironore": (_Recipe("ironorevein", "pickaxe"),),
    "coal": (_Recipe("coalorevein", "pickaxe"),),
    "goldore": (_Recipe("goldorevein", "pickaxe"),),
    "cobblestone": (_Recipe("cobblestonestash", "pickaxe"),),
    "wood": (_Recipe("tree", "axe"),),
    "feather": (_Recipe("chicken", "sword"),),
    "wool": (_Recipe("sheep", "shears"), _Recipe("sheep", "sword")),
    "potato": (_Recipe("potatoplant"),),
    "beetroot": (_Recipe("beetrootcrop"),),
    "sugarcane": (_Recipe("sugarcaneplant"),),
    "woodplank": (_Recipe("workstation", None, ("wood",)),),
    "stick": (_Recipe("workstation", None, ("woodplank",)),),
    "paper": (_Recipe("workstation", None, ("sugarcane",)),),
    "arrow": (_Recipe("weaponstation", None, ("stick", "feather")),),
    "sword": (_Recipe("weaponstation", None, ("stick", "ironingot")),),
    "shears": (_Recipe("toolstation", None, ("ironingot",)), _Recipe("toolstation", None, ("goldingot",))),
    "axe": (_Recipe("toolstation", None, ("stick", "ironingot")),),
    "pickaxe": (_Recipe("toolstation", None, ("stick", "cobblestone")),),
    "ironingot": (_Recipe("furnace", None, ("ironore", "coal")),),
    "goldingot": (_Recipe("furnace", None, ("goldore", "coal")),),
    "cookedpotato": (_Recipe("furnace", None, ("potato", "coal")),),
    "bed": (_Recipe("bedstation", None, ("woodplank", "wool")),),
    "boat": (_Recipe("boatstation", None, ("woodplank",)),),
    "bowl": (_Recipe("foodstation", None, ("woodplank",)), _Recipe("foodstation", None, ("ironingot",))),
    "beetrootsoup": (_Recipe("foodstation", None, ("beetroot", "bowl")),),
}
#: The 25 types of things that can be mined or crafted.
ITEMS = tuple(_RECIPES)
_SITES = tuple(dict.fromkeys(r.place for rs in _RECIPES.values() for r in rs if not r.ingredients))
_STATIONS = tuple(dict.fromkeys(r.place for rs in _RECIPES.values() for r in rs if r.ingredients))
_GIVEN = ("axe", "pickaxe")
_TYPES = (
    *("axe", "pickaxe", "sword", "shears", "key", *_SITES, *_STATIONS),
    *(item for item in ITEMS if item not in ("axe", "pickaxe", "sword", "shears")),
    *(HYPOTHETICAL, "trash"),
)


@dataclass
class _Workshop:
    """Makes things in thought, and notes what that takes."""

    rng: np.random.Generator
    places: dict[str, None] = field(default_factory=dict)  #: types of sites and stations, in order of use
    given: dict[str, None] = field(default_factory=dict)  #: types of tools that must be there from the start
    made: set[str] = field(default_factory=set)  #: types of tools that were made to be used
    in_use: int = 0  #: hypothetical objects that are something else now
    peak: int = 0  #: the most that were in use at a time

    def make(self, item: str) -> None:
        """Make one thing of a hypothetical object."""
        self.prepare(item)
        self.in_use += 1
        self.peak = max(self.peak, self.in_use)

    def prepare(self, item: str) -> None:
        """Get what a recipe of `item` takes, and use up the ingredients.

        The new thing is not counted yet; its ingredients are still in use when it comes into being.
        """
        recipe = pick(self.rng, _RECIPES[item])
        self.places[recipe.place] = None
        self._get_tool(recipe.tool)
        for ingredient in recipe.ingredients:
            self.make(ingredient)
        self.peak = max(self.peak, self.in_use + 1)
        self.in_use -= len(recipe.ingredients)

    def _get_tool(self, tool: str | None) -> None:
        if tool in _GIVEN:
            self.given[tool] = None
        elif tool is not None and tool not in self.made:
            self.make(tool)
            self.made.add(tool)


@cache
def _steps(item: str) -> int:
    """How many recipes the shortest way to `item` takes, everything made anew but the given tools."""
    return 1 + min(
        sum(map(_steps, recipe.ingredients))
        + (_steps(recipe.tool) if recipe.tool and recipe.tool not in _GIVEN else 0)
        for recipe in _RECIPES[item]
    )


def _wanted(steps: int) -> list[str]:
    """What takes at most that many steps."""
    return [item for item in ITEMS if _steps(item) <= steps]


@dataclass(frozen=True)
class Minecraft(TaskGenerator):
    """Tasks of `minecraft`. Raises ValueError if one could not be solved."""

    rows: int = sized(2, (2, 2, 3, 3, 3, 3, 4, 4, 4, 5), least=1)  #: of the map
    columns: int = sized(2, (2, 3, 3, 3, 3, 4, 4, 4, 5, 5), least=1)
    slots: int = sized(3, (3, 3, 3, 3, 3, 3, 4, 3, 3, 3), least=3)  #: of the inventory
    goals: int = sized(1, (1, 1, 1, 2, 1, 2, 2, 3, 1, 1), least=1)  #: things to be made
    #: recipes that a wanted thing may take at most, up to 12 (arrow)
    steps: int = sized(2, (2, 3, 3, 3, 5, 4, 3, 3, 6, 8), least=1)
    #: sites and stations that nothing wanted needs, as far as there are any
    extras: int = sized(1, (1, 1, 2, 2, 2, 2, 3, 3, 3, 4))
    spare: int = sized(0, (0, 0, 1, 0, 0, 0, 1, 0, 0, 0))  #: hypothetical objects that are not needed
    objects: int = 0  #: at least so many, filled up with hypothetical ones

    def _check(self) -> None:
        most = len(_wanted(self.steps))
        self.require(self.goals <= most, f"only {most} things take {self.steps} steps or less")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: at least one of the wanted things takes as many steps as may be."""
        items = _wanted(self.steps)
        hardest = [item for item in items if _steps(item) == max(map(_steps, items))]
        first = pick(rng, hardest)
        goals = [first, *sample(rng, [item for item in items if item != first], self.goals - 1)]
        workshop = _Workshop(rng)
        for goal in goals:
            workshop.prepare(goal)
        unused = [kind for kind in (*_SITES, *_STATIONS) if kind not in workshop.places]
        places = [*workshop.places, *sample(rng, unused, min(self.extras, len(unused)))]
        needed = self.goals + workshop.peak - 1 + self.spare
        blanks = max(needed, self.objects - len(places) - len(workshop.given))
        return self._task(rng, goals, places, list(workshop.given), blanks)

    def _task(
        self, rng: np.random.Generator, goals: list[str], places: list[str], tools: list[str], blanks: int
    ) -> TaskFacts:
        """The task with those things to make, fixed objects, tools, and number of hypothetical objects."""
        rows, columns = range(1, self.rows + 1), range(1, self.columns + 1)
        tiles = [f"tile{row}-{column}" for row in rows for column in columns]
        slots, news = numbered("slot", self.slots), numbered("new", blanks)
        fixed = [f"{kind}1" for kind in shuffled(rng, places)]
        kinds = {name: name[:-1] for name in (*fixed, *(f"{tool}1" for tool in tools))}
        init: list[GroundAtom] = [*self._neighbours(), ("agent-at", pick(rng, tiles))]
        init += [("object-at", name, pick(rng, tiles)) for name in fixed]
        init += [("object-fixed", name) for name in fixed]
        free = list(slots)
        for tool in tools:
            if rng.random() < 0.5:
                init.append(("inventory-holding", free.pop(0), f"{tool}1"))
            else:
                init.append(("object-at", f"{tool}1", pick(rng, tiles)))
        init += [("inventory-empty", slot) for slot in free]
        init += [("object-of-type", name, kind) for name, kind in kinds.items()]
        init += [("object-of-type", name, HYPOTHETICAL) for name in news]
        made = sample(rng, news, len(goals))
        wanted = [("object-of-type", new, item) for new, item in zip(made, goals, strict=True)]
        wanted.append(("inventory-holding", pick(rng, slots), made[0]))
        objects = {"object-type": _TYPES, "tile": tiles, "inventory": slots, "object": [*kinds, *news]}
        return TaskFacts.of(objects, init, wanted)

    def _neighbours(self) -> Iterator[GroundAtom]:
        """Which tile lies directly above, below, left of and right of which; row 1 is the topmost."""
        for row in range(1, self.rows + 1):
            for column in range(1, self.columns + 1):
                tile = f"tile{row}-{column}"
                if row < self.rows:
                    yield "tile-down", tile, f"tile{row + 1}-{column}"
                    yield "tile-up", f"tile{row + 1}-{column}", tile
                if column < self.columns:
                    yield "tile-right", tile, f"tile{row}-{column + 1}"
                    yield "tile-left", f"tile{row}-{column + 1}", tile
