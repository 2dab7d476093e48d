"""The goal as evidence: a model that agrees with all walks is asked for a way to the goal, and tries it.

Walks show what can be executed, never what holds; what only the goal reads, they cannot see. The world says
whether its goal holds after a walk. So once walks and model agree, a plan is made in the model and tried in
the world. If the goal holds there in the end, it is settled. If not, or if the model has no plan, models that
differ in effects on what the goal reads are tried in the same way (`agents.repair.goal_edits`), and the first
whose plan the world confirms is taken. Nothing is taken that the world has not confirmed; a world whose goal
never holds leaves the model as it is.

A walk that was made already can refute a model, by one query: the goal holds after it in the model alone. It
never confirms one: on a random walk much has happened, and a plan has what the model needs and nothing else.

That a model has no plan speaks against it only if the task can be solved at all. This is taken for granted:
tasks of worlds can be. What a limit cuts short speaks against nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from agents.repair.candidate import Candidate
from agents.repair.goal_edits import GoalGuesses, Known
from agents.repair.goal_evidence import GoalEvidence
from agents.repair.goal_reach import GoalReach
from agents.repair.lessons import Teacher
from agents.repair.model import Model
from agents.repair.search import Repairs
from envs.pddl.planning.outcomes import PlanOutcome
from envs.pddl.planning.planner import PlanResult

#: The planner has looked everywhere.
_NO_PLAN = (PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.UNSOLVABLE_INCOMPLETE)


class GoalStanding(StrEnum):
    """What became of the goal of the problem that was repaired."""

    REACHED = "reached"  #: after a walk, it holds in the world and in the model
    NOT_REACHED = "not_reached"  #: no model that was tried leads to it, so nothing was edited for its sake
    UNKNOWN = "unknown"  #: a limit was met first, or the planner failed
    NOT_ASKED = "not_asked"  #: walks and model do not agree, or goals were not to be asked for


@dataclass(frozen=True, eq=False)
class GoalFound:
    """What asking for the goal came to."""

    standing: GoalStanding
    candidate: Candidate
    news: bool = False  #: whether what was seen on the way speaks against the model it began with


@dataclass(frozen=True, eq=False)
class GoalSearch:
    """The means of asking. The candidates' states are computed anew when something was seen."""

    model: Model
    teacher: Teacher
    evidence: GoalEvidence
    repairs: Callable[[], Repairs]  #: for all that was seen by now
    plan: Callable[[Candidate], PlanResult]
    explains: Callable[[Candidate], bool]  #: whether a candidate explains all that was seen by now
    refused: Callable[[str], None]  #: is told of an operator that a plan has and the world refuses
    late: Callable[[], bool]
    guesses: int  #: candidates that are looked at for one guess

    def settle(self, best: Candidate, trials: int) -> GoalFound:
        """The goal's standing, and the candidate that is confirmed. Raises BudgetExceeded, TimeUp."""
        planless: list[object] = []
        doubtful = False
        while trials:
            guess, reach = self._guess(best, planless)
            if self.late():
                break
            if guess is None:
                standing = GoalStanding.UNKNOWN if doubtful else GoalStanding.NOT_REACHED
                return GoalFound(standing, best)
            nearest = reach.nearest(guess.edits)
            if nearest is not None and not self.evidence.ask(nearest):
                continue
            result, trials = self.plan(guess), trials - 1
            if result.plan is None:
                if result.outcome not in _NO_PLAN:
                    if guess is best:
                        break
                    doubtful = True
                planless.append(guess.rules)
                continue
            node = self._followed(result.plan)
            if not self.explains(best):
                return GoalFound(GoalStanding.UNKNOWN, best, news=True)
            if node is not None and self.evidence.ask(node):
                return GoalFound(GoalStanding.REACHED, guess)
        return GoalFound(GoalStanding.UNKNOWN, best)

    def _guess(self, best: Candidate, planless: list[object]) -> tuple[Candidate | None, GoalReach]:
        repairs = self.repairs()
        reach = GoalReach(self.model, repairs, self.teacher.own())
        known = Known(self.evidence.verdicts, planless)
        guesses = GoalGuesses(self.model, repairs, reach, known)
        return guesses.first(best, self.guesses, self.late), reach

    def _followed(self, plan: tuple[str, ...]) -> int | None:
        """Where a plan leads in the world; None if the world refuses a step of it."""
        followed = self.evidence.follow(plan)
        if followed.refused:
            self.refused(followed.refused)
            return None
        return followed.node
