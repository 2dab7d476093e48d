"""What an episode is given to work with, and what a method is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agents.llm.interface import LanguageModel
from ew.score.config import EstimatorName, FeedbackForm
from experiments.config import SizeFlag
from experiments.evaluation.judge import Judge
from experiments.runs.ledger import Ledger
from experiments.runs.progress import EpisodeProgress
from experiments.runs.records import EpisodeRecord
from experiments.runs.units import Unit
from experiments.spending.bounds import Bound
from search.executors import Executor


@dataclass(frozen=True)
class Kit:
    """The tools of an episode. The model is asked from threads of the driver, all else is sent out."""

    model: LanguageModel
    judge: Judge
    executor: Executor
    ledger: Ledger
    progress: EpisodeProgress
    stall_s: float = 60.0  #: after so many seconds without any progress it is said what is being waited for


class Method(Protocol):
    """A way to solve an environment's tasks with a language model."""

    @property
    def np(self) -> int:
        """Problem candidates where no flag says otherwise."""
        ...

    @property
    def nd(self) -> int:
        """Domain candidates a turn where no flag says otherwise."""
        ...

    @property
    def turns(self) -> int:
        """Turns of refinement, or batches, where no flag says otherwise."""
        ...

    @property
    def takes(self) -> frozenset[SizeFlag]:
        """Which of these flags change it; the others are fixed for it, or mean nothing in it."""
        ...

    @property
    def estimator(self) -> EstimatorName:
        """How EW is estimated where no flag says otherwise."""
        ...

    @property
    def feedback(self) -> FeedbackForm:
        """How disagreements are told where no flag says otherwise; see `methods.TOLD_AS_PUBLISHED`."""
        ...

    @property
    def feedback_tasks(self) -> int:
        """How many tasks of the feedback pool it refines on."""
        ...

    def candidates(self, unit: Unit) -> int:
        """At most how many candidates an episode evaluates; 0 if it makes no model."""
        ...

    def repair_queries(self, unit: Unit) -> int:
        """World queries of one repair between its candidates, at most; 0 if it makes none."""
        ...

    def bound(self, unit: Unit, longest: int) -> Bound:
        """The most that an episode asks for, with answers of up to `longest` tokens (see `bounds.py`)."""
        ...

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Do the episode: what the ledger already knows is not done again, what is new is written there.

        Raises LLMError, WorkerError, ExecutorUnavailable, BudgetReached: what is nobody's score.
        """
        ...
