"""What a proposal is worth before anybody walks in it: the kinds of failure that need no environment.

The order of the checks is the published order of the ratings, worst first.
Source: Mahdavi et al. 2024, Appendix B.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.llm.interface import Finish
from agents.proposal import Proposal
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.issues import Diagnosis
from ew.counterexample.feedback import EditsRefused, Failure, Faults, InsaneDomain, NoEdit, NoProblem
from ew.score.rating import Outcome


@dataclass(frozen=True)
class Checked:
    """A proposal's texts, and what is wrong with it; `outcome` and `failure` are None if nothing is."""

    domain: str
    problem: str | None
    outcome: Outcome | None = None
    failure: Failure | None = None


def check_candidate(proposal: Proposal) -> Checked:
    """Whether the proposal's domain and problem can be grounded and walked in."""
    found = _failure(proposal)
    if found is None:
        return Checked(proposal.domain, proposal.problem)
    outcome, failure = found
    return Checked(proposal.domain, proposal.problem, outcome, failure)


def _failure(proposal: Proposal) -> tuple[Outcome, Failure] | None:
    answered = proposal.finish is Finish.STOP
    if proposal.problem is None:
        outcome = Outcome.NO_PROBLEM if answered else Outcome.NO_ANSWER
        return outcome, NoProblem(proposal.fault or "the reply holds no problem")
    if not proposal.edits:
        if proposal.refusals:
            return Outcome.REFUSED_EDIT, EditsRefused(proposal.refusals)
        return Outcome.NO_EDIT if answered else Outcome.NO_ANSWER, NoEdit(_sentence(proposal.fault))
    idle = proposal.draft.without_effects()
    if idle:
        return Outcome.INSANE_DOMAIN, InsaneDomain(idle)
    errors = diagnose(proposal.domain, proposal.problem).errors
    return (Outcome.INVALID_DOMAIN, Faults(Diagnosis(errors))) if errors else None


def _sentence(fault: str | None) -> str:
    """The fault as a sentence; a root has none, as nothing was asked for yet."""
    return f"{fault[:1].upper()}{fault[1:]}." if fault else ""
