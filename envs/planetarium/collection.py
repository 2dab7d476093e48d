"""Pairs without repetitions, parted into train and test.

Candidates are taken in their order. A pair that is equivalent to an earlier one is left out. A family goes
into one split as a whole, chosen by its digest alone, so that a family of the test split is in no
training split of any seed; and the test split holds one pair of a family, so that no two of its pairs are
equivalent in either mode.

With layouts held out, the test split has every pair with one of these layouts on that side, and the training
split all others. What is drawn as one layout may by chance be another, so a family that one split has is
refused by the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from envs.planetarium.drawing import PairCandidate
from envs.planetarium.pairs import Pair, Split

#: Of a hundred families, so many are for testing. Source: Zuo et al. 2024, section 5.
TEST_PERCENT = 20
#: The goals, and initial layouts, that the published comparison keeps out of training, in our names of them.
#: Source: Zuo et al. 2024, Figure 5.
HELD_OUT = ("goal:invert", "goal:to_max", "goal:to_min", "init:one_room", "init:evenly")


class Collection:
    """The pairs taken so far, as digests only, so that memory does not limit their number."""

    def __init__(self, wanted: Mapping[Split, int], held_out: Iterable[str] = ()):
        """`wanted`: how many pairs each split is to have; `held_out`: layouts for testing, `goal:invert`."""
        self._left = {split: wanted.get(split, 0) for split in Split}
        self._held_out = frozenset(held_out)
        self._families: dict[Split, set[bytes]] = {split: set() for split in Split}
        self._seen: set[bytes] = set()

    @property
    def whole(self) -> bool:
        """Whether every split has as many pairs as are wanted."""
        return not any(self._left.values())

    def take(self, candidate: PairCandidate) -> Split | None:
        """The split that the pair goes into; None if it repeats an earlier one or its split is whole."""
        split = self._split_of(candidate)
        key, family = _key_of(candidate.pair), bytes.fromhex(candidate.family)
        if not self._left[split] or key in self._seen:
            return None
        if family in self._families[Split.TEST]:  # of the test split itself, or of a layout that is held out
            return None
        if split is Split.TEST and family in self._families[Split.TRAIN]:
            return None
        self._seen.add(key)
        if split is Split.TEST or self._held_out:
            self._families[split].add(family)
        self._left[split] -= 1
        return split

    def _split_of(self, candidate: PairCandidate) -> Split:
        if not self._held_out:
            return split_of(candidate.family)
        pair = candidate.pair
        layouts = {f"init:{pair.init_layout}", f"goal:{pair.goal_layout}"}
        return Split.TEST if layouts & self._held_out else Split.TRAIN


def split_of(family: str) -> Split:
    """The split of a family."""
    return Split.TEST if int(family[:8], 16) % 100 < TEST_PERCENT else Split.TRAIN


def _key_of(pair: Pair) -> bytes:
    """What two pairs share that repeat each other: the same problem, stated at the same level."""
    return sha256(f"{pair.level} {pair.certificate}".encode()).digest()
