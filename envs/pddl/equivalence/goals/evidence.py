"""What is known of the reachable goal states of a problem, from both sides, and how to learn more.

From below: what follows from the goal and the invariants (`consequences`). From above: reachable goal states
that were seen, around the initial state at first, then where plans lead. Of a problem that is too large to
be written out, only states along plans are seen, and invariants are those of a weakened form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.goals.consequences import BadRules, Consequences, SolvingTooLong
from envs.pddl.equivalence.goals.derive import EXHAUSTIVE, Means, aiming_at
from envs.pddl.equivalence.goals.explore import Explorer
from envs.pddl.equivalence.goals.goal import Goal, Signed
from envs.pddl.equivalence.goals.narrowed import Narrowed
from envs.pddl.equivalence.invariants.invariants import derive_invariants
from envs.pddl.equivalence.invariants.transitions import TooLarge, Transitions, transitions
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.language.terms import show
from envs.pddl.planning.planner import Planner, PlanOutcome, PlanResult, planner_texts
from envs.pddl.simulation.reference import ReferenceSimulator

#: The share of the time that is left which finding invariants and what follows from them may take.
_INFERRING = 0.4
#: Searches that come after the planner's own: one that can do with goals that leave a choice, and one whose
#: steps are cheap, as what has no plan is proved to have none by listing all states.
_FURTHER = ("let(h, ff(), lazy_greedy([h, goalcount()], preferred=[h]))", EXHAUSTIVE)
#: The shares of the time that is left which the first, the second and the third search may take.
_SHARES = (0.4, 0.5, 1.0)
_BRIEF = 0.2  #: the share of a search that can be done without
_SEARCH_LINE = "[t="  #: begins the lines that the planner prints once it has read the problem


class Reachability(StrEnum):
    """What the planner says of a goal state that lacks something."""

    SEEN = "seen"  #: there is one; it counts among the states seen
    NONE = "none"  #: there is none
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class GoalStates:
    """The fluent atoms of all goal states that were seen."""

    always: frozenset[GroundAtom]  #: true in each; static atoms may be among them
    sometimes: frozenset[GroundAtom]  #: true in one at least

    def holds(self, literal: Signed) -> bool:
        """Whether a literal holds in each of the states."""
        atom, sign = literal
        return atom in self.always if sign else atom not in self.sometimes


def evidence(problem: Problem, means: Means, deadline: Deadline) -> GoalKnowledge:
    """What there is to know of a problem. Raises OutOfTime."""
    try:
        return _Written(problem, means, deadline)
    except TooLarge:
        return _Lifted(problem, means, deadline)


class GoalKnowledge(ABC):
    """Answers about the goals of one problem. Goals are those that `settled` returned."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        self._problem = problem
        self._means = means
        self._deadline = deadline
        self._searches = [*([means.planner.search] if means.planner else []), *_FURTHER]

    @abstractmethod
    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        """The goal's literals that are open; if it surely cannot be reached, a part of it that cannot."""

    @abstractmethod
    def seen(self, goal: frozenset[Signed]) -> GoalStates | None:
        """What the goal states that were seen have in common; None if none was seen."""

    @abstractmethod
    def _steps(self) -> Transitions:
        """Steps that include all of the problem's."""

    @abstractmethod
    def _follow(self, plan: tuple[str, ...]) -> None:
        """See the states that a plan leads to."""

    def _texts(self, problem: Problem) -> tuple[str, str]:
        """What the planner reads."""
        return planner_texts(problem)

    def implied(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        """The goal and more that holds in all reachable goal states; None if there is no such state.

        Raises OutOfTime and BadRules.
        """
        seen = self.seen(goal)
        try:
            surely = self._surely(goal)
        except (TooLarge, SolvingTooLong, OutOfTime):
            self._deadline.left()
            return goal
        if seen is not None and (surely is None or not all(map(seen.holds, surely))):
            raise BadRules("the world's invariants exclude states that can be reached")
        return surely

    def _surely(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        task, consequences = self._inferred
        if any(sign and atom not in task.number for atom, sign in goal):
            return None
        found = consequences.of(task.numbered(goal), self._until.left())
        return None if found is None else goal | task.named(found)

    @cached_property
    def _until(self) -> Deadline:
        """When invariants have to do with what was found, as the planner needs time too."""
        return self._deadline.part(_INFERRING)

    @cached_property
    def _inferred(self) -> tuple[Transitions, Consequences]:
        until, task = self._until, self._steps()
        return task, Consequences(self._problem, derive_invariants(task, self._means.invariants, until))

    def reach(self, goal: frozenset[Signed], lacking: frozenset[Signed], brief: bool = False) -> Reachability:
        """Look for a reachable goal state without one of `lacking`, or for any if that is empty.

        `brief`: with a fraction of the time that is left, as the answer can be done without.
        Raises OutOfTime, BadRules and PlannerMissing.
        """
        if self._means.planner is None:
            return Reachability.UNKNOWN
        result = self._asked(self._means.planner, aiming_at(self._problem, goal, lacking), brief)
        if result.plan is not None:
            self._follow(result.plan)
            if not self._lacks(self.seen(goal), lacking):
                raise RuntimeError(f"the planner's plan does not reach its goal: {' '.join(result.plan)}")
            return Reachability.SEEN
        proved = result.outcome is PlanOutcome.UNSOLVABLE_PROVED
        return Reachability.NONE if proved else Reachability.UNKNOWN

    def _lacks(self, seen: GoalStates | None, lacking: frozenset[Signed]) -> bool:
        """Whether a goal state was seen that lacks something of it, or any if that is empty."""
        return seen is not None and not (lacking and all(map(seen.holds, lacking)))

    def _asked(self, planner: Planner, problem: Problem, brief: bool) -> PlanResult:
        """What the planner finds by one search after the other, each with a share of the time left.

        The search that had an answer last time comes first.
        """
        began = True
        for search, share in zip(self._searches, (_BRIEF,) if brief else _SHARES, strict=False):
            result = self._searched(replace(planner, search=search), problem, share if began else 1.0)
            began = _SEARCH_LINE in result.log_tail
            if result.outcome in (PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.SOLVED):
                self._searches.sort(key=lambda other: other != search)
                break
        return result

    def _searched(self, planner: Planner, problem: Problem, share: float) -> PlanResult:
        texts, left = self._texts(problem), self._deadline.left()
        if left is not None:
            planner = replace(planner, wall_s=min(planner.wall_s, left * share))
        return planner.plan(*texts)


class _Written(GoalKnowledge):
    """Of a problem that can be written out as steps."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        super().__init__(problem, means, deadline)
        self._task = transitions(problem, deadline)
        self._explorer = Explorer(problem, self._task, means.max_states, deadline)

    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        never = sorted(goal.positive - self._task.number.keys())
        if goal.impossible or never:
            return goal.impossible or show(never[0])
        return self._task.named(self._task.numbered(goal.signed))

    def seen(self, goal: frozenset[Signed]) -> GoalStates | None:
        common = self._explorer.common(self._task.numbered(goal))
        if common is None:
            return None
        states = Goal.of(self._task.named(common))
        return GoalStates(states.positive, frozenset(self._task.number.keys() - states.negative))

    def implied(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        if not self._explorer.complete:
            return super().implied(goal)
        seen = self._explorer.common(self._task.numbered(goal))
        return None if seen is None else self._task.named(seen)

    def reach(self, goal: frozenset[Signed], lacking: frozenset[Signed], brief: bool = False) -> Reachability:
        if not self._explorer.complete:
            return super().reach(goal, lacking, brief)
        return Reachability.SEEN if self._lacks(self.seen(goal), lacking) else Reachability.NONE

    def _steps(self) -> Transitions:
        return self._task

    def _follow(self, plan: tuple[str, ...]) -> None:
        self._explorer.follow(plan)


class _Lifted(GoalKnowledge):
    """Of a problem that is too large for that."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        super().__init__(problem, means, deadline)
        self._simulator = ReferenceSimulator(problem)
        self._narrowed = Narrowed(problem)
        self._states = {self._simulator.initial(): None}

    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        return goal.impossible or goal.signed

    def seen(self, goal: frozenset[Signed]) -> GoalStates | None:
        found = [state for state in self._states if all((a in state) == sign for a, sign in goal)]
        return GoalStates(frozenset.intersection(*found), frozenset.union(*found)) if found else None

    def _steps(self) -> Transitions:
        return transitions(self._narrowed.weakened, self._until)

    def _follow(self, plan: tuple[str, ...]) -> None:
        state = self._simulator.initial()
        for operator in plan:
            state = self._simulator.successor(state, self._narrowed.completed(state, operator))
            self._states[state] = None

    def _texts(self, problem: Problem) -> tuple[str, str]:
        return self._narrowed.texts(problem)
