"""Blocksworld: what is in the way is put on the table, then towers are built from below.

A block stays if it may be where it is and all blocks below it stay. All other blocks come onto the table, top
first, and from there to their places; the block to be held is picked up last. So no block is moved more than
twice. Source: the first of the two near-optimal strategies of Gupta and Nau 1992.
"""

from __future__ import annotations

from collections.abc import Iterator

from envs.pddl.equivalence.known_domains.blocks import BLOCK, HOLDING, ON, TABLE, Layout
from envs.pddl.equivalence.known_domains.patterns import Members
from envs.pddl.language.structure import GroundAtom

PICK_UP, PUT_DOWN, STACK, UNSTACK = range(4)  # the order of the rules
_Step = tuple[int, tuple[str, ...]]


def rebuild(init: frozenset[GroundAtom], wanted: frozenset[GroundAtom], members: Members) -> list[_Step]:
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
