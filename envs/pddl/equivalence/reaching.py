"""Asking a planner for a state that satisfies a goal and lacks something: a plan shows what need not hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.goals import Signed, show_signed
from envs.pddl.formulas import FormulaBuilder
from envs.pddl.language import Problem
from envs.pddl.planner import Planner, PlanResult
from envs.pddl.planner_text import planner_texts
from envs.pddl.sexpr import Group, Source, read_sexprs


def aiming_at(problem: Problem, wanted: Iterable[Signed], lacking: Iterable[Signed]) -> Problem:
    """The problem of reaching a state with all of `wanted` and, if there are any, not all of `lacking`."""
    choice = " ".join(show_signed(atom, not sign) for atom, sign in sorted(lacking))
    parts = [show_signed(*literal) for literal in sorted(wanted)] + ([f"(or {choice})"] if choice else [])
    (form,) = read_sexprs(Source(f"(and {' '.join(parts)})", "goal"))
    assert isinstance(form, Group), "a goal is in parentheses"
    language = problem.domain.language
    builder = FormulaBuilder(language, language.sort_of, problem.objects)
    return replace(problem, goal=builder.condition(form))


def asked(planner: Planner, problem: Problem, deadline: Deadline) -> PlanResult:
    """What the planner finds until the deadline. Raises OutOfTime if it is over, and PlannerMissing."""
    left = deadline.left()
    if left is not None:
        planner = replace(planner, wall_s=min(planner.wall_s, left))
    return planner.plan(*planner_texts(problem))
