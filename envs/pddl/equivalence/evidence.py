"""What is known of the reachable goal states of a problem, from both sides, and how to learn more.

From below: what follows from the goal and the invariants (`consequences`). From above: reachable goal states
that were seen, around the initial state at first, then where plans lead. Of a problem that is too large to
be written out, only the states along plans are seen, and nothing is known from below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from envs.pddl.equivalence.consequences import BadRules, Consequences, SolvingTooLong
from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.derive import Means
from envs.pddl.equivalence.explore import Explorer
from envs.pddl.equivalence.goals import Goal, Signed, show_atom
from envs.pddl.equivalence.invariants import derive_invariants
from envs.pddl.equivalence.reaching import aiming_at, asked
from envs.pddl.equivalence.steps import Literals
from envs.pddl.equivalence.transitions import TooLarge, transitions
from envs.pddl.language import GroundAtom, Problem
from envs.pddl.outcomes import PlanOutcome
from envs.pddl.planner import Planner, PlanResult
from envs.pddl.reference import ReferenceSimulator

#: Literals of all steps above which invariants are only looked for where the planner finds no answer.
_HEAVY = 60_000
#: The shares of the time that is left which the planner's own search may take.
_FIRST, _BRIEF = 0.4, 0.2
#: Searches that come after it, with their shares: one that can do with goals that leave a choice, and one
#: whose steps are cheap, as what has no plan is proved to have none by listing all states.
_FURTHER = (
    ("let(h, ff(), lazy_greedy([h, goalcount()], preferred=[h]))", 0.5),
    ("lazy_greedy([goalcount()])", 1.0),
)
_MOST_S = 3600.0  #: finding consequences, where there is no deadline


class Reply(StrEnum):
    """What the planner says of a goal state that lacks something."""

    SEEN = "seen"  #: there is one; it counts among the states seen
    NONE = "none"  #: there is none
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Seen:
    """The fluent atoms of all goal states that were seen."""

    always: frozenset[GroundAtom]  #: true in each; static atoms may be among them
    sometimes: frozenset[GroundAtom]  #: true in one at least

    def holds(self, literal: Signed) -> bool:
        """Whether a literal holds in each of the states."""
        atom, sign = literal
        return atom in self.always if sign else atom not in self.sometimes


class Evidence(Protocol):
    """Answers about the goals of one problem. Goals are those that `settled` returned."""

    @property
    def heavy(self) -> bool:
        """Whether `implied` is the more expensive question than `reach`."""
        ...

    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        """The goal's literals that are open; if it surely cannot be reached, a part of it that cannot."""
        ...

    def seen(self, goal: frozenset[Signed]) -> Seen | None:
        """What the goal states that were seen have in common; None if none was seen."""
        ...

    def implied(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        """Literals that hold in all reachable goal states; None if there is no such state.

        Raises OutOfTime and BadRules.
        """
        ...

    def reach(self, goal: frozenset[Signed], lacking: frozenset[Signed], brief: bool = False) -> Reply:
        """Look for a reachable goal state without one of `lacking`, or for any if that is empty.

        `brief`: with a fraction of the time that is left, as the answer can be done without.
        Raises OutOfTime, BadRules and PlannerMissing.
        """
        ...


def evidence(problem: Problem, means: Means, deadline: Deadline) -> Evidence:
    """What there is to know of a problem. Raises OutOfTime."""
    try:
        return _Written(problem, means, deadline)
    except TooLarge:
        return _Lifted(problem, means, deadline)


class _Asking:
    """Asks the planner, if there is one."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        self._problem = problem
        self._means = means
        self._deadline = deadline

    def reach(self, goal: frozenset[Signed], lacking: frozenset[Signed], brief: bool = False) -> Reply:
        if self._means.planner is None:
            return Reply.UNKNOWN
        result = self._asked(self._means.planner, aiming_at(self._problem, goal, lacking), brief)
        if result.plan is not None:
            self._follow(result.plan)
            seen = self.seen(goal)
            if seen is None or (lacking and all(map(seen.holds, lacking))):
                raise RuntimeError(f"the planner's plan does not reach its goal: {' '.join(result.plan)}")
            return Reply.SEEN
        return Reply.NONE if result.outcome is PlanOutcome.UNSOLVABLE_PROVED else Reply.UNKNOWN

    def _asked(self, planner: Planner, problem: Problem, brief: bool) -> PlanResult:
        """What the planner finds by one search after the other, each with a share of the time left."""
        result = self._searched(planner, problem, _BRIEF if brief else _FIRST)
        for search, share in () if brief else _FURTHER:
            if result.outcome in (PlanOutcome.SOLVED, PlanOutcome.UNSOLVABLE_PROVED):
                break
            result = self._searched(replace(planner, search=search), problem, share)
        return result

    def _searched(self, planner: Planner, problem: Problem, share: float) -> PlanResult:
        left = self._deadline.left()
        hasty = planner if left is None else replace(planner, wall_s=min(planner.wall_s, left * share))
        return asked(hasty, problem, self._deadline)

    def seen(self, goal: frozenset[Signed]) -> Seen | None:
        raise NotImplementedError

    def _follow(self, plan: tuple[str, ...]) -> None:
        raise NotImplementedError


class _Written(_Asking):
    """Of a problem that can be written out as steps."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        super().__init__(problem, means, deadline)
        self._task = transitions(problem)
        self._number = {atom: i for i, atom in enumerate(self._task.atoms)}
        deadline.left()
        self._explorer = Explorer(problem, self._task, means.max_states)
        deadline.left()

    @cached_property
    def heavy(self) -> bool:
        return sum(len(step.needs) + len(step.makes) + len(step.may) for step in self._task.steps) > _HEAVY

    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        never = sorted(goal.positive - self._number.keys())
        if goal.impossible or never:
            return goal.impossible or show_atom(never[0])
        false = ((atom, False) for atom in goal.negative if atom in self._number)
        return frozenset([*((atom, True) for atom in goal.positive), *false])

    def seen(self, goal: frozenset[Signed]) -> Seen | None:
        common = self._explorer.common(self._literals(goal))
        if common is None:
            return None
        false = {atom for atom, sign in self._signed(common) if not sign}
        always = frozenset(atom for atom, sign in self._signed(common) if sign)
        return Seen(always, frozenset(self._number.keys() - false))

    def implied(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        literals = self._literals(goal)
        seen = self._explorer.common(literals)
        if self._explorer.complete:
            return None if seen is None else self._signed(seen)
        try:
            left = self._deadline.left()
            surely = self._consequences.of(literals, _MOST_S if left is None else left)
        except TooLarge:
            return goal
        except SolvingTooLong:
            self._deadline.left()
            return goal
        if seen is not None and (surely is None or not surely <= seen):
            raise BadRules("the world's invariants exclude states that can be reached")
        return None if surely is None else self._signed(surely)

    def reach(self, goal: frozenset[Signed], lacking: frozenset[Signed], brief: bool = False) -> Reply:
        if not self._explorer.complete:
            return super().reach(goal, lacking, brief)
        seen = self.seen(goal)
        none = seen is None or (lacking and all(map(seen.holds, lacking)))
        return Reply.NONE if none else Reply.SEEN

    @cached_property
    def _consequences(self) -> Consequences:
        return Consequences(
            self._problem, derive_invariants(self._task, self._means.invariants, self._deadline)
        )

    def _follow(self, plan: tuple[str, ...]) -> None:
        self._explorer.follow(plan)

    def _literals(self, goal: frozenset[Signed]) -> Literals:
        return frozenset(2 * self._number[atom] + (not sign) for atom, sign in goal)

    def _signed(self, literals: Literals) -> frozenset[Signed]:
        return frozenset((self._task.atoms[literal // 2], not literal & 1) for literal in literals)


class _Lifted(_Asking):
    """Of a problem that is too large for that."""

    heavy = False

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        super().__init__(problem, means, deadline)
        self._simulator = ReferenceSimulator(problem)
        self._states = {self._simulator.initial(): None}

    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        if goal.impossible:
            return goal.impossible
        return frozenset([*((a, True) for a in goal.positive), *((a, False) for a in goal.negative)])

    def seen(self, goal: frozenset[Signed]) -> Seen | None:
        found = [state for state in self._states if all((a in state) == sign for a, sign in goal)]
        return Seen(frozenset.intersection(*found), frozenset.union(*found)) if found else None

    def implied(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        return goal

    def _follow(self, plan: tuple[str, ...]) -> None:
        state = self._simulator.initial()
        for operator in plan:
            state = self._simulator.successor(state, operator)
            self._states[state] = None
