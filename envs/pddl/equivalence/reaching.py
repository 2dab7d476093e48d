"""Asking a planner for a state that satisfies a goal and lacks something: a plan shows what need not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tarski.fstrips import UniversalEffect
from tarski.syntax import Atom, CompoundFormula, Formula, Tautology
from tarski.syntax.formulas import Connective

from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.goals import Signed, show_signed
from envs.pddl.formulas import FormulaBuilder
from envs.pddl.language import Problem
from envs.pddl.outcomes import PlanOutcome
from envs.pddl.planner import Planner, PlanResult
from envs.pddl.sexpr import Group, Source, read_sexprs

#: A search without heuristics, which takes no state for a dead end.
EXHAUSTIVE = "lazy_greedy([goalcount()])"
#: What Fast Downward prints when a search has gone through all states, and when it left none of them out.
_EXHAUSTED = "Completely explored state space -- no solution!"
_NO_DEAD_ENDS = "Dead ends: 0 state(s)"
#: Words of searches that go on until there are no states left: without bounds, limits and pruning.
_COMPLETE = frozenset(
    {"let", "h", "l", "ff", "landmark_sum", "lm_factory", "lm_reasonable_orders_hps", "lm_rhw", "pref"}
    | {"true", "lazy_greedy", "goalcount", "preferred"}
)
_WORD = re.compile(r"\w+")
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


def proves_none(result: PlanResult, search: str, problem: Problem) -> bool:
    """Whether the result of a search shows that a problem has no plan.

    Fast Downward calls a search that ended without a plan incomplete whatever it left out. It left nothing
    out if it went through all states and took none for a dead end, or only what surely is one.
    """
    if result.outcome is not PlanOutcome.UNSOLVABLE_INCOMPLETE:
        return result.outcome is PlanOutcome.UNSOLVABLE_PROVED
    if not set(_WORD.findall(search)) <= _COMPLETE or _EXHAUSTED not in result.log_tail:
        return False
    return _NO_DEAD_ENDS in result.log_tail or _without_axioms(problem)


def search_began(result: PlanResult) -> bool:
    """Whether the planner came to search, and was not ended while it read the problem."""
    return _SEARCH_LINE in result.log_tail


def _without_axioms(problem: Problem) -> bool:
    """Whether the planner has to derive no atoms, so that its heuristics are right about dead ends.

    All conditions are conjunctions of literals.
    """
    conditions = [problem.goal, *(action.precondition for action in problem.domain.actions.values())]
    effects = [effect for action in problem.domain.actions.values() for effect in action.effects]
    return all(map(_literals_only, conditions)) and all(
        _literals_only(part.condition)
        for effect in effects
        for part in (effect, *(effect.effects if isinstance(effect, UniversalEffect) else ()))
    )


def _literals_only(formula: Formula) -> bool:
    if isinstance(formula, CompoundFormula):
        if formula.connective is Connective.Not:
            return isinstance(formula.subformulas[0], Atom)
        return formula.connective is Connective.And and all(map(_literals_only, formula.subformulas))
    return isinstance(formula, Atom | Tautology)
