"""Whether two problems of one domain are the same as they are written, but for the names of their objects.

A bijection of objects of the same types has to map initial state onto initial state and goal onto goal. Goals
are not completed: an atom too much makes them different even if the others imply it. So this is narrower
than `compare`, and decided for every goal, within the time for canonical forms.

Source: Agarwal and Sreepathy 2024, algorithm 1, which tries permutations.
"""

from __future__ import annotations

from envs.pddl.diagnosis.findings import shorten
from envs.pddl.equivalence.compare import (
    Comparison,
    ProblemPart,
    Verdict,
    compared,
    different,
    different_init,
    identical,
    written_bijection,
)
from envs.pddl.equivalence.deadline import DEADLINE_S, Deadline
from envs.pddl.equivalence.graphs.problem_graphs import ProblemGraphs
from envs.pddl.equivalence.graphs.written import written_goal, written_tree
from envs.pddl.language.structure import Problem
from envs.pddl.language.terms import show

_SHOWN = 300  #: characters of a goal in a witness


def same_as_written(one: Problem, other: Problem, *, deadline_s: float | None = DEADLINE_S) -> Comparison:
    """Compare two problems as they are written, which may each have read the domain anew.

    Where names may stay as they are the witness maps each object to itself. Raises LabellingFailed.
    """
    return compared(one, other, deadline_s, _same)


def _same(one: ProblemGraphs, other: ProblemGraphs, _deadline: Deadline) -> Comparison:
    if identical(one.problem, other.problem):
        return Comparison(Verdict.EQUIVALENT, None, {name: name for name in one.problem.objects})
    unlike = different_init(one, other)
    if unlike is not None:
        return unlike
    mapping = written_bijection(one, other)
    if mapping is not None:
        return Comparison(Verdict.EQUIVALENT, None, mapping)
    if any(written_goal(side.problem).pieces for side in (one, other)):
        texts = [shorten(show(written_tree(side.problem)), _SHOWN) for side in (one, other)]
        words = (
            f"the goals are written differently: {texts[0]} in the first problem, {texts[1]} in the second"
        )
        return Comparison(Verdict.DIFFERENT, ProblemPart.GOAL, words)
    return different(ProblemPart.GOAL, one.written, other.written)
