"""From a task's text to a problem: the methods that ask a language model for an IR, and one that does not.

    tic-ic   one request, with an example of the domain as text and IR
    tic-g3   three requests, the same for every domain: numbers of objects, named objects, all else
    tic-g1   the same in one request
    llm+p    the PDDL problem itself, with an example of the domain as text and PDDL: the baseline

An answer that cannot be used, or states what has no meaning in the domain, may be sent back with what is
wrong with it, up to `corrections` times; the published protocol has none. What follows from an answer is
inferred and compiled by code.
Source: Agarwal and Sreepathy 2024; for the baseline Liu et al. 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel
from agents.replies import ReplyTooLarge, code_blocks
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.tic.knowledge import Knowledge
from agents.tic.materialise import Ending, Materialised, materialise, with_names_of
from agents.tic.requests import (
    Messages,
    cardinalities_request,
    direct_request,
    generic_request,
    in_context_request,
    mend_turn,
    objects_request,
    rules_request,
)
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_problem


class Style(StrEnum):
    """How a language model is asked."""

    DIRECT = "llm+p"
    IN_CONTEXT = "tic-ic"
    THREE_PROMPTS = "tic-g3"
    ONE_PROMPT = "tic-g1"


@dataclass(frozen=True)
class Translation:
    """What became of a task's text."""

    ending: Ending
    problem: str | None = None  #: PDDL, exactly if the ending is TRANSLATED
    ir: str | None = None  #: the last program that was read, if one was asked for and answered
    fault: str = ""  #: what is wrong, in words
    notes: tuple[str, ...] = ()  #: what looks wrong in a program that has a problem, in words
    mistakes: tuple[str, ...] = ()  #: what is wrong in it all the same, in words
    answers: int = 1  #: to the last request: the first and those that mended it


#: From the text of an IR to a problem: `materialise`, or a way to have it done elsewhere.
Materialise = Callable[[str, Knowledge], Materialised]


@dataclass(frozen=True)
class Translator:
    """Translates the tasks of one domain. Stateless; raises LLMError, and what `run` raises."""

    style: Style
    knowledge: Knowledge
    model: LanguageModel
    corrections: int = 0
    run: Materialise = materialise

    def translate(self, task: str, seed: int) -> Translation:
        """The problem of a task's text."""
        knowledge = with_names_of(self.knowledge, task)
        *pieces, request = requests_of(self.style, knowledge, task)
        known = [self._piece(messages, derived_seed(seed, "piece", i)) for i, messages in enumerate(pieces)]
        if unanswered := next((piece for piece in known if isinstance(piece, Translation)), None):
            return unanswered
        program = "\n".join(map(str, known))
        if program:
            request = rules_request(knowledge, task, program)
        return self._converse(request, knowledge, seed, program)

    def _piece(self, messages: Messages, seed: int) -> str | Translation:
        """A part of a program as it was answered; it is read with the whole."""
        (completion,) = sample(self.model, messages, 1, seed)
        return block_of(completion)

    def _read(self, knowledge: Knowledge, text: str) -> Translation:
        if self.style is Style.DIRECT:
            return _read_pddl(knowledge, text)
        found = self.run(text, knowledge)
        return Translation(found.ending, found.problem, text, found.fault, found.notes, found.mistakes)

    def _converse(self, messages: Messages, knowledge: Knowledge, seed: int, known: str) -> Translation:
        """The last of up to `1 + corrections` answers that has a problem, or the last one.

        Up to the first that is a program, answers are read together with what is `known`.
        """
        best: Translation | None = None
        for answers in range(1, self.corrections + 2):
            again = seed if answers == 1 else derived_seed(seed, "again", answers)
            (completion,) = sample(self.model, messages, 1, again)
            block = block_of(completion)
            if isinstance(block, str):
                block = self._read(knowledge, f"{known}\n{block}" if known else block)
            if block.problem is not None or best is None or best.problem is None:
                best = block
            if block.problem is not None and not block.mistakes:
                break
            turn = mend_turn(block.fault or "\n".join(block.mistakes), block.ir if known else None)
            messages, known = (*messages, as_reply(completion), turn), "" if block.ir else known
        assert best is not None, "there is one answer at least"
        return replace(best, answers=answers)


def requests_of(style: Style, knowledge: Knowledge, task: str) -> tuple[Messages, ...]:
    """What is asked, in this order; what earlier answers put into a later request is left out."""
    match style:
        case Style.DIRECT:
            return (direct_request(knowledge, task),)
        case Style.IN_CONTEXT:
            return (in_context_request(knowledge, task),)
        case Style.ONE_PROMPT:
            return (generic_request(knowledge, task),)
        case Style.THREE_PROMPTS:
            pieces = cardinalities_request(knowledge, task), objects_request(knowledge, task)
            return (*pieces, rules_request(knowledge, task, ""))


def block_of(completion: Completion) -> str | Translation:
    """The last code block of a reply, or all of it if there is none; a translation that says why not."""
    fault = why_unanswered(completion)
    if fault:
        return Translation(Ending.NO_ANSWER, fault=fault)
    try:
        blocks = code_blocks(completion.text)
    except ReplyTooLarge as refusal:
        return Translation(Ending.REFUSED, fault=str(refusal))
    return (blocks[-1] if blocks else completion.text).strip()


def _read_pddl(knowledge: Knowledge, text: str) -> Translation:
    """The problem in a text, in canonical form."""
    problem = extract_pddl(text).problem
    if problem is None:
        return Translation(Ending.REFUSED, fault="the answer holds no whole (define (problem ...) ...)")
    try:
        read = read_problem(problem, read_domain(knowledge.domain))
    except PDDLError as error:
        return Translation(Ending.UNFIT, fault=str(error))
    return Translation(Ending.TRANSLATED, render_problem(read))
