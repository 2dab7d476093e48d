"""Tasks of Gripper: balls to be brought to other rooms.

Six goals (`GOALS`) from every layout that they go with. Which ball lies where is drawn at random on both
sides, except that `swap`, `to_max` and `to_min` follow from the initial state. A goal says where each ball
is to be; the grippers are then free, and the robot may be anywhere. Every task can be solved, since the robot
can go from every room to every other.

Source: the tasks of Zuo et al. 2024, section 4.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from envs.pddl.language.structure import GroundAtom
from envs.planetarium.sketch import Part, Sketch, between, counted, from_to, named, parts_of
from envs.tasks import pick, shuffled
from envs.wording.words import listed

#: The fewest and the most of each kind of thing in a task.
ROOMS, BALLS, GRIPPERS = (2, 6), (2, 28), (1, 4)
ONE, EVEN, SPREAD, CARRIED = "one_room", "evenly", "spread", "carried"
SWAP, TO_MAX, TO_MIN = "swap", "to_max", "to_min"
GOALS = (ONE, EVEN, SPREAD, SWAP, TO_MAX, TO_MIN)
INITIAL = (ONE, EVEN, SPREAD, CARRIED)
#: How many times as often `SPREAD` is drawn as any other layout: there are far more of them to be told apart.
_MORE = 3
_FREE = (ONE, EVEN, CARRIED, *[SPREAD] * _MORE)
_INITIAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {SWAP: (EVEN, SPREAD), TO_MAX: (SPREAD,), TO_MIN: (SPREAD,)}
)
_WORDS_OF_RELATIVE: Mapping[str, str] = MappingProxyType(
    {
        SWAP: "The two rooms are to exchange their balls.",
        TO_MAX: "All balls are to lie in the room in which most of them lie now.",
        TO_MIN: "All balls are to lie in the room in which the fewest of them lie now.",
    }
)


@dataclass(frozen=True)
class House:
    """What there is."""

    rooms: tuple[str, ...]
    balls: tuple[str, ...]
    grippers: tuple[str, ...]

    @property
    def statics(self) -> tuple[GroundAtom, ...]:
        """What kind of thing each object is."""
        kinds = (("room", self.rooms), ("ball", self.balls), ("gripper", self.grippers))
        return tuple((kind, name) for kind, names in kinds for name in names)

    @property
    def cast(self) -> str:
        """The objects in words."""
        told = [
            f"{counted(len(names), one, many)} ({from_to(names)})"
            for names, one, many in (
                (self.rooms, "room", "rooms"),
                (self.balls, "ball", "balls"),
                (self.grippers, "gripper", "grippers"),
            )
        ]
        return f"There are {listed(told)}."


@dataclass(frozen=True)
class State:
    """Where the balls are, and the robot."""

    lying: Mapping[str, str]  #: ball → room
    carried: Mapping[str, str]  #: ball → gripper
    robot: str

    def atoms(self, house: House) -> tuple[GroundAtom, ...]:
        """All that is true in the state, what never changes left out."""
        free = [gripper for gripper in house.grippers if gripper not in self.carried.values()]
        return (
            ("at-robby", self.robot),
            *(("at", ball, self.lying[ball]) for ball in house.balls if ball in self.lying),
            *(("carry", ball, self.carried[ball]) for ball in house.balls if ball in self.carried),
            *(("free", gripper) for gripper in free),
        )

    def counts(self, rooms: Sequence[str]) -> list[int]:
        """How many balls lie in each room."""
        found = Counter(self.lying.values())
        return [found[room] for room in rooms]


def draw_rooms(rng: np.random.Generator) -> Sketch:
    """A task; the goal may hold from the start."""
    goal = pick(rng, (*GOALS, *[SPREAD] * (_MORE - 1)))
    initial = pick(rng, _INITIAL.get(goal, _FREE))
    rooms = 2 if goal == SWAP else between(rng, *ROOMS)
    choice = [n for n in range(BALLS[0], BALLS[1] + 1) if _goes(initial, goal, n, rooms)]
    house = House(
        named("room", rooms), named("ball", pick(rng, choice)), named("gripper", between(rng, *GRIPPERS))
    )
    start = _start(rng, initial, goal, house)
    init = Part(initial, start.atoms(house), _said_at_first(initial, start, house))
    objects = (*house.rooms, *house.balls, *house.grippers)
    return Sketch(objects, house.statics, house.cast, init, _goal(rng, goal, start, house))


def _goes(initial: str, goal: str, balls: int, rooms: int) -> bool:
    """Whether there is such a task with so many balls and rooms."""
    if EVEN in (initial, goal):
        return balls % rooms == 0
    return goal != TO_MIN or balls >= rooms - 1  # or several rooms would be empty


def _start(rng: np.random.Generator, layout: str, goal: str, house: House) -> State:
    balls = shuffled(rng, house.balls)
    robot = pick(rng, house.rooms)
    if layout == CARRIED:
        hands = dict(zip(balls, shuffled(rng, house.grippers), strict=False))
        room = pick(rng, house.rooms)
        return State({ball: room for ball in balls if ball not in hands}, hands, robot)
    counts = _counts(rng, layout, house)
    while not _tells_apart(goal, counts):
        counts = _counts(rng, layout, house)
    return State(_placed(balls, counts, shuffled(rng, house.rooms)), {}, robot)


def _counts(rng: np.random.Generator, layout: str, house: House) -> list[int]:
    """How many balls lie in a room, for each room, the most first."""
    rooms, balls = len(house.rooms), len(house.balls)
    if layout == ONE:
        return [balls, *[0] * (rooms - 1)]
    if layout == EVEN:
        return [balls // rooms] * rooms
    return parts_of(rng, balls, rooms, 0)


def _tells_apart(goal: str, counts: Sequence[int]) -> bool:
    """Whether there is one room only that the goal can mean."""
    if goal == TO_MAX:
        return counts[0] > counts[1]
    return goal != TO_MIN or counts[-1] < counts[-2]


def _placed(balls: Sequence[str], counts: Sequence[int], rooms: Sequence[str]) -> dict[str, str]:
    """So many of the balls into each of the rooms."""
    places = [room for room, count in zip(rooms, counts, strict=True) for _ in range(count)]
    return dict(zip(balls, places, strict=True))


def _goal(rng: np.random.Generator, goal: str, start: State, house: House) -> Part:
    if goal in _WORDS_OF_RELATIVE:
        return Part(goal, _lying(house, _moved(goal, start, house)), _WORDS_OF_RELATIVE[goal], relative=True)
    counts = _counts(rng, goal, house)
    places = _placed(shuffled(rng, house.balls), counts, shuffled(rng, house.rooms))
    return Part(goal, _lying(house, places), _said_of_goal(goal, counts))


def _lying(house: House, places: Mapping[str, str]) -> tuple[GroundAtom, ...]:
    return tuple(("at", ball, places[ball]) for ball in house.balls)


def _moved(goal: str, start: State, house: House) -> dict[str, str]:
    """Where the balls are to be, by where they are."""
    if goal == SWAP:
        one, other = house.rooms
        return {ball: other if room == one else one for ball, room in start.lying.items()}
    counts = start.counts(house.rooms)
    chosen = max(counts) if goal == TO_MAX else min(counts)
    return dict.fromkeys(house.balls, house.rooms[counts.index(chosen)])


def _said_at_first(layout: str, state: State, house: House) -> str:
    lying = state.counts(house.rooms)
    here = state.counts([state.robot])[0]
    free = "The grippers are free." if len(house.grippers) > 1 else "The gripper is free."
    match layout:
        case "one_room":
            return f"All balls lie in one room. The robot is in {'that' if here else 'another'} room. {free}"
        case "evenly":
            return f"The same number of balls lies in every room. The robot is in one of the rooms. {free}"
        case "carried":
            return _said_of_carried(state, house, here)
    told = listed([str(count) for count in sorted(lying, reverse=True)])
    return (
        f"In some order, the rooms hold {told} balls. The robot is in a room that holds "
        f"{counted(here, 'ball', 'balls')}. {free}"
    )


def _said_of_carried(state: State, house: House, here: int) -> str:
    carried = counted(len(state.carried), "ball", "balls")
    spare = len(house.grippers) - len(state.carried)
    free = f" {counted(spare, 'gripper is', 'grippers are')} free." if spare else ""
    if not state.lying:
        return f"The robot carries all balls, each in a gripper of its own, and is in one of the rooms.{free}"
    rest = "the only other ball lies" if len(state.lying) == 1 else "all other balls lie"
    place = f"in the room where {rest}" if here else f"in a room without balls; {rest} in one room"
    return f"The robot carries {carried}, each in a gripper of its own, and is {place}.{free}"


def _said_of_goal(layout: str, counts: Sequence[int]) -> str:
    match layout:
        case "one_room":
            return "All balls are to lie in one room, whichever it is."
        case "evenly":
            return "The same number of balls is to lie in every room."
    told = listed([str(count) for count in counts])
    return f"The balls are to be spread over the rooms so that these hold {told} balls, in whichever order."
