"""Problems, domains and their refinement: everything that Algorithm 1 asks of the language model.

The problem is fixed first. The domain is then written for it by edits and corrected turn by turn; the edits
of a reply apply to its parent's draft, and a parent's conversation is the start of its children's. A reply
that brings nothing usable still makes a proposal, one that says so: its place in the order is the
evaluation's.

A domain that is there already can stand in the place of the first one (`seeded`). It is put in the words of a
reply, as calls of the two edit functions, and read as every reply is; so the conversation goes on from it as
from any other. Its actions are those of the world: parameters in the same order under any names. What it
lacks of the world's actions stays empty and can be corrected like all else.

Source: Mahdavi et al. 2024, section 4.4 and Appendix B.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from agents import requests
from agents.definitions import commented, declared_arities, definitions
from agents.edits import read_edits
from agents.llm.interface import Completion, LanguageModel, Message
from agents.problems import ProblemReading, read_problem_completion
from agents.prompts import Messages
from agents.proposal import Proposal
from agents.replies import ReplyTooLarge, call_blocks
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.terms import Part, Tree, conjuncts_of, tree_of
from envs.pddl.language.vocabulary import show_declaration


@dataclass(frozen=True)
class Refiner:
    """The language model at work on one task. Stateless; raises what the model raises (LLMError)."""

    texts: WorldTexts
    model: LanguageModel
    draft_domain_first: bool = False  #: whether each problem is written from a drafted domain (DomProp)
    given_domain: str = ""  #: PDDL that problems are written from, in the place of a draft; empty for none

    def problems(self, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` roots in sample order; one whose `problem` is None holds the reason as its `fault`."""
        if self.draft_domain_first and not self.given_domain:
            drafts = sample(self.model, requests.proposal_request(self.texts), n, seed)
            return tuple(self._from_draft(d, derived_seed(seed, "problem", i)) for i, d in enumerate(drafts))
        messages = requests.problem_request(self.texts)
        if self.given_domain:
            messages = requests.problem_from_proposal_request(self.texts, self.given_domain)
        return tuple(self._root(messages, answer) for answer in sample(self.model, messages, n, seed))

    def domains(self, parent: Proposal, feedback: str, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` children of `parent` in sample order. `feedback` (the parent's failure) is unused for a root.

        Raises ValueError if the parent has no problem.
        """
        if parent.problem is None:
            raise ValueError(f"no domain can be asked for without a problem: {parent.fault}")
        if parent.is_root:
            messages = requests.domain_request(self.texts, parent.problem)
        else:
            turn = requests.feedback_turn(feedback, parent.unapplied, parent.draft)
            messages = requests.follow_up(parent.messages, turn)
        answers = sample(self.model, messages, n, seed)
        return tuple(read_domain_reply(parent, messages, answer) for answer in answers)

    def _from_draft(self, completion: Completion, seed: int) -> Proposal:
        """The root that is written from a drafted domain; without a draft, one that says so."""
        unanswered = why_unanswered(completion)
        draft = None if unanswered else extract_pddl(completion.text).domain
        if draft is None:
            fault = unanswered or "the reply holds no whole (define (domain ...) ...)"
            return self._root(requests.proposal_request(self.texts), completion, fault=fault)
        meanings = definitions(completion.text, declared_arities(draft))
        drafted = commented(draft, meanings, "(define")
        messages = requests.problem_from_proposal_request(self.texts, drafted)
        (answer,) = sample(self.model, messages, 1, seed)
        root = self._root(messages, answer, meanings)
        return replace(root, usage=completion.usage + answer.usage)

    def _root(
        self,
        messages: Messages,
        completion: Completion,
        meanings: Mapping[str, str] | None = None,
        fault: str | None = None,
    ) -> Proposal:
        """The root that a completion makes, or one with that fault; `messages` is what it answers."""
        reading = ProblemReading(None, fault)
        if fault is None:
            reading = read_problem_completion(completion, self.texts, defined=meanings)
        return Proposal(
            reading.problem,
            self.texts.draft,
            fault=reading.fault,
            finish=completion.finish,
            usage=completion.usage,
            aside=(*messages, as_reply(completion)),
        )


def read_domain_reply(parent: Proposal, messages: Messages, completion: Completion) -> Proposal:
    """The child that a completion makes of `parent`; `messages` is what it answers."""
    child = Proposal(
        parent.problem,
        parent.draft,
        (*messages, as_reply(completion)),
        finish=completion.finish,
        usage=completion.usage,
        further=parent.further,
        observations=parent.observations,
    )
    if unanswered := why_unanswered(completion):
        return replace(child, fault=unanswered)
    try:
        blocks = call_blocks(completion.text)
    except ReplyTooLarge as refusal:
        # The reply is not kept either: it would be sent again with every further turn.
        short = (*messages, Message("assistant", "(the answer was too long)"))
        return replace(child, messages=short, refusals=(str(refusal),))
    reading = read_edits(blocks)
    draft, misfits = parent.draft.apply(reading.edits)
    refusals = reading.refusals + misfits
    edits = len(reading.edits) - len(misfits)
    fault = None if edits or refusals else "no call of the two functions was found in it"
    return replace(child, draft=draft, edits=edits, refusals=refusals, fault=fault)


def seeded(parent: Proposal, texts: WorldTexts, domain: str) -> Proposal:
    """The child of a root that this domain makes. Raises PDDLError for one that cannot be read."""
    if parent.problem is None:
        raise ValueError(f"no domain fits a root without a problem: {parent.fault}")
    messages = requests.domain_request(texts, parent.problem)
    return read_domain_reply(parent, messages, Completion(edit_calls(read_domain(domain), texts)))


def edit_calls(domain: Domain, texts: WorldTexts) -> str:
    """A domain as a reply of a language model: predicates, and actions in the variables of the world."""
    declared = [show_declaration(*one) for one in domain.vocabulary.predicates.items()]
    lines = [f"add_or_update_predicates({json.dumps(declared)})"]
    tree = tree_of(domain)
    for action in texts.actions:
        own = domain.vocabulary.actions.get(action.name)
        if own is None or len(own) != len(action.parameters):
            continue
        names = {variable: p.name for (variable, _), p in zip(own, action.parameters, strict=True)}
        parts = [conjuncts_of(_renamed(tree.part(action.name, part), names)) for part in Part]
        lines.append(f"modify_action({json.dumps(action.name)}, {', '.join(map(json.dumps, parts))})")
    return "```python\n" + "\n".join(lines) + "\n```"


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    if isinstance(tree, str):
        return names.get(tree, tree)
    return tuple(_renamed(part, names) for part in tree)
