"""How an EW score is taken: estimator, number of walks, lengths. How a disagreement is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

#: The names of `ew.score.estimators.ESTIMATORS`.
EstimatorName = Literal["paper", "prefix", "survival"]
#: A disagreement in words: as it was found, or at its shortest with what speaks for a cause.
FeedbackForm = Literal["paper", "shortest"]


@dataclass(frozen=True)
class EWConfig:
    """How many walks of which lengths."""

    walks: int = 100  #: in total; paper and prefix: half in each direction; paper: at least 2 * t_max
    t_max: int = 10  #: the longest walk of the score
    longest: int = 160  #: the longest walk tried when a disagreement is looked for
    estimator: EstimatorName = "paper"

    def __post_init__(self) -> None:
        if self.t_max < 1 or self.walks < self.least_walks or self.longest < self.t_max:
            raise ValueError(
                f"walks={self.walks}, t_max={self.t_max}, longest={self.longest}: the estimator "
                f"{self.estimator!r} needs t_max >= 1, walks >= {self.least_walks} (for `paper`: a walk of "
                "every length 1 … t_max in each direction) and longest >= t_max"
            )

    @property
    def least_walks(self) -> int:
        """The fewest walks that give a score."""
        return 2 * self.t_max if self.estimator == "paper" else 2

    def lengths(self, direction: int) -> NDArray[np.int64]:
        """The wished walk lengths of one direction (0 forward, 1 backward): 1, 2, … t_max, 1, 2, …"""
        return np.arange(self.in_direction(direction)) % self.t_max + 1

    def in_direction(self, direction: int) -> int:
        """Walks of one direction (0 forward, 1 backward), where directions alternate."""
        return (self.walks + 1 - direction) // 2
