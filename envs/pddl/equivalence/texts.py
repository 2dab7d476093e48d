"""Comparing problems as texts: a text that cannot be read is an outcome, not an exception."""

from __future__ import annotations

from envs.pddl.equivalence.compare import DEADLINE_S, Comparison, Verdict, compare
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.equivalence.goals.specify import MEANS
from envs.pddl.language.domain import read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.structure import Domain, Problem


def compare_texts(
    one: str,
    other: str,
    domain: Domain,
    *,
    placeholder: bool = False,
    deadline_s: float | None = DEADLINE_S,
    means: Means = MEANS,
) -> Comparison:
    """Compare two problems of a domain, given as PDDL; `unsupported`, with every issue, if one is unreadable.

    Raises what `compare` does.
    """
    problems: list[Problem] = []
    for name, text in (("first problem", one), ("second problem", other)):
        try:
            problems.append(read_problem(text, domain, name))
        except PDDLError as error:
            return Comparison(Verdict.UNSUPPORTED, None, str(error))
    return compare(*problems, placeholder=placeholder, deadline_s=deadline_s, means=means)
