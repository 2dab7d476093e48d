"""Tasks of `household`: chores to be done in one house.

Solvable by construction. Each chore works on things of its own, and what several chores share (the hand,
the receptacles, the knife, the cloth) serves any number of them in turn: food that has been heated or mashed
can no longer be picked up, but a receptacle can, and food can be transferred out of it; a used cloth can be
washed again, and a full dust bin emptied. A countertop, flat and free to reach, is always there. So the
chores can be done one after the other, each leaving the hand empty, and doors be closed at the very end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.tasks import Literal, TaskFacts, TaskGenerator, pick, sample, sized

#: Kind of furniture to the predicates that hold of it.
_FURNITURE: dict[str, tuple[str, ...]] = {
    "countertop": ("flat-surface",),
    "dining-table": ("flat-surface",),
    "side-table": ("flat-surface",),
    "drawer": ("openable",),
    "cabinet": ("openable",),
    "fridge": ("openable",),
    "microwave": ("openable", "microwave"),
    "stove": ("stove-burner",),
    "sink": ("sink-or-basin",),
    "carpet": ("carpet",),
    "trash-can": ("openable", "trash-can"),
}
#: Where things may be kept at first, and where spare furniture comes from.
_STORES = ("countertop", "dining-table", "side-table", "drawer", "cabinet", "fridge")
#: Kind of receptacle to the predicates that hold of it besides those that hold of every one of them.
_RECEPTACLES: dict[str, tuple[str, ...]] = {
    "plate": ("pickupable", "washable"),
    "pan": ("pickupable", "pan"),
    "cutting-board": ("pickupable", "cutting-board"),
    "lunch-box": ("pickupable", "openable-receptacle", "stackable"),
    "blender": ("blender", "toggleable"),
}
_FOODS = ("apple", "carrot", "potato", "tomato", "orange")
_CLUTTER = ("mug", "book", "apple", "orange")


@dataclass
class _House:
    """A house being furnished."""

    rng: np.random.Generator
    objects: dict[str, str] = field(default_factory=dict)
    facts: list[GroundAtom] = field(default_factory=list)
    goal: list[Literal] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def new(self, kind: str, type_: str) -> str:
        """The name of one more object."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        name = f"{kind}{self.counts[kind]}"
        self.objects[name] = type_
        return name

    def furniture(self, kind: str) -> str:
        """One more piece of furniture, its door open or closed by chance."""
        name = self.new(kind, "furnitureappliance")
        self.facts += [(predicate, name) for predicate in _FURNITURE[kind]]
        if "openable" in _FURNITURE[kind]:
            self.facts.append((pick(self.rng, ("opened", "closed")), name))
        return name

    def the(self, kind: str) -> str:
        """The first piece of furniture of that kind; a new one if there is none."""
        return f"{kind}1" if self.counts.get(kind) else self.furniture(kind)

    def thing(self, kind: str, *predicates: str, place: str | None = None) -> str:
        """One more object of which `predicates` hold, at `place` or in any store."""
        name = self.new(kind, "householdobject")
        self._own(name, *predicates)
        self._place(name, place)
        return name

    def receptacle(self, kind: str, place: str | None = None) -> str:
        """The receptacle of that kind: there is one of each in a house."""
        if self.counts.get(kind):
            return f"{kind}1"
        name = self.new(kind, "smallreceptacle")
        self._own(name, *_RECEPTACLES[kind])
        if kind == "lunch-box":
            self.facts.append((pick(self.rng, ("opened-receptacle", "closed-receptacle")), name))
        self._place(name, "countertop1" if kind == "blender" else place)
        return name

    def food(self) -> str:
        """One more whole, sliceable piece of food, in a store or in the lunch box."""
        name = self.new(pick(self.rng, _FOODS), "householdobject")
        self._own(name, "pickupable", "sliceable", "object-whole", "washable")
        if self.counts.get("lunch-box") and self.rng.random() < 0.5:
            self.facts.append(("object-in", name, "lunch-box1"))
        else:
            self._place(name, None)
        return name

    def want(self, *atom: str) -> None:
        """Add to the goal."""
        self.goal.append((True, atom))

    def _own(self, name: str, *predicates: str) -> None:
        self.facts += [(predicate, name) for predicate in predicates]
        if "stackable" in predicates:
            self.facts.append(("object-clear", name))

    def _place(self, name: str, place: str | None) -> None:
        self.facts.append(("object-on", name, place or pick(self.rng, self.stores)))


def _tidy(house: _House) -> None:
    """Something is to be put into another store."""
    here = pick(house.rng, house.stores)
    thing = house.thing("mug", "pickupable", "washable", place=here)
    house.want("object-on", thing, pick(house.rng, [store for store in house.stores if store != here]))


def _wash(house: _House) -> None:
    """Something dirty is to be washed."""
    house.the("sink")
    house.want("object-washed", house.thing("spoon", "pickupable", "washable", "object-dirty"))


def _wipe(house: _House) -> None:
    """Furniture is to be wiped; there is a cloth, washed or dirty."""
    sink = house.the("sink")
    state = pick(house.rng, ("object-dirty", "object-washed"))
    house.thing("cloth", "pickupable", "washable", "cloth", state)
    for place in sample(house.rng, [*house.stores, sink], 1 + int(house.rng.random() * 2)):
        house.want("furniture-cleaned", place)


def _vacuum(house: _House) -> None:
    """A carpet is to be vacuumed; the dust bin may be full."""
    house.the("trash-can")
    full = ("dustbin-full",) if house.rng.random() < 0.5 else ()
    house.thing("vacuum-cleaner", "pickupable", "handheld-vacuum-cleaner", *full)
    house.want("carpet-clean", house.the("carpet"))


def _switch(house: _House) -> None:
    """A lamp is to be switched on, or off."""
    on = house.rng.random() < 0.5
    lamp = house.thing("lamp", "toggleable", *(("appliance-on",) if on else ()))
    house.goal.append((not on, ("appliance-on", lamp)))


def _stack(house: _House) -> None:
    """Three books are to be put on top of each other."""
    books = [house.thing("book", "pickupable", "stackable") for _ in range(3)]
    for lower, upper in pairwise(books):
        house.want("object-on-top-of", upper, lower)


def _pack(house: _House) -> None:
    """Something goes into the lunch box, and the lunch box into a store with its lid closed."""
    food, box = house.food(), house.receptacle("lunch-box", place="countertop1")
    if ("object-in", food, box) in house.facts:
        house.facts.remove(("object-in", food, box))
        house.facts.append(("object-on", food, pick(house.rng, house.stores)))
    house.want("object-in", food, box)
    house.want("closed-receptacle", box)
    house.want("object-on", box, pick(house.rng, house.stores))


def _slice(house: _House) -> None:
    """Food is to be sliced."""
    _kitchen(house)
    house.want("object-sliced", house.food())


def _mash(house: _House) -> None:
    """Food is to be mashed."""
    _kitchen(house)
    house.receptacle("blender")
    house.want("object-mashed", house.food())


def _microwave(house: _House) -> None:
    """Food is to be heated in a microwave."""
    house.the("microwave")
    house.receptacle("plate")
    house.want("food-heated", house.food())


def _fry(house: _House) -> None:
    """Food is to be heated in a pan and served on a plate."""
    house.the("stove")
    house.receptacle("pan")
    plate, food = house.receptacle("plate"), house.food()
    house.want("food-heated-pan", food)
    house.want("object-in", food, plate)


_EASY: tuple[Callable[[_House], None], ...] = (_tidy, _wash, _wipe, _vacuum, _switch, _stack, _pack)
_CHORES: tuple[Callable[[_House], None], ...] = (*_EASY, _slice, _mash, _microwave, _fry)


@dataclass(frozen=True)
class Household(TaskGenerator):
    """Tasks of `household`. Raises ValueError if there would be nothing to do."""

    #: different chores; each brings the furniture and objects it needs
    chores: int = sized(1, (2, 1, 2, 2, 3, 3, 4, 4, 5, 6), least=1)
    #: pieces of furniture that things are kept in
    stores: int = sized(2, (3, 4, 4, 4, 4, 5, 5, 6, 6, 6), least=2)
    clutter: int = sized(1, (1, 2, 1, 2, 2, 2, 2, 4, 3, 4), least=0)  #: objects that no chore needs
    #: whether chores of cooking are among those drawn from
    hard: bool = sized(True, (False, True, False, True, False, True, True, True, True, True))

    def _check(self) -> None:
        kinds = len(_CHORES if self.hard else _EASY)
        self.require(self.chores <= kinds, f"there are {kinds} chores")

    def generate(self, rng: np.random.Generator) -> TaskFacts:
        """A task of this size: different chores, a plate, and some clutter; books may lie on other things."""
        house = _House(rng)
        kinds = ["countertop", *(pick(rng, _STORES[1:]) for _ in range(self.stores - 1))]
        house.stores += [house.furniture(kind) for kind in kinds]
        for chore in sample(rng, _CHORES if self.hard else _EASY, self.chores):
            chore(house)
        house.receptacle("plate")
        for _ in range(self.clutter):
            _litter(house)
        places = [name for name, kind in house.objects.items() if kind == "furnitureappliance"]
        house.facts += [("robot-at", pick(rng, places)), ("robot-hand-empty",)]
        _close(house)
        order = ("furnitureappliance", "smallreceptacle", "householdobject")
        objects = dict(sorted(house.objects.items(), key=lambda entry: order.index(entry[1])))
        return TaskFacts(objects, tuple(house.facts), tuple(house.goal))


def _kitchen(house: _House) -> None:
    """A knife and a cutting board."""
    if not house.counts.get("knife"):
        house.thing("knife", "pickupable", "knife", "washable")
    house.receptacle("cutting-board")


def _litter(house: _House) -> None:
    """One thing that no chore needs; a book may lie on a stackable thing on a flat surface."""
    kind = pick(house.rng, _CLUTTER)
    if kind != "book":
        house.thing(kind, "pickupable", "washable", *(("sliceable", "object-whole") if kind != "mug" else ()))
        return
    free = [
        (fact[1], place)
        for fact in house.facts
        if fact[0] == "object-clear"
        for place in house.stores
        if ("flat-surface", place) in house.facts and ("object-on", fact[1], place) in house.facts
    ]
    if not free:
        house.thing("book", "pickupable", "stackable")
        return
    below, place = pick(house.rng, free)
    book = house.thing("book", "pickupable", "stackable", place=place)
    house.facts.remove(("object-clear", below))
    house.facts += [("object-on-top-of", book, below), ("object-stacked", book)]


def _close(house: _House) -> None:
    """One store that is open at first is to be closed in the end, if there is one."""
    doors = [store for store in house.stores if ("opened", store) in house.facts]
    if doors:
        house.want("closed", pick(house.rng, doors))
