"""A candidate of the search: a problem, the domain drafted for it so far, and the conversation behind it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace

from agents.draft import DomainDraft
from agents.llm.interface import Finish, Message, Usage
from agents.llm.keys import conversation_key
from ew.counterexample.observations import Observation


@dataclass(frozen=True)
class Mended:
    """How a repair made a proposal of another one, in words; see `agents.mending`."""

    agrees: bool  #: whether nothing that was seen in the environment speaks against it any more
    edits: tuple[str, ...]
    evidence: str  #: the ledger of what was seen
    #: The same for people, see `agents.repair.ledger_words`. No evaluation reads it, so no key holds it.
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
    ] = ()  #: what the environment is known to do, see `ew.counterexample.observations`
    aside: tuple[Message, ...] = ()  #: the conversation that brought its last problem, where that is another
    mended: Mended | None = None  #: by the repair that made it, if it was one and no reply
    queries: int = 0  #: of the environment, that were asked to make it

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
        return hashlib.sha256(json.dumps([*seen, self.further, known, *made]).encode()).hexdigest()
