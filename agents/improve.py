"""Refinement of domain and problems together, on several tasks: what the method `refine` asks for.

It begins as `agents.refine` does: a problem for the first task, then a domain for it by edits. From there, a
proposal holds a problem for each of the first tasks, and what it wants next is decided by its failure: edits
of the domain; edits of the domain or a better problem, whichever the language model finds at fault; or the
problem of the next task, once those it has are solved. What other proposals were refuted by is told too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.definitions import declared_arities, definitions
from agents.llm.interface import Completion, LanguageModel, Message, Usage
from agents.problems import Misfit, ProblemReading, read_problem_reply
from agents.proposal import Proposal
from agents.refine import Refiner, read_domain_reply
from agents.requests import (
    DomainStanding,
    either_turn,
    feedback_turn,
    follow_up,
    in_another_task,
    mend_problem_turn,
    next_task_request,
    observed,
    problem_request,
)
from agents.sampling import as_reply, sample, why_unanswered
from agents.texts import WorldTexts
from envs.pddl.language.extract import extract_pddl
from ew.counterexample.observations import Observation

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


@dataclass(frozen=True)
class Translation:
    """The problem of a task, or why there is none, and the conversation that brought it."""

    problem: str | None
    fault: str | None
    messages: tuple[Message, ...]
    usage: Usage
    answered: bool = True  #: see `ProblemReading`
    misfits: tuple[Misfit, ...] = ()  #: see `ProblemReading`


@dataclass(frozen=True)
class Improver:
    """The language model at work on several tasks of one world. Stateless; raises LLMError."""

    tasks: tuple[WorldTexts, ...]  #: the first is the one that roots are made for
    model: LanguageModel

    def roots(self, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` problems for the first task; see `Refiner.problems`."""
        return self._refiner.problems(n, seed)

    def children(self, parent: Proposal, failing: Failing, n: int, seed: int) -> tuple[Proposal, ...]:
        """`n` proposals that mend `parent`, in sample order; a single one if the next task is wanted.

        Raises ValueError if the parent has no problem, or no further task is left.
        """
        if parent.is_root:
            return self._refiner.domains(parent, "", n, seed)
        if failing.wanted is Wanted.TASK:
            return (self._with_next_task(parent, seed),)
        messages = follow_up(parent.messages, self._turn(parent, failing))
        completions = sample(self.model, messages, n, seed)
        return tuple(self._child(parent, failing, messages, completion) for completion in completions)

    def translate(self, solution: Proposal, task: WorldTexts, seed: int) -> Translation:
        """The problem of a further task, one-shot from the first task's; asked for as `Refiner` does."""
        if solution.problem is None:
            raise ValueError(f"no task can be translated without a first problem: {solution.fault}")
        messages = next_task_request(self.tasks[0], solution.problem, solution.draft, task)
        return self._translation(messages, solution, task, seed)

    def settled(self, solution: Proposal, number: int) -> Translation:
        """The problem of a task that was refined on, as the answer to the question for it.

        So that another one can be asked for, as for every task.
        """
        problem = solution.problems[number]
        answer = Message("assistant", f"```pddl\n{problem.strip()}\n```")
        return Translation(problem, None, follow_up(problem_request(self.tasks[number]), answer), Usage())

    def mend(
        self,
        failed: Translation,
        words: str,
        solution: Proposal,
        task: WorldTexts,
        seed: int,
        standing: DomainStanding,
    ) -> Translation:
        """Another problem for `task`, after `failed` failed in this way; the domain is kept."""
        messages = follow_up(failed.messages, mend_problem_turn(words, solution.draft, standing))
        return self._translation(messages, solution, task, seed)

    @property
    def _refiner(self) -> Refiner:
        return Refiner(self.tasks[0], self.model)

    def _turn(self, parent: Proposal, failing: Failing) -> Message:
        task = self.tasks[failing.task]
        words = "\n\n".join(filter(None, (failing.words, observed(failing.elsewhere[:MAX_TOLD]))))
        if failing.wanted is Wanted.DOMAIN:
            told = in_another_task(words, task) if failing.task else words
            return feedback_turn(told, parent.unapplied, parent.draft)
        problem = parent.problems[failing.task]
        return either_turn(words, parent.unapplied, parent.draft, task, problem, failing.task > 0)

    def _child(
        self, parent: Proposal, failing: Failing, messages: tuple[Message, ...], completion: Completion
    ) -> Proposal:
        child = read_domain_reply(parent, messages, completion)
        if failing.wanted is not Wanted.EITHER or why_unanswered(completion):
            return child
        if extract_pddl(completion.text).problem is None:
            return child
        meanings = definitions(parent.problem or "", declared_arities(child.draft.text()))
        reading = read_problem_reply(completion.text, self.tasks[failing.task], child.draft, meanings)
        if reading.problem is None:
            refusal = f"the problem cannot be used: {reading.fault}"
            return replace(child, refusals=(*child.refusals, refusal), fault=None)
        mended = child.with_problem(failing.task, reading.problem)
        return replace(mended, edits=child.edits + 1, fault=None)

    def _with_next_task(self, parent: Proposal, seed: int) -> Proposal:
        """The same domain with one problem more; the conversation about the domain goes on as it was."""
        number = len(parent.problems)
        if number == len(self.tasks):
            raise ValueError("there is no further task to be translated")
        found = self._next_task(parent, self.tasks[number], seed)
        told = replace(
            parent, fault=found.fault, usage=found.usage, aside=found.messages, mended=None, queries=0
        )
        return told if found.problem is None else told.with_problem(number, found.problem)

    def _next_task(self, parent: Proposal, task: WorldTexts, seed: int) -> Translation:
        """The problem of the next task; after one that could not be used, its fault is given instead."""
        if not parent.fault or not parent.aside:
            return self.translate(parent, task, seed)
        messages = (*parent.aside, mend_problem_turn(parent.fault, parent.draft, DomainStanding.SOLVED))
        return self._translation(messages, parent, task, seed)

    def _translation(
        self, messages: Sequence[Message], solution: Proposal, task: WorldTexts, seed: int
    ) -> Translation:
        (completion,) = sample(self.model, messages, 1, seed)
        unanswered = why_unanswered(completion)
        reading = (
            ProblemReading(None, unanswered, answered=False)
            if unanswered
            else read_problem_reply(completion.text, task, solution.draft)
        )
        conversation = (*messages, as_reply(completion))
        usage, answered = completion.usage, reading.answered
        return Translation(reading.problem, reading.fault, conversation, usage, answered, reading.misfits)
