"""Means and 95 % intervals: Wilson's for rates, a seeded bootstrap for all else; what pairs tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ew.score.shown import shown

#: Two-sided 95 % quantile of the normal distribution.
_Z = 1.959963984540054
_RESAMPLES = 2000
_SEED = 20240725
#: Up to so many pairs, every way of flipping their signs is tried; beyond, as many are drawn.
_EXACT_PAIRS = 14


@dataclass(frozen=True)
class Estimate:
    """A mean of `n` values with its 95 % interval; all None if there is nothing to average."""

    n: int
    mean: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.mean is None:
            return "–"
        if self.low is None or self.high is None:
            return f"{self.mean:.2f}"
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"

    def cut(self, *, signed: bool = False) -> str:
        """As text where it is an EW score, or a difference of such: see `ew.score.shown`."""
        mean, low, high = (shown(value, signed=signed) for value in (self.mean, self.low, self.high))
        return mean if self.low is None or self.high is None else f"{mean} [{low}, {high}]"


def rate(successes: int, n: int) -> Estimate:
    """A share with Wilson's score interval, which keeps its coverage at 0 and 1 and for few trials.

    Raises ValueError unless 0 <= successes <= n. Source: Wilson 1927.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} trials")
    if n == 0:
        return Estimate(0, None)
    share, z2 = successes / n, _Z * _Z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Estimate(n, share, low, high)


def mean(values: Sequence[float]) -> Estimate:
    """The mean with a percentile bootstrap interval, which holds the mean; none for fewer than two values.

    The resampling is seeded, so equal values give equal intervals in every process.
    """
    n = len(values)
    if n == 0:
        return Estimate(0, None)
    average = math.fsum(values) / n
    if n == 1:
        return Estimate(1, average)
    sample = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(_SEED).random((_RESAMPLES, n))
    means = np.sort(sample[(draws * n).astype(np.int64)].mean(axis=1))
    cut = round(0.025 * _RESAMPLES)
    low, high = float(means[cut]), float(means[_RESAMPLES - 1 - cut])
    # the exact sum above and numpy's differ by a rounding; so may the mean and an end of its interval
    return Estimate(n, average, min(low, average), max(high, average))


def sign_flips(differences: Sequence[float]) -> float | None:
    """How often flipped signs alone would give a mean at least as far from 0: a two-sided p-value.

    Exact for few pairs, a seeded sample for many; pairs without a difference say nothing. None without pairs.
    With n pairs it is at least 2 / 2**n, so a handful of environments never looks like proof.
    Source: Fisher 1935, the randomisation test for pairs.
    """
    if not differences:
        return None
    sizes = np.abs(np.asarray([d for d in differences if d != 0], dtype=np.float64))
    exact = len(sizes) <= _EXACT_PAIRS
    if exact:
        up = (np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1) == 1
    else:
        up = np.random.default_rng(_SEED).random((2**_EXACT_PAIRS, len(sizes))) < 0.5
    far = abs(math.fsum(differences)) * (1 - 1e-12)  # sums in another order must not miss it by a rounding
    as_far = int(np.count_nonzero(np.abs(np.where(up, 1.0, -1.0) @ sizes) >= far))
    return as_far / len(up) if exact else (as_far + 1) / (len(up) + 1)


def standard_error(values: Sequence[float]) -> float | None:
    """The standard error of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    return float(np.std(np.asarray(values, dtype=np.float64), ddof=1) / math.sqrt(len(values)))


def rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's rho, in [-1, 1]; equal values share their mean rank. None if one side does not vary.

    Raises ValueError if the lengths differ. Source: Spearman 1904.
    """
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} values cannot be paired with {len(ys)}")
    ranks = [_ranks(np.asarray(values, dtype=np.float64)) for values in (xs, ys)]
    if any(len(r) < 2 or np.ptp(r) == 0 for r in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 0, the mean rank for equal values."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: NDArray[np.float64] = np.cumsum(counts) - (counts + 1) / 2
    ranks: NDArray[np.float64] = means[inverse]
    return ranks
