"""Bounds of a mean that hold at every number of walks at once, so one may look after each walk and stop.

For independent values x_1, x_2, … in [0, 1] of mean μ and a number m, the hypothesis "μ >= m" is bet against:
the capital is multiplied by 1 + λ_i (m - x_i) at each value, where λ_i >= 0 is chosen from the values before
i. If the hypothesis is true no bet gains on average, so the capital is a nonnegative supermartingale that
starts at 1, and by Ville's inequality it ever exceeds 1/α with probability at most α. The upper bound is the
smallest m of a grid such that it and every greater m of the grid have been rejected at some time: it ever
falls below μ only if the one test at the greatest grid number <= μ rejects, so with probability at most α,
whatever the distribution and whenever one stops. The lower bound is the upper bound of 1 - x.

The bets: λ_i = √(2 ln(1/α) / (v_i · i · ln(1 + i))) with v_i the variance of the values so far (one value of
1/2 at distance 1/2 put in first), and at most 3/4 of what would put all capital at stake.

Source: Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_GRID = np.linspace(0.0, 1.0, 401)
_AT_STAKE = 0.75


def upper_bound(values: NDArray[np.float64], alpha: float) -> float:
    """Above the mean with probability >= 1 - alpha, for all lengths of `values` at once. 1 without values."""
    if not len(values):
        return 1.0
    bets = _bets(values, alpha)[:, None]
    with np.errstate(divide="ignore"):
        bets = np.minimum(bets, _AT_STAKE / (1 - _GRID)[None])
    capital = np.cumsum(np.log1p(bets * (_GRID[None] - values[:, None])), axis=0).max(axis=0)
    kept = np.flatnonzero(capital < math.log(1 / alpha))
    last = int(kept[-1]) if len(kept) else -1
    return float(_GRID[min(last + 1, len(_GRID) - 1)])


def lower_bound(values: NDArray[np.float64], alpha: float) -> float:
    """Below the mean with probability >= 1 - alpha, for all lengths of `values` at once. 0 without values."""
    return 1.0 - upper_bound(1.0 - values, alpha)


def _bets(values: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """λ_1, λ_2, …, each from the values before its own."""
    number = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (number + 1)
    variances = (0.25 + np.cumsum((values - means) ** 2)) / (number + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    bets: NDArray[np.float64] = np.sqrt(2 * math.log(1 / alpha) / (before * number * np.log1p(number)))
    return bets
