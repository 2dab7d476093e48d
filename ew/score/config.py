"""How an EW score is taken: estimator, number of walks, lengths. The form of a disagreement in feedback."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ew.score.registry import ESTIMATORS, PUBLISHED

#: The names of `ESTIMATORS`; a flag of this type offers them all.
if TYPE_CHECKING:
    from ew.score.estimators import Estimator

    EstimatorName = str
else:
    EstimatorName = Literal[tuple(ESTIMATORS)]
#: A disagreement in words: as it was found, or at its shortest with the evidence for its causes.
FeedbackForm = Literal["paper", "shortest"]


@dataclass(frozen=True)
class EWConfig:
    """How many walks of which lengths."""

    walks: int = 100  #: in total; at least `least_walks`
    t_max: int = 10  #: the longest walk of the score
    longest: int = 160  #: the longest walk tried when a disagreement is looked for
    estimator: EstimatorName = PUBLISHED  #: a name in `ESTIMATORS`
    max_world_steps: int | None = None  #: steps that a world's simulator may make for a score; None is no cap

    def __post_init__(self) -> None:
        if self.estimator not in ESTIMATORS:
            raise ValueError(f"unknown estimator {self.estimator!r}; there is: {', '.join(ESTIMATORS)}")
        if self.t_max < 1 or self.walks < self.least_walks or self.longest < self.t_max:
            raise ValueError(
                f"walks={self.walks}, t_max={self.t_max}, longest={self.longest}: the estimator "
                f"{self.estimator!r} needs t_max >= 1, walks >= {self.least_walks} (for `paper`: a walk of "
                "every length 1 … t_max in each direction) and longest >= t_max"
            )

    @property
    def by(self) -> Estimator:
        """The estimator that the name stands for."""
        return ESTIMATORS[self.estimator]

    @property
    def least_walks(self) -> int:
        """The fewest walks that give a score."""
        return self.by.least_walks(self.t_max)

    @property
    def most_queries(self) -> int:
        """World queries of a score if every walk goes to its full length; the look at the start included."""
        return 1 + self.by.most_queries(self.walks, self.t_max)


def affordable(config: EWConfig, queries: int) -> EWConfig | None:
    """`config` with as many of its walks as so many world queries surely pay for; None if too few."""
    least = config.least_walks
    counts = range(least, config.walks + 1)
    paid = bisect_right(counts, queries, key=lambda walks: replace(config, walks=walks).most_queries)
    return replace(config, walks=least + paid - 1) if paid else None
