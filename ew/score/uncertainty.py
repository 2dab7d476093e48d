"""Standard error and 95 % interval of the harmonic mean of two estimated shares.

Delta method: with F and B the two shares, H = 2FB / (F + B) has the gradient 2 (B / (F+B))², 2 (F / (F+B))²,
and H's variance is the gradient's quadratic form with the covariance of the two estimates (which is 0 where
the directions are walked apart, and is not where one joint walk serves both).

No certainty from few walks: the plug-in variance of walks that all agree is 0. So a spread is taken at a
posterior: shares of walks that run (`paper`) at their Jeffreys posterior mean, by length; values in [0, 1]
(`prefix`, `survival`) after one more walk is put in, half of it with value 0 and half with value 1, which for
values of 0 and 1 is the same thing. The gradient is taken there too, where it exists even if a share is 0.
The score itself is never smoothed.

Interval: normal around the smoothed harmonic mean on the scale of arcsin √H, on which the error of a share
hardly depends on the share, so it lies within [0, 1] and is wider on the side where there is room; a side is
closed at 0 or 1 if the score itself is there. Its coverage is tested, not derived: where few walks in many
decide the score, it covers somewhat less often (91 % with 24 walks, see the tests).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

_Z95 = 1.959963984540054


@dataclass(frozen=True)
class Spread:
    """Two estimated shares, smoothed so that both lie strictly within (0, 1), and their covariance."""

    forward: float
    backward: float
    forward_variance: float
    backward_variance: float
    covariance: float = 0.0


def harmonic_mean(a: float, b: float) -> float:
    """The harmonic mean of two shares, never outside them; 0 if one of them is 0."""
    if a <= 0 or b <= 0:
        return 0.0
    # of 0.1 and 0.1 the quotient alone is a little more than 0.1
    return min(max(2 * a * b / (a + b), min(a, b)), max(a, b))


def standard_error(spread: Spread) -> float:
    """Standard error of the harmonic mean, by the delta method."""
    f, b = spread.forward, spread.backward
    slope_f, slope_b = 2 * (b / (f + b)) ** 2, 2 * (f / (f + b)) ** 2
    variance = (
        slope_f**2 * spread.forward_variance
        + slope_b**2 * spread.backward_variance
        + 2 * slope_f * slope_b * spread.covariance
    )
    return float(np.sqrt(variance))


def interval(score: float, spread: Spread) -> tuple[float, float]:
    """The 95 % interval of the harmonic mean, within [0, 1]."""
    centre = harmonic_mean(spread.forward, spread.backward)
    width = _Z95 * standard_error(spread) / (2 * math.sqrt(centre * (1 - centre)))
    angle = math.asin(math.sqrt(centre))
    low, high = (math.sin(max(0.0, min(math.pi / 2, angle + d))) ** 2 for d in (-width, width))
    return (0.0 if score == 0 else min(low, score), 1.0 if score == 1 else max(high, score))


def spread_apart(forward: NDArray[np.float64], backward: NDArray[np.float64]) -> Spread:
    """The spread of two independent samples of values in [0, 1], one value a walk."""
    f, b = _smoothed(forward), _smoothed(backward)
    return Spread(f[0], b[0], f[1] / len(forward), b[1] / len(backward))


def spread_joint(forward: NDArray[np.float64], backward: NDArray[np.float64]) -> Spread:
    """The spread of one sample of pairs of values in [0, 1], one pair a walk."""
    count = len(forward)
    f, b = _smoothed(forward), _smoothed(backward)
    product = (float(forward @ backward) + 0.5) / (count + 1)
    return Spread(f[0], b[0], f[1] / count, b[1] / count, (product - f[0] * b[0]) / count)


def mean_spread(spreads: Sequence[Spread | None]) -> Spread | None:
    """The spread of the means over independent tasks; None stands for a task whose shares are 0 for certain.

    None if all are.
    """
    there = [spread for spread in spreads if spread is not None]
    if not there:
        return None
    n = len(spreads)
    forward, backward, *variances = map(math.fsum, zip(*map(astuple, there), strict=True))
    return Spread(forward / n, backward / n, *(variance / n**2 for variance in variances))


def _smoothed(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and variance of a value, with half a walk of 0 and half a walk of 1 put in."""
    mean = (float(values.sum()) + 0.5) / (len(values) + 1)
    square = (float(values @ values) + 0.5) / (len(values) + 1)
    return mean, square - mean**2
