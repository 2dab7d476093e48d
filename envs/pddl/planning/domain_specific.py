"""Plans for domains whose reachable states are known, without search, for tasks of any size.

A domain is recognised by its rules, and an initial state has to be one that they assume. Then a goal is
either contradictory, which is reported, or can be reached, and a plan is written down. It is valid, and has
at most a few steps for each object; it need not be the shortest.

Blocksworld: what is in the way is put on the table, then towers are built from below. A block stays if it may
be where it is and all blocks below it stay. All other blocks come onto the table, top first, and from there
to their places; the block to be held is picked up last. So no block is moved more than twice. Source: the
first of the two near-optimal strategies of Gupta and Nau 1992.

Gripper: everything is put down, balls are brought room by room with all grippers, then what is to be held. A
ball is carried at most twice: to its room, and into its gripper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from types import MappingProxyType

from envs.pddl.equivalence.goals.goal import NotLiterals, read_goal
from envs.pddl.equivalence.known_domains.blocks import BLOCK, BLOCKS, HOLDING, ON, TABLE, Layout
from envs.pddl.equivalence.known_domains.grippers import AT, CARRY, GRIPPER, HAND, Placement
from envs.pddl.equivalence.known_domains.patterns import Impossible, Members, Rule
from envs.pddl.equivalence.known_domains.recognised import recognise
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.planning.planner import PlanOutcome, PlanResult

#: A step: the number of a rule, and its arguments.
Step = tuple[int, tuple[str, ...]]
PICK_UP, PUT_DOWN, STACK, UNSTACK = range(4)  # the order of the rules


def rebuild(init: frozenset[GroundAtom], wanted: frozenset[GroundAtom], members: Members) -> list[Step]:
    """The steps from a whole state to one that satisfies the wanted atoms. Raises Impossible."""
    now, goal = Layout(init), Layout(wanted)
    steps = [(PUT_DOWN, atom[1:]) for atom in init if atom[0] == HOLDING]
    settled: set[str] = set()
    for tower in _towers(now, members):
        kept = _kept(tower, goal)
        settled.update(tower[:kept])
        for place in range(len(tower) - 1, max(kept, 1) - 1, -1):
            steps += [(UNSTACK, (tower[place], tower[place - 1])), (PUT_DOWN, (tower[place],))]
    for block in sorted(goal.below):
        for upper, lower in _missing(block, goal, settled):
            steps += [(PICK_UP, (upper,)), (STACK, (upper, lower))]
    return steps + [(PICK_UP, atom[1:]) for atom in wanted if atom[0] == HOLDING]


def _towers(now: Layout, members: Members) -> Iterator[list[str]]:
    """The blocks that stand on one another, from the table up."""
    for bottom in sorted(members[BLOCK]):
        if now.below[bottom][0] == TABLE:
            tower = [bottom]
            while now.above[tower[-1]][0] == ON:
                tower.append(now.above[tower[-1]][1])
            yield tower


def _kept(tower: list[str], goal: Layout) -> int:
    """How many blocks, from the lowest, may stay."""
    for place, block in enumerate(tower):
        now = (ON, block, tower[place - 1]) if place else (TABLE, block)
        # Where the goal does not say what a block stands on, nothing else may be wanted above that.
        below = goal.below.get(block, now)
        above = goal.above.get(tower[place - 1], now) if place else now
        if below != now or above != now:
            return place
    return len(tower)


def _missing(block: str, goal: Layout, settled: set[str]) -> list[tuple[str, str]]:
    """The blocks up to this one that are not settled on those that they belong on, lowest first."""
    found = []
    while block not in settled and goal.below.get(block, (TABLE,))[0] == ON:
        settled.add(block)
        lower = goal.below[block][2]
        found.append((block, lower))
        block = lower
    return found[::-1]


MOVE, PICK, DROP = range(3)  # the order of the rules


def deliver(init: frozenset[GroundAtom], wanted: frozenset[GroundAtom], members: Members) -> list[Step]:
    """The steps from a whole state to one that satisfies the wanted atoms. Raises Impossible."""
    goal, run = Placement(wanted), _Run(Placement(init), sorted(members[HAND]))
    to_room = {ball: atom[2] for ball, atom in sorted(goal.balls.items()) if atom[0] == AT}
    for room in sorted(set(run.lying.values())):
        away = [ball for ball, to in to_room.items() if run.lying[ball] == room != to]
        for start in range(0, len(away), len(run.hands)):
            run.bring({ball: to_room[ball] for ball in away[start : start + len(run.hands)]}, room)
    for ball, atom in sorted(goal.balls.items()):
        if atom[0] == CARRY:
            run.go(run.lying[ball])
            run.steps.append((PICK, (ball, run.robot, atom[2])))
    if goal.robot is not None:
        run.go(goal.robot[1])
    return run.steps


class _Run:
    """Where the robot and the balls are after some steps; at first, all balls have been put down."""

    def __init__(self, now: Placement, hands: Sequence[str]):
        self.hands = hands
        self.robot = now.robot[1] if now.robot else ""
        self.lying = {ball: atom[2] if atom[0] == AT else self.robot for ball, atom in now.balls.items()}
        carried = sorted(atom for atom in now.balls.values() if atom[0] == CARRY)
        self.steps: list[Step] = [(DROP, (ball, self.robot, hand)) for _, ball, hand in carried]

    def go(self, room: str) -> None:
        """Move to a room, if the robot is not there."""
        if room != self.robot:
            self.steps.append((MOVE, (self.robot, room)))
            self.robot = room

    def bring(self, balls: dict[str, str], room: str) -> None:
        """Carry balls from a room to theirs, no more of them than there are grippers."""
        self.go(room)
        load = list(zip(balls, self.hands, strict=False))
        self.steps += [(PICK, (ball, room, hand)) for ball, hand in load]
        for ball, hand in sorted(load, key=lambda held: (balls[held[0]], held)):
            self.go(balls[ball])
            self.steps.append((DROP, (ball, self.robot, hand)))
            self.lying[ball] = self.robot


_Plans = Callable[[frozenset[GroundAtom], frozenset[GroundAtom], Members], list[Step]]
_PLANNERS: Mapping[tuple[Rule, ...], _Plans] = MappingProxyType(
    {BLOCKS.rules: rebuild, GRIPPER.rules: deliver}
)


def plan_by_rules(problem: Problem) -> PlanResult | None:
    """A plan, or that there is none; None if no rules apply, or the goal is no conjunction of atoms."""
    started = perf_counter()
    try:
        goal = read_goal(problem)
    except NotLiterals:
        return None
    if goal.impossible:
        return _refuted(goal.impossible, started)
    known = recognise(problem, goal)
    if known is None:
        return None
    try:
        steps = _PLANNERS[known.oracle.rules](known.init, known.wanted, known.members)
    except Impossible as error:
        return _refuted(str(error), started)
    plan = tuple(known.cast.operator(rule, *arguments) for rule, arguments in steps)
    return PlanResult(PlanOutcome.SOLVED, plan, perf_counter() - started, "")


def _refuted(part: str, started: float) -> PlanResult:
    reason = f"no reachable state satisfies {part}"
    return PlanResult(PlanOutcome.UNSOLVABLE_PROVED, None, perf_counter() - started, reason)
