"""Pairs without repetitions, parted into train and test.

Candidates are taken in their order. A pair that is equivalent to an earlier one is left out. A family goes
into one split as a whole, chosen by its certificate alone, so that a family of the test split is in no
training split of any seed; and the test split holds one pair of a family, so that no two of its pairs are
equivalent in either mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256

from envs.planetarium.drawing import Candidate
from envs.planetarium.pairs import Pair

#: Of a hundred families, so many are for testing. Source: Zuo et al. 2024, section 5.
TEST_PERCENT = 20


class Split(StrEnum):
    """What a pair is for."""

    TRAIN = "train"
    TEST = "test"


class Collection:
    """What was taken so far: certificates, not pairs, so that any number can be told apart."""

    def __init__(self, wanted: Mapping[Split, int]):
        """`wanted`: how many pairs each split is to have."""
        self._left = {split: wanted.get(split, 0) for split in Split}
        self._families: set[bytes] = set()
        self._seen: set[bytes] = set()

    @property
    def whole(self) -> bool:
        """Whether every split has as many pairs as are wanted."""
        return not any(self._left.values())

    def take(self, candidate: Candidate) -> Split | None:
        """The split that the pair goes into; None if it repeats an earlier one or its split is whole."""
        split = split_of(candidate.family)
        key, family = _key_of(candidate.pair), bytes.fromhex(candidate.family)
        if not self._left[split] or key in self._seen:
            return None
        if split is Split.TEST and family in self._families:
            return None
        self._seen.add(key)
        if split is Split.TEST:
            self._families.add(family)
        self._left[split] -= 1
        return split


def split_of(family: str) -> Split:
    """The split of a family."""
    return Split.TEST if int(family[:8], 16) % 100 < TEST_PERCENT else Split.TRAIN


def _key_of(pair: Pair) -> bytes:
    """What two pairs share that repeat each other: the same problem, told at the same level."""
    return sha256(f"{pair.level} {pair.certificate}".encode()).digest()
