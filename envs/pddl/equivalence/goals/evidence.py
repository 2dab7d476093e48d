"""What is known of the reachable goal states of a problem, from both sides, and how to learn more.

From below: what follows from the goal and the invariants (`consequences`). From above: reachable goal states
that were seen, around the initial state at first, then where plans lead. Of a problem that is too large to
be written out, only"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.goals.consequences import BadRules, Consequences, SolvingTooLong
from envs.pddl.equivalence.goals.derive import EXHAUSTIVE, Means, aiming_at, asked, search_began
from envs.pddl.equivalence.goals.explore import Explorer
from envs.pddl.equivalence.goals.goal import Goal, Signed, show_atom
from envs.pddl.equivalence.goals.narrowed import Narrowed
from envs.pddl.equivalence.invariants.invariants import derive_invariants
from envs.pddl.equivalence.invariants.steps import Literals
from envs.pddl.equivalence.invariants.transitions import TooLarge, Transitions, transitions
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.planning.outcomes import PlanOutcome
from envs.pddl.planning.planner import Planner, PlanResult
from envs.pddl.planning.planner_text import planner_texts
from envs.pddl.simulation.reference import ReferenceSimulator

#: The share of the time that is left which finding invariants and what follows from them may take.
_INFERRING = 0.4
#: Searches that come after the planner's own: one that can do with goals that leave a choice, and one whose
#: steps are cheap, as what has no plan is proved to have none by listing all states.
_FURTHER = ("let(h, ff(), lazy_greedy([h, goalcount()], preferred=[h]))", EXHAUSTIVE)
#: The shares of the time that is left which the first, the second and the third search may take.
_SHARES = (0.4, 0.5, 1.0)
_BRIEF = 0.2  #: the share of a search that can be done without
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
        self._searches = [*([means.planner.search] if means.planner else []), *_FURTHER]

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
        return Reply.UNKNOWN if result.outcome is not PlanOutcome.UNSOLVABLE_PROVED else Reply.NONE

    def _asked(self, planner: Planner, problem: Problem, brief: bool) -> PlanResult:
        """What the planner finds by one search after the other, each with a share of the time left.

        The search that had an answer last time comes first.
        """
        began = True
        for search, share in zip(self._searches, (_BRIEF,) if brief else _SHARES, strict=False):
            result = self._searched(replace(planner, search=search), problem, share if began else 1.0)
            began = search_began(result)
            if result.outcome in (PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.SOLVED):
                self._searches.sort(key=lambda other: other != search)
                break
        return result

    def _searched(self, planner: Planner, problem: Problem, share: float) -> PlanResult:
        left = self._deadline.left()
        hasty = planner if left is None else replace(planner, wall_s=min(planner.wall_s, left * share))
        return asked(hasty, self._texts(problem), self._deadline)

    def _texts(self, problem: Problem) -> tuple[str, str]:
        """What the planner reads."""
        return planner_texts(problem)

    def seen(self, goal: frozenset[Signed]) -> Seen | None:
        raise NotImplementedError

    def _follow(self, plan: tuple[str, ...]) -> None:
        raise NotImplementedError


class _Below:
    """What follows from a goal and from invariants of steps that include all of the problem's."""

    def __init__(
        self, problem: Problem, means: Means, deadline: Deadline, steps: Callable[[Deadline], Transitions]
    ):
        self._problem = problem
        self._means = means
        self._deadline = deadline
        self._steps = steps

    def implied(self, goal: frozenset[Signed], seen: Seen | None) -> frozenset[Signed] | None:
        """The goal and more that holds in all reachable goal states; None if there is no such state.

        `seen` is what the goal states that were seen have in common. Raises OutOfTime and BadRules.
        """
        try:
            surely = self._surely(goal)
        except (TooLarge, SolvingTooLong, OutOfTime):
            self._deadline.left()
            return goal
        if seen is not None and (surely is None or not all(map(seen.holds, surely))):
            raise BadRules("the world's invariants exclude states that can be reached")
        return surely

    def _surely(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        task, consequences, number = self._found
        if any(sign and atom not in number for atom, sign in goal):
            return None
        literals = [2 * number[atom] + (not sign) for atom, sign in goal if atom in number]
        left = self._until.left()
        found = consequences.of(literals, _MOST_S if left is None else left)
        if found is None:
            return None
        return goal.union((task.atoms[literal // 2], not literal & 1) for literal in found)

    @cached_property
    def _until(self) -> Deadline:
        """When invariants have to do with what was found, as the planner needs time too."""
        return self._deadline.part(_INFERRING)

    @cached_property
    def _found(self) -> tuple[Transitions, Consequences, dict[GroundAtom, int]]:
        task = self._steps(self._until)
        invariants = derive_invariants(task, self._means.invariants, self._until)
        return task, Consequences(self._problem, invariants), {a: i for i, a in enumerate(task.atoms)}


class _Written(_Asking):
    """Of a problem that can be written out as steps."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        super().__init__(problem, means, deadline)
        self._task = transitions(problem, deadline)
        self._number = {atom: i for i, atom in enumerate(self._task.atoms)}
        self._explorer = Explorer(problem, self._task, means.max_states, deadline)
        self._below = _Below(problem, means, deadline, lambda _: self._task)

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
        return self._below.implied(goal, self.seen(goal))

    def reach(self, goal: frozenset[Signed], lacking: frozenset[Signed], brief: bool = False) -> Reply:
        if not self._explorer.complete:
            return super().reach(goal, lacking, brief)
        seen = self.seen(goal)
        none = seen is None or (lacking and all(map(seen.holds, lacking)))
        return Reply.NONE if none else Reply.SEEN

    def _follow(self, plan: tuple[str, ...]) -> None:
        self._explorer.follow(plan)

    def _literals(self, goal: frozenset[Signed]) -> Literals:
        return frozenset(2 * self._number[atom] + (not sign) for atom, sign in goal)

    def _signed(self, literals: Literals) -> frozenset[Signed]:
        return frozenset((self._task.atoms[literal // 2], not literal & 1) for literal in literals)


class _Lifted(_Asking):
    """Of a problem that is too large for that."""

    def __init__(self, problem: Problem, means: Means, deadline: Deadline):
        super().__init__(problem, means, deadline)
        self._simulator = ReferenceSimulator(problem)
        self._narrowed = Narrowed(problem)
        self._states = {self._simulator.initial(): None}
        self._below = _Below(
            problem, means, deadline, lambda until: transitions(self._narrowed.weakened, until)
        )

    def settled(self, goal: Goal) -> frozenset[Signed] | str:
        if goal.impossible:
            return goal.impossible
        return frozenset([*((a, True) for a in goal.positive), *((a, False) for a in goal.negative)])

    def seen(self, goal: frozenset[Signed]) -> Seen | None:
        found = [state for state in self._states if all((a in state) == sign for a, sign in goal)]
        return Seen(frozenset.intersection(*found), frozenset.union(*found)) if found else None

    def implied(self, goal: frozenset[Signed]) -> frozenset[Signed] | None:
        return self._below.implied(goal, self.seen(goal))

    def _follow(self, plan: tuple[str, ...]) -> None:
        state = self._simulator.initial()
        for operator in plan:
            state = self._simulator.successor(state, self._narrowed.completed(state, operator))
            self._states[state] = None

    def _texts(self, problem: Problem) -> tuple[str, str]:
        return self._narrowed.texts(problem)
