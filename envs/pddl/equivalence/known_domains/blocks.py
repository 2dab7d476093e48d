"""What goals imply in Blocksworld, exactly.

Every block has one thing below it (a block, the table, or the hand around it) and one above (a block,
nothing, or the hand); the hand holds at most one block; towers have no cycle. From any such state every
other can be reached, by putting all blocks on the table first. So a goal's implications can be read off what
it leaves open. Blocks that it leaves open above and below, with the hand open too, may be held. A block that
is open below may stand on any that is open above, unless that is the top of its own tower.

Source: the rules of Zuo et al. 2024, appendix C; they are complete for goals without negations.
"""

from __future__ import annotations

from envs.pddl.equivalence.known_domains.patterns import Impossible, Members, Oracle, Rule, claim, together
from envs.pddl.language.structure import GroundAtom

ON, TABLE, CLEAR, EMPTY, HOLDING = "on", "table", "clear", "empty", "holding"
BLOCK = "block"


RULES = (
    Rule.of((BLOCK,), "clear 0, table 0, empty", "holding 0", "clear 0, table 0, empty"),
    Rule.of((BLOCK,), "holding 0", "clear 0, table 0, empty", "holding 0"),
    Rule.of((BLOCK, BLOCK), "holding 0, clear 1", "on 0 1, clear 0, empty", "holding 0, clear 1"),
    Rule.of((BLOCK, BLOCK), "on 0 1, clear 0, empty", "holding 0, clear 1", "on 0 1, clear 0, empty"),
)


class Layout:
    """What some atoms say of blocks. Raises Impossible if no state satisfies all of them."""

    def __init__(self, atoms: frozenset[GroundAtom]):
        self.below: dict[str, GroundAtom] = {}  #: block → the atom that says what is below it
        self.above: dict[str, GroundAtom] = {}
        self.hand: GroundAtom | None = None  #: the atom that says what the hand holds
        for atom in sorted(atoms):
            self._note(atom)
        self._refuse_cycles()

    def _note(self, atom: GroundAtom) -> None:
        name, *blocks = atom
        if name in (ON, TABLE, HOLDING):
            claim(self.below, blocks[0], atom)
        if name in (CLEAR, HOLDING):
            claim(self.above, blocks[0], atom)
        if name == ON:
            claim(self.above, blocks[1], atom)
        if name in (EMPTY, HOLDING):
            if self.hand is not None:
                raise Impossible(together(self.hand, atom))
            self.hand = atom

    def _refuse_cycles(self) -> None:
        settled: set[str] = set()
        for start in self.below:
            path: dict[str, GroundAtom] = {}
            block = start
            while block not in settled and self.below.get(block, (TABLE,))[0] == ON:
                if block in path:
                    raise Impossible(together(*list(path.values())[list(path).index(block) :]))
                path[block] = self.below[block]
                block = path[block][2]
            settled.update(path)

    def top_of(self, bottom: str) -> str:
        """The topmost block of the tower that stands on a block, as far as it is told."""
        while self.above.get(bottom, (CLEAR,))[0] == ON:
            bottom = self.above[bottom][1]
        return bottom


def is_whole(atoms: frozenset[GroundAtom], members: Members) -> bool:
    """Whether everything is said of all blocks and the hand. Raises Impossible."""
    layout = Layout(atoms)
    return layout.hand is not None and layout.below.keys() == layout.above.keys() == members[BLOCK]


def implied(atoms: frozenset[GroundAtom], members: Members) -> frozenset[GroundAtom]:
    """The atoms and all others that hold whenever they do. Raises Impossible."""
    layout = Layout(atoms)
    open_below = [b for b in sorted(members[BLOCK]) if b not in layout.below]
    open_above = {b for b in members[BLOCK] if b not in layout.above}
    holdable = open_above.intersection(open_below) if layout.hand is None else set()
    found = set(atoms)
    if layout.hand is None and not holdable:
        found.add((EMPTY,))
    own_top = {bottom: layout.top_of(bottom) for bottom in open_below}
    found |= {(TABLE, b) for b in open_below if b not in holdable and open_above <= {own_top[b]}}
    # A top is covered by another tower, unless all that is open below is the bottom of its own.
    for top in open_above - holdable:
        if all(own_top[b] == top for b in open_below[:2]):
            found.add((CLEAR, top))
    return frozenset(found)


_KINDS = {ON: (BLOCK, BLOCK), TABLE: (BLOCK,), CLEAR: (BLOCK,), EMPTY: (), HOLDING: (BLOCK,)}
BLOCKS = Oracle(RULES, _KINDS, is_whole, implied)
