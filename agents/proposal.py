"""A candidate of the search, and the kinds of failure of it that need no environment.

A candidate is a problem, the domain drafted for it so far, and the conversation behind it. The order of the
checks is the published order of the ratings, worst first.
Source: Mahdavi et al. 2024, Appendix B.3.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace

from agents.draft import DomainDraft
from agents.llm.interface import Finish, Message, Usage
from agents.llm.keys import conversation_key
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import Diagnosis, PDDLError
from ew.counterexample.disagreement import Observation
from ew.counterexample.feedback import EditsRefused, Failure, Faults, InsaneDomain, NoEdit, NoProblem
from ew.score.rating import Outcome
from ew.walks.budget import SimulatorCost


@dataclass(frozen=True)
class Mended:
    """How a repair made a proposal of another one, in words; see `agents.repair.proposals`."""

    agrees: bool  #: whether nothing that was seen in the environment speaks against it any more
    edits: tuple[str, ...]
    evidence: str  #: the ledger of what was seen
    #: The same for people, see `agents.repair.proposals`. No evaluation reads it, so no key holds it.
    ledger: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    left_out: int = field(default=0, repr=False)  #: entries of the ledger that there was no room for


@dataclass(frozen=True)
class Proposal:
    """What a completion has proposed. Frozen and picklable; a search's payload.

    A root proposes a problem and holds no conversation. Every other proposal holds the conversation up to
    and with the reply that made it, its parent's problem, and the parent's draft after the reply's edits. One
    that a repair made holds its parent's conversation, whose last reply is not its own.
    """

    problem: str | None  #: problem PDDL, or None if the reply held none that can be used
    draft: DomainDraft
    messages: tuple[Message, ...] = ()
    edits: int = 0  #: how many edits of the reply were applied
    refusals: tuple[str, ...] = ()  #: why edits of the reply were refused
    fault: str | None = None  #: why the reply holds no problem, or no edit at all
    finish: Finish = Finish.STOP  #: how the completion ended; a reply is only read after STOP
    usage: Usage = field(default_factory=Usage)  #: what the completion took
    further: tuple[str, ...] = ()  #: problems of the second task and those after it
    observations: tuple[
        Observation, ...
    ] = ()  #: what the environment is known to do, see `ew.counterexample.disagreement`
    aside: tuple[Message, ...] = ()  #: the conversation that brought its last problem, where that is another
    mended: Mended | None = None  #: by the repair that made it, if it was one and no reply
    queries: int = 0  #: of the environment, that were asked to make it
    simulator: SimulatorCost | None = None  #: what its simulator did for that; None where it is batched

    @property
    def is_root(self) -> bool:
        """Whether no domain has been asked for yet."""
        return not self.messages

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the first tasks, in their order; empty without a first one."""
        return () if self.problem is None else (self.problem, *self.further)

    def with_problem(self, number: int, problem: str) -> Proposal:
        """The same with another problem, or one more, at a place in `problems`."""
        problems = (*self.problems[:number], problem, *self.problems[number + 1 :])
        return replace(self, problem=problems[0], further=problems[1:])

    @property
    def unapplied(self) -> tuple[str, ...]:
        """The refusals that stand beside applied edits, so that the evaluation's failure is another one."""
        return self.refusals if self.edits else ()

    @property
    def read_from(self) -> tuple[Message, ...]:
        """The conversation whose last turn is the reply that it was read from; empty if a repair made it."""
        return () if self.mended else self.aside or self.messages

    @property
    def asked(self) -> str | None:
        """The `conversation_key` of what that reply answers; None if it was not kept."""
        turns = [{"role": m.role, "content": m.content} for m in self.read_from[:-1]]
        return conversation_key(turns, None) if turns else None

    @property
    def domain(self) -> str:
        """The draft's PDDL."""
        return self.draft.text()

    @property
    def key(self) -> str:
        """SHA-256 of all that an evaluation sees and counts. The conversation is no part of it."""
        seen = [self.problem, self.domain, self.edits, self.refusals, self.fault, self.finish, self.is_root]
        known = [str(observation) for observation in self.observations]
        made = [repr(self.mended), self.queries] if self.mended or self.queries else []
        made += [str(self.simulator)] if self.simulator else []
        return hashlib.sha256(json.dumps([*seen, self.further, known, *made]).encode()).hexdigest()


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
        fault = proposal.fault or ""  # a root has none, as nothing was asked for yet
        words = f"{fault[:1].upper()}{fault[1:]}." if fault else ""
        return Outcome.NO_EDIT if answered else Outcome.NO_ANSWER, NoEdit(words)
    idle = proposal.draft.without_effects()
    return (Outcome.INSANE_DOMAIN, InsaneDomain(idle)) if idle else None
