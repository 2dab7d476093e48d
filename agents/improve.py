"""Refinement of domain and problems together, on several tasks: what the method `refine` asks for.

It begins as `agents.refine` does: a problem for the first task, then a domain for it by edits. From there, a
proposal holds a problem for each of the first tasks, and what it wants next is decided by its failure: edits
of the domain; edits of the domain or a better problem, whichever the language model finds at fault; or the
problem of the next task, once those it has are solved. What other proposals were refuted by is told too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents import requests
from agents.definitions import declared_arities, definitions
from agents.llm.interface import Completion, LanguageModel, Message, Usage
from agents.problems import ProblemReading, read_problem_completion, read_problem_reply
from agents.prompts import Messages
from agents.proposal import Proposal
from agents.refine import Refiner, read_domain_reply
from agents.sampling import as_reply, sample, why_unanswered
from agents.texts import WorldTexts
from envs.pddl.language.extract import extract_pddl
from ew.counterexample.disagreement import Observation

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
            parent, fault=found.fault, usage=found.usage, aside=found.messages, mended=None, queries=0
        )
        return revised if found.problem is None else revised.with_problem(number, found.problem)

    def _translation(
        self, messages: Messages, solution: Proposal, task: WorldTexts, seed: int
    ) -> Translation:
        (completion,) = sample(self.model, messages, 1, seed)
        reading = read_problem_completion(completion, task, solution.draft)
        conversation = (*messages, as_reply(completion))
        return Translation(**vars(reading), messages=conversation, usage=completion.usage)
