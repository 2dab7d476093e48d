"""What an episode is given to work with, and what a method is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agents.llm.interface import LanguageModel
from ew.score.config import EstimatorName, FeedbackForm
from experiments.config import SizeFlag
from experiments.evaluation.judge import Judge
from experiments.runs.ledger import Ledger
from experiments.runs.progress import EpisodeProgress
from experiments.runs.records import EpisodeRecord
from experiments.runs.units import Unit
from experiments.spending.caps import Bound
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


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A way to solve an environment's tasks: `bound` and `run`, and of the rest what is otherwise for it.

    The defaults are those of a method that makes no model and asks for one answer a task. Settings are
    fields; what no instance can have otherwise is a class variable.
    """

    np: int = 1  #: problem candidates where no flag says otherwise
    nd: int = 1  #: domain candidates a turn where no flag says otherwise
    turns: int = 4  #: of refinement, or batches, where no flag says otherwise; recordings name it for all
    takes: frozenset[SizeFlag] = frozenset()  #: which of these flags change it; the others are fixed
    estimator: EstimatorName = "paper"  #: of EW, where no flag says otherwise
    feedback: FeedbackForm = "shortest"  #: the form of disagreements, where no flag says otherwise
    looks_further: bool = False  #: at a model whose EW is 1, see `ew.probes.further`
    feedback_tasks: int = 1  #: tasks of the feedback pool that it refines on
    #: another method whose recordings answer its requests too, as far as both ask the same; empty for none
    answered_by: str = ""

    asks_model: ClassVar[bool] = True  #: whether it needs an endpoint or a recording
    #: whether `feedback` is the published form under the published protocol, where no flag says otherwise
    published_feedback: ClassVar[bool] = False

    def candidates(self, unit: Unit) -> int:
        """At most how many candidates an episode evaluates; 0 if it makes no model."""
        return 0

    def repair_queries(self, unit: Unit) -> int:
        """World queries of one repair between its candidates, at most; 0 if it makes none."""
        return 0

    def can_be_simulated(self) -> bool:
        """Whether it asks for nothing but PDDL, edits and plans, which a simulated language model writes."""
        return True

    def check(self, unit: Unit) -> None:
        """Raises ConfigError if an episode's environment or tasks lack what the method needs of them."""
        return

    def knowledge_key(self, env: str) -> str:
        """A short key of what it is given about an environment beside its texts; empty for nothing.

        Raises ConfigError if that is incomplete or cannot be read.
        """
        return ""

    def knowledge_notes(self, env: str) -> Iterable[str]:
        """Where that comes from, a line each."""
        return ()

    @abstractmethod
    def bound(self, unit: Unit, longest: int) -> Bound:
        """The most that an episode asks for, with answers of `longest` tokens at most; see `bounds`."""

    @abstractmethod
    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Run the episode; work that the ledger holds is skipped, and new work is recorded there.

        Raises LLMError, WorkerError, ExecutorUnavailable, BudgetReached, none of which scores a model.
        """
