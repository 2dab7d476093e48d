"""What a proposal is worth before anybody walks in it: the kinds of failure that need no environment.

The order of the checks is the published order of the ratings, worst first.
Source: Mahdavi et al. 2024, Appendix B.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.llm.interface import Finish
from agents.proposal import Proposal
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import Diagnosis, PDDLError
from ew.counterexample.feedback import EditsRefused, Failure, Faults, InsaneDomain, NoEdit, NoProblem
from ew.score.rating import Outcome


@dataclass(frozen=True)
class Checked:
    """A proposal's texts, and what is wrong with it; `outcome` and `failure` are None if nothing is.

    `read` is the problem with its domain, read from the texts; None if something is wrong.
    """

    domain: str
    problem: str | None
    outcome: Outcome | None = None
    failure: Failure | None = None
    read: Problem | None = None


def check_candidate(proposal: Proposal) -> Checked:
    """Whether the proposal's domain and problem can be grounded and walked in."""
    domain, problem = proposal.domain, proposal.problem
    found = _failure(proposal)
    if found is not None or problem is None:
        return Checked(domain, problem, *(found or ()))
    try:
        return Checked(domain, problem, read=read_problem(problem, read_domain(domain)))
    except PDDLError as error:
        issues = diagnose(domain, problem).errors or error.issues
        return Checked(domain, problem, Outcome.INVALID_DOMAIN, Faults(Diagnosis(issues)))


def _failure(proposal: Proposal) -> tuple[Outcome, Failure] | None:
    """What is wrong with it, its texts aside."""
    answered = proposal.finish is Finish.STOP
    if proposal.problem is None:
        outcome = Outcome.NO_PROBLEM if answered else Outcome.NO_ANSWER
        return outcome, NoProblem(proposal.fault or "the reply holds no problem")
    if not proposal.edits:
        if proposal.refusals:
            return Outcome.REFUSED_EDIT, EditsRefused(proposal.refusals)
        return Outcome.NO_EDIT if answered else Outcome.NO_ANSWER, NoEdit(_sentence(proposal.fault))
    idle = proposal.draft.without_effects()
    return (Outcome.INSANE_DOMAIN, InsaneDomain(idle)) if idle else None


def _sentence(fault: str | None) -> str:
    """The fault as a sentence; a root has none, as nothing was asked for yet."""
    return f"{fault[:1].upper()}{fault[1:]}." if fault else ""
