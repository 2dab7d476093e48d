"""Certificates: short texts that are equal iff two problems of one domain are equivalent.

They make collections of problems comparable without comparing pairs. A certificate says nothing of the
domain, and is only comparable with those made by the same version of igraph.
"""

from __future__ import annotations

from envs.pddl.equivalence.deadline import DEADLINE_S, Deadline
from envs.pddl.equivalence.goals.derive import MEANS, Means, specify
from envs.pddl.equivalence.goals.goal import Exactness, NotLiterals, read_goal
from envs.pddl.equivalence.graphs.problem_graphs import ProblemGraphs
from envs.pddl.language.structure import Problem


class NoCertificate(ValueError):
    """What the goal implies cannot be told exactly. Plain data; survives pickling."""


def certificate(
    problem: Problem,
    placeholder: bool = False,
    deadline_s: float | None = DEADLINE_S,
    means: Means = MEANS,
) -> str:
    """The certificate of a problem, 64 hexadecimal digits.

    Raises NoCertificate, OutOfTime, and what `compare` raises.
    """
    try:
        completed = specify(problem, read_goal(problem), means)
    except NotLiterals as error:
        raise NoCertificate(str(error)) from error
    if completed.exactness is not Exactness.EXACT:
        raise NoCertificate(completed.reason)
    return ProblemGraphs(problem, Deadline(deadline_s)).digest(completed.goal, placeholder)
