"""Problems, domains and their refinement: everything that Algorithm 1 asks of the language model.

The problem is fixed first. The domain is then written for it by edits and mended turn by turn; the edits of
a reply apply to its parent's draft, and a parent's conversation is the start of its children's. A reply that
brings nothing usable still makes a proposal, one that says so: its place in the order is the evaluation's.

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

from agents.definitions import commented, declared_arities, definitions
from agents.edits import read_edits
from agents.llm.interface import Completion, LanguageModel, Message, Usage
from agents.problems import ProblemReading, read_problem_reply
from agents.proposal import Proposal
from agents.replies import ReplyTooLarge, call_blocks
from agents.requests import (
    Messages,
    domain_request,
    feedback_turn,
    follow_up,
    next_task_request,
    problem_from_proposal_request,
    problem_request,
    proposal_request,
)
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.terms import Part, Tree, show, tree_of
from envs.pddl.language.vocabulary import show_typed


@dataclass(frozen=True)
class Refiner:
    """The language model at work on one task. Stateless; raises what the model raises (LLMError)."""

    texts: WorldTexts
    model: LanguageModel
    draft_domain_first: bool = False  #: whether each problem is written from a drafted domain (DomProp)
    given_domain: str = ""  #: PDDL that problems are written from, in the place of a draft; empty for none

    def problems(self, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` roots in sample order; one whose `problem` is None holds the reason as its `fault`."""
        if self.given_domain:
            messages = problem_from_proposal_request(self.texts, self.given_domain)
            completions = sample(self.model, messages, n, seed)
            return tuple(self._root(messages, c, self._read(c), c.usage) for c in completions)
        if self.draft_domain_first:
            drafts = sample(self.model, proposal_request(self.texts), n, seed)
            return tuple(self._from_draft(d, derived_seed(seed, "problem", i)) for i, d in enumerate(drafts))
        messages = problem_request(self.texts)
        completions = sample(self.model, messages, n, seed)
        return tuple(self._root(messages, c, self._read(c), c.usage) for c in completions)

    def domains(self, parent: Proposal, feedback: str, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` children of `parent` in sample order. `feedback` (the parent's failure) is unused for a root.

        Raises ValueError if the parent has no problem.
        """
        if parent.problem is None:
            raise ValueError(f"no domain can be asked for without a problem: {parent.fault}")
        if parent.is_root:
            messages = domain_request(self.texts, parent.problem)
        else:
            turn = feedback_turn(feedback, parent.unapplied, parent.draft)
            messages = follow_up(parent.messages, turn)
        return tuple(
            read_domain_reply(parent, messages, completion)
            for completion in sample(self.model, messages, n, seed)
        )

    def translate(self, solution: Proposal, task: WorldTexts, seed: int) -> ProblemReading:
        """The problem of a further task of this world, one-shot, checked against the domain of `solution`.

        Raises ValueError if `solution` has no problem.
        """
        if solution.problem is None:
            raise ValueError(f"no task can be translated without a first problem: {solution.fault}")
        messages = next_task_request(self.texts, solution.problem, solution.draft, task)
        (completion,) = sample(self.model, messages, 1, seed)
        unanswered = why_unanswered(completion)
        if unanswered:
            return ProblemReading(None, unanswered, answered=False)
        return read_problem_reply(completion.text, task, solution.draft)

    def _from_draft(self, completion: Completion, seed: int) -> Proposal:
        """A root from a drafted domain; a reply without one makes a root without problem."""
        unanswered = why_unanswered(completion)
        draft = None if unanswered else extract_pddl(completion.text).domain
        if draft is None:
            fault = unanswered or "the reply holds no whole (define (domain ...) ...)"
            asked = proposal_request(self.texts)
            return self._root(asked, completion, ProblemReading(None, fault), completion.usage)
        meanings = definitions(completion.text, declared_arities(draft))
        messages = problem_from_proposal_request(self.texts, commented(draft, meanings, "(define"))
        (answer,) = sample(self.model, messages, 1, seed)
        return self._root(messages, answer, self._read(answer, meanings), completion.usage + answer.usage)

    def _read(self, completion: Completion, meanings: Mapping[str, str] | None = None) -> ProblemReading:
        unanswered = why_unanswered(completion)
        if unanswered:
            return ProblemReading(None, unanswered, answered=False)
        return read_problem_reply(completion.text, self.texts, defined=meanings)

    def _root(
        self, messages: Messages, completion: Completion, reading: ProblemReading, usage: Usage
    ) -> Proposal:
        """The root that a completion makes; `messages` is what it answers."""
        return Proposal(
            reading.problem,
            self.texts.draft,
            fault=reading.fault,
            finish=completion.finish,
            usage=usage,
            aside=(*messages, as_reply(completion)),
        )


def read_domain_reply(parent: Proposal, messages: tuple[Message, ...], completion: Completion) -> Proposal:
    """The child that a completion makes of `parent`; `messages` is what it answers."""
    child = replace(
        parent,
        messages=(*messages, as_reply(completion)),
        edits=0,
        refusals=(),
        fault=None,
        finish=completion.finish,
        usage=completion.usage,
        aside=(),
        mended=None,
        queries=0,
    )
    unanswered = why_unanswered(completion)
    if unanswered:
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
    messages = domain_request(texts, parent.problem)
    return read_domain_reply(parent, messages, Completion(edit_calls(read_domain(domain), texts)))


def edit_calls(domain: Domain, texts: WorldTexts) -> str:
    """A domain as a reply of a language model: predicates, and actions in the variables of the world."""
    declared = [
        f"({f'{name} {show_typed(kinds)}'.strip()})" for name, kinds in domain.vocabulary.predicates.items()
    ]
    lines = [f"add_or_update_predicates({json.dumps(declared)})"]
    tree = tree_of(domain)
    for action in texts.actions:
        own = domain.vocabulary.actions.get(action.name)
        if own is None or len(own) != len(action.parameters):
            continue
        names = {variable: p.name for (variable, _), p in zip(own, action.parameters, strict=True)}
        parts = [_conjuncts(_renamed(tree.part(action.name, part), names)) for part in Part]
        lines.append(f"modify_action({json.dumps(action.name)}, {', '.join(map(json.dumps, parts))})")
    return "```python\n" + "\n".join(lines) + "\n```"


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    if isinstance(tree, str):
        return names.get(tree, tree)
    return tuple(_renamed(part, names) for part in tree)


def _conjuncts(tree: Tree) -> list[str]:
    """The parts of a conjunction; of anything else, itself."""
    assert not isinstance(tree, str), "a condition or effect is in parentheses"
    return [show(part) for part in (tree[1:] if tree[:1] == ("and",) else (tree,))]
