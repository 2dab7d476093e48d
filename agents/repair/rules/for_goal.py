"""Rules that only the goal reads, as guesses that the world confirms.

Conditional effects that only the goal reads are shown by no walk, but by a plan that misses the goal. Each is
a guess, as those of `agents.repair.goals` are: it explains all walks and all verdicts on the goal. A plan is
made by the model with it, and tried in the world. If the goal holds there in the end it is taken; if not, the
verdict speaks against all guesses that would have had it so. Nothing is taken that the world has not
confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

from agents.repair.candidate import Candidate
from agents.repair.goals import NO_PLAN, GoalVerdicts
from agents.repair.model import Model
from agents.repair.rivals import MOST_RIVALS, ask_between
from agents.repair.rules.conditional import effects_on_goals
from agents.repair.rules.nested import nested_effects_on_goals
from agents.repair.rules.unreached_goals import effects_towards_goals
from agents.repair.rules.variants import Variant, changed_repairs, goals_parameters
from agents.repair.session import RepairSession
from agents.repair.text import edited_problem
from envs.pddl.language.domain import Problem
from ew.walks.budget import BudgetExceeded, TimeUp

#: Models that a planner is asked about, for each plan that may be tried in the world.
_PLANLESS = 4


@dataclass(frozen=True, eq=False)
class _Guess:
    """A variant that nothing speaks against, with its candidate in its model."""

    variant: Variant
    candidate: Candidate
    model: Model

    @property
    def cost(self) -> float:
        return self.variant.size + self.candidate.cost

    def problem(self, task: int) -> Problem:
        """A task of its model."""
        return edited_problem(self.model, self.candidate, task)


def rule_for_goal(
    session: RepairSession, best: Candidate, task: int, stop: Callable[[], bool]
) -> Variant | None:
    """The first guess that the world confirms in one task, from a candidate that explains all walks.

    It has to stand against others of its cost: where a walk leads to the goal in one of two alone, the world
    decides. None if there is none among so many plans as a goal is worth, or among some times as many models
    without a plan, which is soon known, or before `stop` ends it; or if a plan shows that the candidate is
    wrong about what runs.
    Raises BudgetExceeded, TimeUp, PlannerMissing.
    """
    trials = _GoalTrials(session, best, task, stop)
    while (taken := trials.confirmed()) is not None:
        if trials.stands(taken):
            return taken.variant if session.explains(best) else None
    return None


class _GoalTrials:
    """The trials of guesses in one task, until as many were made as a goal is worth."""

    def __init__(self, session: RepairSession, best: Candidate, task: int, stop: Callable[[], bool]):
        self._session, self._best, self._task, self._stop = session, best, task, stop
        self._guesses = self._made()
        self._plans = session.config.goal_trials
        self._models = self._plans * _PLANLESS
        self._rivals = MOST_RIVALS
        self._verdicts = GoalVerdicts.beside(session.repairs(), session.verdicts())

    def confirmed(self) -> _Guess | None:
        """The next guess whose plan works in the world."""
        session, goal = self._session, self._session.places[self._task].goal
        for guess in self._guesses:
            if self._stop() or not self._plans or not self._models:
                return None
            result = session.plans(guess.problem(self._task))
            self._models, self._plans = self._models - 1, self._plans - (result.outcome not in NO_PLAN)
            if result.plan is None:
                continue
            followed = goal.follow(result.plan)
            if followed.refused:
                session.look_at(followed.refused, self._task)
            if not session.explains(self._best):
                return None
            if not followed.refused and goal.ask(followed.node):
                return guess
        return None

    def stands(self, taken: _Guess) -> bool:
        """Whether the world speaks against no confirmed guess for the sake of others that cost no more.

        If it does, the one that has shown it is the next to be tried.
        """
        session, least = self._session, self._session.left_s / 2
        for rival in self._guesses:
            if rival.cost > taken.cost or not self._rivals or session.left_s < least:
                return True
            self._rivals -= 1
            with suppress(BudgetExceeded, TimeUp):
                ask_between(session, self._task, taken.problem(self._task), rival.problem(self._task))
            if not session.explains(self._best):
                return True
            if self._unrefuted(taken.variant) is None:
                if self._unrefuted(rival.variant) is not None:
                    self._guesses = chain([rival], self._guesses)
                return False
        return True

    def _made(self) -> Iterator[_Guess]:
        """The guesses that nothing speaks against when it is their turn, each once."""
        session, best, tried = self._session, self._best, set[str]()
        for propose in (goals_parameters, nested_effects_on_goals, effects_towards_goals):
            variants = propose(session.repairs(), best, self._stop)
            yield from filter(None, map(self._unrefuted, variants))
        while True:  # what is proposed depends on verdicts, of which there may be more by each plan
            for variant in effects_on_goals(session.repairs(), best, self._stop, session.verdicts()):
                if variant.words not in tried:
                    tried.add(variant.words)
                    guess = self._unrefuted(variant)
                    if guess is not None:
                        yield guess
                        break
            else:
                return

    def _unrefuted(self, variant: Variant) -> _Guess | None:
        """The guess; None if walks or verdicts speak against it."""
        repairs = self._session.repairs()
        verdicts = self._known()
        if variant.actions and not verdicts.can_depend_on(variant.actions, self._best.edits):
            return None
        if replace(verdicts, repairs=changed_repairs(verdicts.repairs, variant)).against(variant.edits):
            return None
        changed = changed_repairs(repairs, variant)
        candidate = changed.candidate(variant.edits)
        same = not candidate.unexplained and candidate.conditions == self._best.conditions
        return _Guess(variant, candidate, changed.model) if same else None

    def _known(self) -> GoalVerdicts:
        """What the world has said by now."""
        verdicts = self._session.verdicts()
        if verdicts != self._verdicts.of:
            self._verdicts = GoalVerdicts.beside(self._session.repairs(), verdicts)
        return self._verdicts
