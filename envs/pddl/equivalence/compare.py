"""Whether two problems of one domain are the same planning problem.

They are if a bijection of their objects maps the one's initial state onto the other's, and the goal states
that can be reached in the one onto those of the other. Objects are interchangeable within a type, constants
of the domain are themselves; the initial state holds static facts too. In placeholder mode the goal's
objects are placeholders: the completed goal may be mapped by another bijection than the initial state, one
that keeps types and what holds of an object alone and for good.

The answer is never a wrong yes or no. Where goals as written have no common bijection they are completed
with all they imply (`specify`); if that cannot be done exactly, the answer is `unsupported`. If canonical
forms take too long, it is `timeout`.

Source: Zuo et al. 2024, definition 2 and algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from envs.pddl.equivalence.canonical import Deadline, OutOfTime, bijection
from envs.pddl.equivalence.completion import Completion, Exactness
from envs.pddl.equivalence.derive import Means
from envs.pddl.equivalence.goals import NotLiterals, read_goal
from envs.pddl.equivalence.partners import unequal_counts, without_partner
from envs.pddl.equivalence.portrait import Drawing, Portrait
from envs.pddl.equivalence.scenes import kinds_of
from envs.pddl.equivalence.specify import MEANS, specify
from envs.pddl.language import Problem
from envs.pddl.render import render_formula
from envs.pddl.sameness import canonical, same_rules
from envs.pddl.terms import parsed

DEADLINE_S = 10.0
_SIDES = ("first", "second")


class Verdict(StrEnum):
    """What a comparison came to."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNSUPPORTED = "unsupported"  #: it could not be decided; the witness says why
    TIMEOUT = "timeout"


class Part(StrEnum):
    """Where two problems differ, or could not be compared."""

    OBJECTS = "objects"
    INIT = "init"
    GOAL = "goal"


@dataclass(frozen=True)
class Comparison:
    """The answer. Plain data; survives pickling."""

    verdict: Verdict
    part: Part | None  #: None if the problems are equivalent, their domains differ, or time ran out
    #: the first problem's objects to the second's if equivalent; else, in words, what has no partner, or why
    #: it could not be decided
    witness: Mapping[str, str] | str
    #: in placeholder mode, if equivalent: the bijection that maps the goal
    goal_witness: Mapping[str, str] | None = None


def compare(
    one: Problem,
    other: Problem,
    *,
    placeholder: bool = False,
    deadline_s: float | None = DEADLINE_S,
    means: Means = MEANS,
) -> Comparison:
    """Compare two problems, which may each have read the domain anew.

    `deadline_s` limits the time for canonical forms, `means` what completing a goal may use. Raises
    BadRules for bad invariants among the means, LabellingFailed and PlannerMissing if the machine fails.
    """
    return compared(one, other, deadline_s, partial(_compare, placeholder=placeholder, means=means))


def compared(
    one: Problem,
    other: Problem,
    deadline_s: float | None,
    how: Callable[[Portrait, Portrait], Comparison],
) -> Comparison:
    """What `how` finds, unless domains or numbers of objects differ, or time runs out meanwhile."""
    if not same_domain(one, other):
        return Comparison(Verdict.UNSUPPORTED, None, "the two problems are of domains with different rules")
    uneven = unequal_counts(kinds_of(one), kinds_of(other))
    if uneven:
        return Comparison(Verdict.DIFFERENT, Part.OBJECTS, uneven)
    deadline = Deadline(deadline_s)
    try:
        return how(Portrait(one, deadline), Portrait(other, deadline))
    except OutOfTime as error:
        return Comparison(Verdict.TIMEOUT, None, str(error))


def same_domain(one: Problem, other: Problem) -> bool:
    """Whether both problems are of domains with the same declarations and rules."""
    here, there = one.domain, other.domain
    if here is there:
        return True
    declared = (here.types, here.constants) == (there.types, there.constants)
    return declared and same_rules(here, there)


def _compare(one: Portrait, other: Portrait, placeholder: bool, means: Means) -> Comparison:
    try:
        goals = read_goal(one.problem), read_goal(other.problem)
    except NotLiterals as error:
        if identical(one.problem, other.problem):
            same = {name: name for name in one.problem.objects}
            return Comparison(Verdict.EQUIVALENT, None, same, same if placeholder else None)
        return different(Part.INIT, one.init, other.init) or _undecided(str(error))
    if not any(goal.impossible for goal in goals):
        # Goals that are the same as they are written need not be completed.
        whole = one.whole(goals[0]).form, other.whole(goals[1]).form
        if whole[0].digest == whole[1].digest:
            mapping = bijection(*whole)
            return Comparison(Verdict.EQUIVALENT, None, mapping, mapping if placeholder else None)
    unlike = different(Part.INIT, one.init, other.init)
    if unlike is not None:
        return unlike
    completed = specify(one.problem, goals[0], means), specify(other.problem, goals[1], means)
    return _of_goals(one, other, completed, placeholder)


def _of_goals(
    one: Portrait, other: Portrait, completed: tuple[Completion, Completion], placeholder: bool
) -> Comparison:
    """Compare what the goals imply, the initial states being the same."""
    if any(completion.exactness is Exactness.UNREACHABLE for completion in completed):
        return _unreachable(completed)
    drawn = (
        (one.apart(completed[0].goal), other.apart(completed[1].goal))
        if placeholder
        else (one.whole(completed[0].goal), other.whole(completed[1].goal))
    )
    forms = drawn[0].form, drawn[1].form
    inexact = [c.reason for c in completed if c.exactness is not Exactness.EXACT]
    # With one bijection, what both goals lack is the same; with two, it need not be.
    if forms[0].digest == forms[1].digest and not (placeholder and inexact):
        mapping = bijection(*forms)
        if not placeholder:
            return Comparison(Verdict.EQUIVALENT, None, mapping)
        return Comparison(Verdict.EQUIVALENT, None, bijection(one.init.form, other.init.form), mapping)
    if inexact:
        return _undecided(inexact[0])
    return Comparison(Verdict.DIFFERENT, Part.GOAL, _witness(*drawn))


def _unreachable(completed: tuple[Completion, Completion]) -> Comparison:
    """The answer if a goal cannot be reached: different only if the other one surely can."""
    reasons = [
        f"the {side} problem's goal: {completion.reason}"
        for side, completion in zip(_SIDES, completed, strict=True)
        if completion.exactness is Exactness.UNREACHABLE
    ]
    decided = any(completion.exactness is Exactness.EXACT for completion in completed)
    verdict = Verdict.DIFFERENT if decided else Verdict.UNSUPPORTED
    return Comparison(verdict, Part.GOAL, "; ".join(reasons))


def different(part: Part, one: Drawing, other: Drawing) -> Comparison | None:
    """The answer if the drawings of a part are not isomorphic."""
    if one.form.digest == other.form.digest:
        return None
    return Comparison(Verdict.DIFFERENT, part, _witness(one, other))


def identical(one: Problem, other: Problem) -> bool:
    """Whether both say the same under the same names, the order in lists and in their goals aside."""
    if dict(one.objects) != dict(other.objects) or one.init != other.init:
        return False
    goals = [canonical(parsed(render_formula(problem.goal))) for problem in (one, other)]
    return goals[0] == goals[1]


def _undecided(reason: str) -> Comparison:
    return Comparison(Verdict.UNSUPPORTED, Part.GOAL, reason)


def _witness(one: Drawing, other: Drawing) -> str:
    return without_partner(one.graph, other.graph, (one.said, other.said))
