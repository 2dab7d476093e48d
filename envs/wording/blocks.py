"""Facts of one predicate as few blocks: each says the product of the objects in its slots.

`at(ball1, room2)` and `at(ball2, room2)` are one block, ({ball1, ball2}, {room2}). A block says exactly the
atoms of its product, so blocks that cover the facts without overlap lose nothing and add nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from envs.pddl.language.structure import GroundAtom

Row = tuple[tuple[str, ...], ...]
#: More slots than this are not tried in every order.
_MAX_PERMUTED = 3


@dataclass(frozen=True)
class Block:
    """All atoms of a predicate with one of `slots[i]` as argument i. Names in the order of the objects."""

    predicate: str
    slots: tuple[tuple[str, ...], ...]

    @property
    def atoms(self) -> Iterator[GroundAtom]:
        """What the block says, spelled out."""
        return ((self.predicate, *arguments) for arguments in product(*self.slots))


def cover(atoms: Sequence[GroundAtom], mergeable: Sequence[int], order: Mapping[str, int]) -> list[Block]:
    """The atoms of one predicate in few blocks, which do not overlap.

    Only the slots in `mergeable` may hold several objects; `order` gives each object's place. Of the orders
    in which slots can be merged the first that gives the fewest blocks is taken.
    """
    if not atoms:
        return []
    orders = permutations(mergeable) if len(mergeable) <= _MAX_PERMUTED else [tuple(mergeable)]
    return min((_merged(atoms, slots, order) for slots in orders), key=len)


def _merged(atoms: Sequence[GroundAtom], slots: Sequence[int], order: Mapping[str, int]) -> list[Block]:
    rows: list[Row] = [tuple((name,) for name in atom[1:]) for atom in atoms]
    for slot in slots:
        groups: dict[Row, list[str]] = {}
        for row in rows:
            groups.setdefault((*row[:slot], (), *row[slot + 1 :]), []).extend(row[slot])
        rows = [
            (*key[:slot], tuple(sorted(names, key=order.__getitem__)), *key[slot + 1 :])
            for key, names in groups.items()
        ]
    return [Block(atoms[0][0], row) for row in rows]
