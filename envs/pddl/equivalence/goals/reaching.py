"""Asking a planner for a state that satisfies a goal and lacks something: a plan shows what need not hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.goals.goal import Signed, show_signed
from envs.pddl.language.formulas import FormulaBuilder
from envs.pddl.language.sexpr import Group, Source, read_sexprs
from envs.pddl.language.structure import Problem
from envs.pddl.planning.planner import Planner, PlanResult

#: A search without heuristics, which takes no state for a dead end.
EXHAUSTIVE = "lazy_greedy([goalcount()])"
_SEARCH_LINE = "[t="  #: begins the lines that the search prints


def aiming_at(problem: Problem, wanted: Iterable[Signed], lacking: Iterable[Signed]) -> Problem:
    """The problem of reaching a state with all of `wanted` and, if there are any, not all of `lacking`."""
    choice = " ".join(show_signed(atom, not sign) for atom, sign in sorted(lacking))
    parts = [show_signed(*literal) for literal in sorted(wanted)] + ([f"(or {choice})"] if choice else [])
    (form,) = read_sexprs(Source(f"(and {' '.join(parts)})", "goal"))
    assert isinstance(form, Group), "a goal is in parentheses"
    language = problem.domain.language
    builder = FormulaBuilder(language, language.sort_of, problem.objects)
    return replace(problem, goal=builder.condition(form))


def asked(planner: Planner, texts: tuple[str, str], deadline: Deadline) -> PlanResult:
    """What the planner finds for the texts of a domain and a problem until the deadline.

    Raises OutOfTime if it is over, and PlannerMissing.
    """
    left = deadline.left()
    if left is not None:
        planner = replace(planner, wall_s=min(planner.wall_s, left))
    return planner.plan(*texts)


def search_began(result: PlanResult) -> bool:
    """Whether the planner came to search, and was not ended while it read the problem."""
    return _SEARCH_LINE in result.log_tail
