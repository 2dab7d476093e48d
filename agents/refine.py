"""Problems, domains and their refinement: everything that Algorithm 1 asks of the language model.

The problem is fixed first. The domain is then written for it by edits and corrected turn by turn; the edits
of a reply apply to its parent's draft, and a parent's conversation is the start of its children's. A reply
that brings nothing usable still makes a proposal, one that says so: its place in the order is the
evaluation's.

A domain that is there already can stand in the place of the first one (`seeded`). It is put in the words of a
reply, as calls of the two edit functions, and read as every reply is; so the conversation goes on from it as
from any other. Its actions are those of the world: parameters in the same order under any names. What it
lacks of the world's actions stays empty and can be corrected like all else.

An `Improver` refines domain and problems together, on several tasks: what the method `refine` asks for. It
begins as a `Refiner` does: a problem for the first task, then a domain for it by edits. From there, a
proposal holds a problem for each of the first tasks, and what it wants next is decided by its failure: edits
of the domain; edits of the domain or a better problem, whichever the language model finds at fault; or the
problem of the next task, once those it has are solved. What other proposals were refuted by is told too.

Source: Mahdavi et al. 2024, section 4.4 and Appendix B.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents import requests
from agents.edits import read_edits
from agents.llm.interface import Completion, LanguageModel, Message, Usage
from agents.problems import (
    ProblemReading,
    commented,
    declared_arities,
    definitions,
    read_problem_completion,
    read_problem_reply,
)
from agents.prompts import Messages
from agents.proposal import Proposal
from agents.replies import ReplyTooLarge, call_blocks
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.terms import Part, Tree, conjuncts_of, tree_of
from envs.pddl.language.vocabulary import show_declaration
from ew.counterexample.disagreement import Observation


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


#: Of what other proposals were refuted by, so much is told.
MAX_TOLD = 8


class Wanted(StrEnum):
    """What the next proposal should bring."""

    DOMAIN = "domain"  #: edits of the domain
    EITHER = "either"  #: edits of the domain, a better problem, or both
    TASK = "task"  #: a problem for the next task


@dataclass(frozen=True)
class Failing:
    """A proposal's failure, as far as the next request tells it."""

    words: str
    task: int  #: the index of the task it was met in
    wanted: Wanted
    elsewhere: tuple[Observation, ...] = ()  #: what other proposals for this task were refuted by


@dataclass(frozen=True, kw_only=True)
class Translation(ProblemReading):
    """The problem of a task, or why there is none, and the conversation that brought it."""

    messages: Messages
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Improver:
    """The language model at work on several tasks of one world. Stateless; raises LLMError."""

    tasks: tuple[WorldTexts, ...]  #: the first is the one that roots are made for
    model: LanguageModel

    def roots(self, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` problems for the first task; see `Refiner.problems`."""
        return self._refiner.problems(n, seed)

    def children(self, parent: Proposal, failing: Failing, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` proposals that correct `parent`, in sample order; a single one if the next task is wanted.

        Raises ValueError if the parent has no problem, or no further task is left.
        """
        if parent.is_root:
            return self._refiner.domains(parent, "", n, seed)
        if failing.wanted is Wanted.TASK:
            return (self._with_next_task(parent, seed),)
        messages = requests.follow_up(parent.messages, self._turn(parent, failing))
        completions = sample(self.model, messages, n, seed)
        return tuple(self._child(parent, failing, messages, completion) for completion in completions)

    def translate(self, solution: Proposal, task: WorldTexts, seed: int) -> Translation:
        """The problem of a further task, one-shot from the first task's; asked for as `Refiner` does."""
        if solution.problem is None:
            raise ValueError(f"no task can be translated without a first problem: {solution.fault}")
        messages = requests.next_task_request(self.tasks[0], solution.problem, solution.draft, task)
        return self._translation(messages, solution, task, seed)

    def settled(self, solution: Proposal, number: int) -> Translation:
        """The problem of a task that was refined on, as the answer to the question for it.

        So that another one can be asked for, as for every task.
        """
        problem = solution.problems[number]
        answer = Message("assistant", f"```pddl\n{problem.strip()}\n```")
        messages = requests.follow_up(requests.problem_request(self.tasks[number]), answer)
        return Translation(problem, messages=messages)

    def another_problem(
        self,
        failed: Translation,
        words: str,
        solution: Proposal,
        task: WorldTexts,
        seed: int,
        standing: requests.DomainStanding,
    ) -> Translation:
        """Another problem for `task`, after `failed` failed in this way; the domain is kept."""
        turn = requests.problem_correction_turn(words, solution.draft, standing)
        messages = requests.follow_up(failed.messages, turn)
        return self._translation(messages, solution, task, seed)

    @property
    def _refiner(self) -> Refiner:
        return Refiner(self.tasks[0], self.model)

    def _turn(self, parent: Proposal, failing: Failing) -> Message:
        task = self.tasks[failing.task]
        words = "\n\n".join(filter(None, (failing.words, requests.observed(failing.elsewhere[:MAX_TOLD]))))
        if failing.wanted is Wanted.DOMAIN:
            task_words = requests.in_another_task(words, task) if failing.task else words
            return requests.feedback_turn(task_words, parent.unapplied, parent.draft)
        problem = parent.problems[failing.task]
        return requests.either_turn(words, parent.unapplied, parent.draft, task, problem, failing.task > 0)

    def _child(
        self, parent: Proposal, failing: Failing, messages: Messages, completion: Completion
    ) -> Proposal:
        child = read_domain_reply(parent, messages, completion)
        unwanted = failing.wanted is not Wanted.EITHER or why_unanswered(completion)
        if unwanted or extract_pddl(completion.text).problem is None:
            return child
        meanings = definitions(parent.problem or "", declared_arities(child.draft.text()))
        reading = read_problem_reply(completion.text, self.tasks[failing.task], child.draft, meanings)
        if reading.problem is None:
            refusal = f"the problem cannot be used: {reading.fault}"
            return replace(child, refusals=(*child.refusals, refusal), fault=None)
        corrected = child.with_problem(failing.task, reading.problem)
        return replace(corrected, edits=child.edits + 1, fault=None)

    def _with_next_task(self, parent: Proposal, seed: int) -> Proposal:
        """The same domain with one problem more; the conversation about the domain goes on as it was.

        After a problem that could not be used, its fault is given and another one asked for.
        """
        number = len(parent.problems)
        if number == len(self.tasks):
            raise ValueError("there is no further task to be translated")
        task = self.tasks[number]
        if parent.fault and parent.aside:
            standing = requests.DomainStanding.SOLVED
            turn = requests.problem_correction_turn(parent.fault, parent.draft, standing)
            found = self._translation((*parent.aside, turn), parent, task, seed)
        else:
            found = self.translate(parent, task, seed)
        revised = replace(
            parent, fault=found.fault, usage=found.usage, aside=found.messages, mended=None, queries=0,
            simulator=None,
        )  # fmt: skip
        return revised if found.problem is None else revised.with_problem(number, found.problem)

    def _translation(
        self, messages: Messages, solution: Proposal, task: WorldTexts, seed: int
    ) -> Translation:
        (completion,) = sample(self.model, messages, 1, seed)
        reading = read_problem_completion(completion, task, solution.draft)
        conversation = (*messages, as_reply(completion))
        return Translation(**vars(reading), messages=conversation, usage=completion.usage)
