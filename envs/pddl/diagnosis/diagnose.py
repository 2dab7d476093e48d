"""All that is wrong with a domain, or with a domain and a problem: one call, every issue.

The verdicts are documented where they are taken: `domain` and `problem`. A text without
errors is one that `language` reads.
"""

from __future__ import annotations

from envs.pddl.diagnosis.domain import check_domain
from envs.pddl.diagnosis.problem import check_problem
from envs.pddl.language.issues import Code, Diagnosis, Issue
from envs.pddl.language.vocabulary import Vocabulary

#: Codes of faults that are found without a domain.
_OF_FORM = (
    Code.SYNTAX,
    Code.UNBALANCED,
    Code.TOO_LARGE,
    Code.ENCODING,
    Code.MULTIPLE_DEFINE,
    Code.UNSUPPORTED_FEATURE,
)


def diagnose(domain_text: str, problem_text: str | None = None) -> Diagnosis:
    """Every issue of the domain, then of the problem, each in the order of its text. Never raises.

    Without a readable domain only the form of the problem is judged, since every name in it is unknown.
    """
    domain = check_domain(domain_text)
    issues = _in_order(domain.issues)
    if problem_text is not None:
        problem = check_problem(problem_text, domain.vocabulary or Vocabulary())
        judged = problem.issues
        if domain.vocabulary is None:
            judged = tuple(issue for issue in judged if issue.code in _OF_FORM)
        issues += _in_order(judged)
    return Diagnosis(tuple(issues))


def _in_order(issues: tuple[Issue, ...]) -> list[Issue]:
    return sorted(issues, key=lambda issue: (issue.line, issue.column))
