"""The evaluation of a candidate on several tasks, one after another, up to the first that it does not solve.

That one decides what the next candidate should bring: edits of the domain; or edits or a better problem, if
the fault may lie in the problem; or, if all its problems are solved, the problem of the next task.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from agents.proposal import Proposal
from agents.refine import Wanted
from ew.counterexample.disagreement import Disagreement
from ew.counterexample.doubting import fact_doubts, may_be_initial
from ew.counterexample.doubts import Doubt
from ew.counterexample.feedback import Explained, Faults, NoInitialAction, Repeated
from ew.counterexample.shrink import Shrunk
from ew.score.rating import Outcome
from experiments.evaluation.evaluate import CandidateEvaluation, Evaluator, TaskFinding
from experiments.evaluation.judge import Judge


@dataclass(frozen=True)
class TasksEvaluator:
    """Evaluates proposals that hold a problem for each of the first of `tasks`. Picklable."""

    env: str
    tasks: tuple[int | str, ...]
    seed: int
    judge: Judge
    tells_plans: bool = True  #: whether feedback says how a plan failed, or only that it did
    corrects_problems: bool = True  #: whether a problem may be found at fault

    def __call__(self, proposal: Proposal) -> CandidateEvaluation:
        """The evaluation of `proposal`. Raises MachineFault, PlannerMissing; never for the model's faults."""
        started = time.perf_counter()
        number, found, queries = self._first_unsolved(proposal)
        rating, score = replace(found.rating, tasks=number), replace(found.score, world_queries=queries)
        return CandidateEvaluation.of(
            replace(found, rating=rating, score=score),
            str(self.tasks[number]),
            time.perf_counter() - started,
            wanted=self._wanted(number, found, proposal),
            doubts=self._doubts(number, found),
        )

    def _first_unsolved(self, proposal: Proposal) -> tuple[int, TaskFinding, int]:
        """The index of that task, or of the last with a problem; what was found in it; all queries."""
        queries = 0
        for number, problem in enumerate(proposal.problems or (None,)):
            evaluator = Evaluator(self.env, self.tasks[number], self.seed, self.judge, self.tells_plans)
            found = evaluator.find(replace(proposal, problem=problem))
            queries += found.score.world_queries
            if found.rating.outcome is not Outcome.SOLVED:
                break
        return number, found, queries

    def _doubts(self, number: int, found: TaskFinding) -> tuple[Doubt, ...]:
        """Doubts about the text of a task, where the domain solved the tasks before it."""
        explained = found.failure.failure if isinstance(found.failure, Repeated) else found.failure
        if not number or not isinstance(explained, Explained):
            return ()
        return fact_doubts(str(self.tasks[number]), explained.causes)

    def _wanted(self, number: int, found: TaskFinding, proposal: Proposal) -> Wanted:
        if found.rating.outcome is Outcome.SOLVED:
            return Wanted.TASK if number + 1 < len(self.tasks) else Wanted.DOMAIN
        # A domain that works in the tasks before is no more suspect than the problem of this one.
        suspect = number > 0 or _may_be_the_problem(found)
        return Wanted.EITHER if self.corrects_problems and suspect else Wanted.DOMAIN


def _may_be_the_problem(found: TaskFinding) -> bool:
    """Whether the problem may be at fault: its goal if a plan fails, its initial state if no action has had
    a say in what the step that parts depends on, or if facts of it explain what was seen.

    A domain that was walked through without a difference up to its plan has little left that is wrong.
    """
    failure = found.failure.failure if isinstance(found.failure, Repeated) else found.failure
    match failure:
        case NoInitialAction():
            return True
        case Faults(diagnosis):
            return any(issue.source == "problem" for issue in diagnosis.errors)
        case Explained(shrunk, _, _, causes):
            parting, suspected = shrunk.disagreement, causes.suspects_facts
        case Shrunk(parting):
            suspected = False
        case Disagreement():
            parting, suspected = failure, False
        case _:
            return found.plan is not None
    if suspected or found.plan is not None or found.read is None:
        return suspected or found.plan is not None
    return may_be_initial(found.read, parting)
