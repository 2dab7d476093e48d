"""Plans for domains whose reachable states are known, without search, for tasks of any size.

A domain is recognised by its rules, and an initial state has to be one that they assume. Then a goal is
either contradictory, which is told, or can be reached, and a plan is written down. It is valid, and has at
most a few steps for each object; it need not be the shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from types import MappingProxyType

from envs.pddl.equivalence.goals.goal import NotLiterals, read_goal
from envs.pddl.equivalence.known_domains.blocks import BLOCKS
from envs.pddl.equivalence.known_domains.grippers import GRIPPER
from envs.pddl.equivalence.known_domains.patterns import Impossible, Members, Rule
from envs.pddl.equivalence.known_domains.recognised import recognise
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.planning.domain_specific.blocks import rebuild
from envs.pddl.planning.domain_specific.grippers import deliver
from envs.pddl.planning.outcomes import PlanOutcome
from envs.pddl.planning.planner import PlanResult

#: A step: the number of a rule, and its arguments.
Step = tuple[int, tuple[str, ...]]
_Plans = Callable[[frozenset[GroundAtom], frozenset[GroundAtom], Members], list[Step]]
_PLANNERS: Mapping[tuple[Rule, ...], _Plans] = MappingProxyType(
    {BLOCKS.rules: rebuild, GRIPPER.rules: deliver}
)


def plan_by_rules(problem: Problem) -> PlanResult | None:
    """A plan, or that there is none; None if no rules apply, or the goal is no conjunction of atoms."""
    started = perf_counter()
    try:
        goal = read_goal(problem)
    except NotLiterals:
        return None
    if goal.impossible:
        return _refuted(goal.impossible, started)
    known = recognise(problem, goal)
    if known is None:
        return None
    try:
        steps = _PLANNERS[known.oracle.rules](known.init, known.wanted, known.members)
    except Impossible as error:
        return _refuted(str(error), started)
    plan = tuple(known.cast.operator(rule, *arguments) for rule, arguments in steps)
    return PlanResult(PlanOutcome.SOLVED, plan, perf_counter() - started, "")


def _refuted(part: str, started: float) -> PlanResult:
    told = f"no reachable state satisfies {part}"
    return PlanResult(PlanOutcome.UNSOLVABLE_PROVED, None, perf_counter() - started, told)
