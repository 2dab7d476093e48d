"""Seeds and random streams from names, equal in every process and unlike those of any other names."""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *names: object) -> np.random.Generator:
    """A generator of its own for `names` in the run with `seed`."""
    return np.random.default_rng(np.random.SeedSequence([seed, *_words(names)]))


def derived_seed(seed: int, *names: object) -> int:
    """A 31-bit seed of its own for `names` in the run with `seed`."""
    return _words((seed, *names))[0] >> 1


def _words(names: tuple[object, ...]) -> list[int]:
    """The SHA-256 of the names as eight 32-bit numbers."""
    digest = hashlib.sha256("\0".join(map(str, names)).encode("utf-8")).digest()
    return [int.from_bytes(digest[i : i + 4], "big") for i in range(0, len(digest), 4)]
