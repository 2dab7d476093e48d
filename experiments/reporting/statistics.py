"""Means, 95 % intervals, tests and correlations: by scipy (imported when used), but for the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ew.score.shown import shown

_RESAMPLES = 2000
_SEED = 20240725
#: Up to so many pairs every combination of signs is tried; beyond, as many are drawn.
_EXACT_PAIRS = 14


@dataclass(frozen=True)
class Estimate:
    """A mean of `n` values with its 95 % interval; all None if there is nothing to average."""

    n: int
    mean: float | None
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval, or twice the mean; zeros if there is nothing to average."""
        mean = self.mean or 0.0
        return (mean, mean) if self.low is None or self.high is None else (self.low, self.high)

    def __str__(self) -> str:
        return self._text(lambda value: f"{value:.2f}")

    def signed(self) -> str:
        """As text where it is a difference."""
        return self._text(lambda value: f"{value:+.2f}")

    def cut(self, *, signed: bool = False) -> str:
        """As text where it is an EW score, or a difference of such: see `ew.score.shown`."""
        return self._text(lambda value: shown(value, signed=signed))

    def _text(self, write: Callable[[float], str]) -> str:
        if self.mean is None:
            return "–"
        if self.low is None or self.high is None:
            return write(self.mean)
        return f"{write(self.mean)} [{write(self.low)}, {write(self.high)}]"


def rate(successes: int, n: int) -> Estimate:
    """A share with Wilson's score interval, which keeps its coverage at 0 and 1 and for few trials.

    Raises ValueError unless 0 <= successes <= n. Source: Wilson 1927.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} trials")
    if n == 0:
        return Estimate(0, None)
    from scipy.stats import binomtest

    low, high = binomtest(successes, n).proportion_ci(method="wilson")
    return Estimate(n, successes / n, float(low), float(high))


def share(counted: Iterable[object]) -> Estimate:
    """The share of true values, with Wilson's interval."""
    values = [bool(value) for value in counted]
    return rate(sum(values), len(values))


def mean(values: Iterable[float]) -> Estimate:
    """The mean with a percentile bootstrap interval, which holds the mean; none for fewer than two values.

    The resampling is seeded, so equal values give equal intervals in every process. It is not that of
    `scipy.stats.bootstrap`, whose draws are others: its ends differ from those of earlier runs by up to 0.02.
    """
    sample = np.asarray(list(values), dtype=np.float64)
    if not len(sample):
        return Estimate(0, None)
    average = math.fsum(sample) / len(sample)
    if len(sample) == 1:
        return Estimate(1, average)
    draws = np.random.default_rng(_SEED).random((_RESAMPLES, len(sample)))
    means = np.sort(sample[(draws * len(sample)).astype(np.int64)].mean(axis=1))
    cut = round(0.025 * _RESAMPLES)
    low, high = float(means[cut]), float(means[-1 - cut])
    # the exact sum above and numpy's differ by a rounding; so may the mean and an end of its interval
    return Estimate(len(sample), average, min(low, average), max(high, average))


def sign_flips(differences: Sequence[float]) -> float | None:
    """How often flipped signs alone would give a mean at least as far from 0: a two-sided p-value.

    Exact for few pairs, a seeded sample for many; None without pairs. With n pairs it is at least 2 / 2**n,
    so a handful of environments never looks like proof. Source: Fisher 1935, randomisation test for pairs.
    """
    unequal = [difference for difference in differences if difference]
    if len(unequal) < 2:
        return 1.0 if differences else None
    from scipy.stats import permutation_test

    def total(values: NDArray[np.float64], axis: int) -> Any:
        # sums in another order must not miss a tie by a rounding
        return np.round(np.sum(values, axis=axis), 9)

    found = permutation_test(
        (unequal,), total, permutation_type="samples", n_resamples=2**_EXACT_PAIRS, rng=_SEED
    )
    return float(found.pvalue)


def standard_error(values: Sequence[float]) -> float | None:
    """The standard error of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    from scipy.stats import sem

    return float(sem(values))


def rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's rho, in [-1, 1]; equal values share their mean rank. None if one side does not vary.

    Raises ValueError if the lengths differ. Source: Spearman 1904.
    """
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} values cannot be paired with {len(ys)}")
    if len({*xs}) < 2 or len({*ys}) < 2:
        return None
    from scipy.stats import spearmanr

    return float(spearmanr(xs, ys).statistic)
