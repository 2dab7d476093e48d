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
from itertools import chain
from types import MappingProxyType

import numpy as np

from envs.pddl.language.domain import GroundAtom
from envs.planetarium.drawn_task import DrawnTask, TaskSide, between, counted, from_to, parts_of
from envs.tasks import numbered, pick, shuffled
from envs.verbalisation.words import listed

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
#: Goals that are said by what is there at first.
_RELATIVE: Mapping[str, str] = MappingProxyType(
    {
        SWAP: "The two rooms are to exchange their balls.",
        TO_MAX: "All balls are to lie in the room in which most of them lie now.",
        TO_MIN: "All balls are to lie in the room in which the fewest of them lie now.",
    }
)


#: What there is: the objects of each kind, by its name.
_House = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class GripperState:
    """Where the balls are, and the robot."""

    lying: Mapping[str, str]  #: ball → room
    carried: Mapping[str, str]  #: ball → gripper
    robot: str

    def atoms(self, house: _House) -> tuple[GroundAtom, ...]:
        """All that is true in the state, what never changes left out."""
        free = [gripper for gripper in house["gripper"] if gripper not in self.carried.values()]
        return (
            ("at-robby", self.robot),
            *_places(house, self.lying),
            *(("carry", ball, self.carried[ball]) for ball in house["ball"] if ball in self.carried),
            *(("free", gripper) for gripper in free),
        )

    def counts(self, rooms: Sequence[str]) -> list[int]:
        """How many balls lie in each room."""
        found = Counter(self.lying.values())
        return [found[room] for room in rooms]


def draw_rooms(rng: np.random.Generator) -> DrawnTask:
    """A task; the goal may hold from the start."""
    goal = pick(rng, (*GOALS, *[SPREAD] * (_MORE - 1)))
    initial = pick(rng, _INITIAL.get(goal, _FREE))
    rooms = 2 if goal == SWAP else between(rng, *ROOMS)
    choice = [n for n in range(BALLS[0], BALLS[1] + 1) if _goes(initial, goal, n, rooms)]
    balls = pick(rng, choice)
    grippers = between(rng, *GRIPPERS)
    numbers = {"room": rooms, "ball": balls, "gripper": grippers}
    house = {kind: numbered(kind, number) for kind, number in numbers.items()}
    start = _start(rng, initial, goal, house)
    init = TaskSide(initial, start.atoms(house), _words_at_first(initial, start, house))
    statics = tuple((kind, name) for kind, names in house.items() for name in names)
    there = [f"{counted(len(n), kind, f'{kind}s')} ({from_to(n)})" for kind, n in house.items()]
    objects = list(chain.from_iterable(house.values()))
    return DrawnTask(objects, statics, f"There are {listed(there)}.", init, _goal(rng, goal, start, house))


def _goes(initial: str, goal: str, balls: int, rooms: int) -> bool:
    """Whether there is such a task with so many balls and rooms."""
    if EVEN in (initial, goal):
        return balls % rooms == 0
    return goal != TO_MIN or balls >= rooms - 1  # or several rooms would be empty


def _start(rng: np.random.Generator, layout: str, goal: str, house: _House) -> GripperState:
    balls = shuffled(rng, house["ball"])
    robot = pick(rng, house["room"])
    if layout == CARRIED:
        hands = dict(zip(balls, shuffled(rng, house["gripper"]), strict=False))
        room = pick(rng, house["room"])
        return GripperState({ball: room for ball in balls if ball not in hands}, hands, robot)
    counts = _counts(rng, layout, house)
    while not _tells_apart(goal, counts):
        counts = _counts(rng, layout, house)
    return GripperState(_placed(balls, counts, shuffled(rng, house["room"])), {}, robot)


def _counts(rng: np.random.Generator, layout: str, house: _House) -> list[int]:
    """How many balls lie in a room, for each room, the most first."""
    rooms, balls = len(house["room"]), len(house["ball"])
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


def _places(house: _House, lying: Mapping[str, str]) -> tuple[GroundAtom, ...]:
    """Where the balls lie, as atoms."""
    return tuple(("at", ball, lying[ball]) for ball in house["ball"] if ball in lying)


def _goal(rng: np.random.Generator, goal: str, start: GripperState, house: _House) -> TaskSide:
    if goal in _RELATIVE:
        return TaskSide(goal, _places(house, _moved(goal, start, house)), _RELATIVE[goal], relative=True)
    counts = _counts(rng, goal, house)
    places = _placed(shuffled(rng, house["ball"]), counts, shuffled(rng, house["room"]))
    numbers = listed([str(count) for count in counts])
    words = {
        ONE: "All balls are to lie in one room, whichever it is.",
        EVEN: "The same number of balls is to lie in every room.",
        SPREAD: "The balls are to be spread over the rooms so that these hold "
        f"{numbers} balls, in whichever order.",
    }
    return TaskSide(goal, _places(house, places), words[goal])


def _moved(goal: str, start: GripperState, house: _House) -> dict[str, str]:
    """Where the balls are to be, by where they are."""
    if goal == SWAP:
        one, other = house["room"]
        return {ball: other if room == one else one for ball, room in start.lying.items()}
    counts = start.counts(house["room"])
    chosen = max(counts) if goal == TO_MAX else min(counts)
    return dict.fromkeys(house["ball"], house["room"][counts.index(chosen)])


def _words_at_first(layout: str, state: GripperState, house: _House) -> str:
    here = state.counts([state.robot])[0]
    if layout == CARRIED:
        return _carried_words(state, house, here)
    numbers = listed([str(count) for count in sorted(state.counts(house["room"]), reverse=True)])
    words = {
        ONE: f"All balls lie in one room. The robot is in {'that' if here else 'another'} room.",
        EVEN: "The same number of balls lies in every room. The robot is in one of the rooms.",
        SPREAD: f"In some order, the rooms hold {numbers} balls. The robot is in a room that holds "
        f"{counted(here, 'ball', 'balls')}.",
    }
    free = "The grippers are free." if len(house["gripper"]) > 1 else "The gripper is free."
    return f"{words[layout]} {free}"


def _carried_words(state: GripperState, house: _House, here: int) -> str:
    carried = counted(len(state.carried), "ball", "balls")
    spare = len(house["gripper"]) - len(state.carried)
    free = f" {counted(spare, 'gripper is', 'grippers are')} free." if spare else ""
    if not state.lying:
        return f"The robot carries all balls, each in a gripper of its own, and is in one of the rooms.{free}"
    rest = "the only other ball lies" if len(state.lying) == 1 else "all other balls lie"
    place = f"in the room where {rest}" if here else f"in a room without balls; {rest} in one room"
    return f"The robot carries {carried}, each in a gripper of its own, and is {place}.{free}"
