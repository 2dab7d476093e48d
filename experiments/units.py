"""An episode: one environment, method and seed, with everything its results depend on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from ew.config import EstimatorName, FeedbackForm
from experiments.records import content_key


@dataclass(frozen=True)
class Unit:
    """One episode: everything its results depend on, and nothing else."""

    env: str
    method: str
    seed: int
    np: int
    nd: int
    turns: int
    tasks: int
    walks: int
    t_max: int
    planner_wall_s: float
    planner_memory_mb: int
    answers: str  #: the recording's name and content, or the model and its server
    estimator: EstimatorName = "paper"
    feedback: FeedbackForm = "paper"

    @property
    def key(self) -> str:
        """Content hash (hexadecimal SHA-256)."""
        return content_key(asdict(self))

    @property
    def name(self) -> str:
        """For people and file names: `grippers-tree-0`."""
        return f"{Path(self.env).name}-{self.method}-{self.seed}"
