"""From a task's text to a problem: what a language model is asked, and what is made of its answers.

    tic-ic   one request, with an example of the domain as text and IR
    tic-g3   three requests, the same for every domain: numbers of objects, named objects, all else
    tic-g1   the same in one request
    llm+p    the PDDL problem itself, with an example of the domain as text and PDDL: the baseline

What a request shows of a domain is what its method may know: the in-context ones an example of the domain,
the generic ones its types and predicates in words, and an example of another domain, the same for all.

An answer that cannot be used, or states what has no meaning in the domain, may be sent back with what is
wrong with it, up to `corrections` times; the published protocol has none. What follows from an answer is
inferred and compiled by code.
Source: Agarwal and Sreepathy 2024; for the baseline Liu et al. 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel, Message
from agents.prompts import Messages, load, request, turn
from agents.replies import ReplyTooLarge, last_block
from agents.requests import translation_request
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.tic.infer import Ending, Materialised, materialise, with_names_of
from agents.tic.knowledge import Knowledge
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_problem
from envs.pddl.language.vocabulary import Parameters, members_of


def in_context_request(knowledge: Knowledge, task: str) -> Messages:
    """The IR of a task, with the domain's own example."""
    shown = {"example_task": knowledge.example_task.strip(), "example_ir": knowledge.example_ir.strip()}
    return _asked("in_context", task, **shown)


def piece_request(piece: str, knowledge: Knowledge, task: str) -> Messages:
    """A piece of the IR alone: the numbers of objects (`cardinalities`), or those with a name (`objects`)."""
    return _asked(piece, task, types=types_in_words(knowledge), **_examples("types", "task", piece))


def rules_request(knowledge: Knowledge, task: str, known: str) -> Messages:
    """What is said about the objects that are `known` (ASP)."""
    return _asked(
        "rules",
        task,
        known=known.strip(),
        example_known=_joined("cardinalities", "objects"),
        **_examples("predicates", "task", "rules"),
        **_language(knowledge),
    )


def generic_request(knowledge: Knowledge, task: str) -> Messages:
    """The IR of a task at once, without an example of the domain."""
    return _asked(
        "generic",
        task,
        example_program=_joined("cardinalities", "objects", "rules"),
        **_examples("types", "predicates", "task"),
        **_language(knowledge),
    )


def direct_request(knowledge: Knowledge, task: str) -> Messages:
    """The PDDL problem of a task: with the domain's own example if there is one, else with the domain."""
    if not knowledge.example_problem:
        return translation_request(knowledge.domain, task)
    return request(
        "system.md",
        "tic/direct.md",
        example_task=knowledge.example_task.strip(),
        example_problem=knowledge.example_problem.strip(),
        task=task.strip(),
    )


def correction_turn(fault: str, program: str | None) -> Message:
    """What is wrong with an answer; `program` is what it was read as, where that is not the answer itself."""
    if program is None:
        return turn("tic/mend_whole.md", faults=fault)
    return turn("tic/mend.md", faults=fault, program=program.strip())


def types_in_words(knowledge: Knowledge) -> str:
    """A line for each type of the domain, as its constant: `shot: a glass that holds one drink`."""
    names = knowledge.names
    return "\n".join(f"- {names.asp(name)}: {about}" for name, about in knowledge.types.items())


def predicates_in_words(knowledge: Knowledge) -> str:
    """A line for each predicate, `at(h: hoist, a: area): h stands in a`, and for each helper of the rules."""
    names, declared = knowledge.names, knowledge.vocabulary.predicates
    lines = [
        f"- {_applied(knowledge, names.asp(name), declared[name])}: {about}"
        for name, about in knowledge.predicates.items()
    ]
    return "\n".join([*lines, *(f"- {form}: {about}" for form, about in knowledge.helpers.items())])


def _applied(knowledge: Knowledge, predicate: str, parameters: Parameters) -> str:
    """A predicate with its typed arguments; a union of types is `crate or area`."""
    asp = knowledge.names.asp
    typed = [f"{v.lstrip('?')}: {' or '.join(map(asp, members_of(kind)))}" for v, kind in parameters]
    return f"{predicate}({', '.join(typed)})" if typed else predicate


def _asked(prompt: str, task: str, **values: str) -> Messages:
    return request("tic/system.md", f"tic/{prompt}.md", task=task.strip(), **values)


def _language(knowledge: Knowledge) -> dict[str, str]:
    """What programs are written in: their grammar, and the domain in words."""
    types, predicates = types_in_words(knowledge), predicates_in_words(knowledge)
    return {"grammar": load("tic/grammar.md"), "types": types, "predicates": predicates}


def _examples(*parts: str) -> dict[str, str]:
    return {f"example_{part}": load(f"tic/example_{part}.md") for part in parts}


def _joined(*parts: str) -> str:
    return "\n".join(_examples(*parts).values())


class Style(StrEnum):
    """How a language model is asked."""

    DIRECT = "llm+p"
    IN_CONTEXT = "tic-ic"
    THREE_PROMPTS = "tic-g3"
    ONE_PROMPT = "tic-g1"


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

    def translate(self, task: str, seed: int) -> Materialised:
        """The problem of a task's text, exactly if the ending is TRANSLATED; the IR that it comes from."""
        knowledge = with_names_of(self.knowledge, task)
        *pieces, request = requests_of(self.style, knowledge, task)
        known = [self._piece(messages, derived_seed(seed, "piece", i)) for i, messages in enumerate(pieces)]
        if unanswered := next((piece for piece in known if isinstance(piece, Materialised)), None):
            return unanswered
        program = "\n".join(map(str, known))
        if program:
            request = rules_request(knowledge, task, program)
        return self._converse(request, knowledge, seed, program)

    def _piece(self, messages: Messages, seed: int) -> str | Materialised:
        """A part of a program as it was answered; it is read with the whole."""
        (completion,) = sample(self.model, messages, 1, seed)
        return block_of(completion)

    def _read(self, knowledge: Knowledge, text: str) -> Materialised:
        if self.style is Style.DIRECT:
            return _read_pddl(knowledge, text)
        return replace(self.run(text, knowledge), ir=text)

    def _converse(self, messages: Messages, knowledge: Knowledge, seed: int, known: str) -> Materialised:
        """The last of up to `1 + corrections` answers that has a problem, or the last one.

        Up to the first that is a program, answers are read together with what is `known`.
        """
        best: Materialised | None = None
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
            turn = correction_turn(block.fault or "\n".join(block.mistakes), block.ir if known else None)
            messages, known = (*messages, as_reply(completion), turn), "" if block.ir else known
        assert best is not None, "there is one answer at least"
        return best


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
            pieces = (piece_request(piece, knowledge, task) for piece in ("cardinalities", "objects"))
            return (*pieces, rules_request(knowledge, task, ""))


def block_of(completion: Completion) -> str | Materialised:
    """The last code block of a reply, or all of it if there is none; a translation that says why not."""
    if fault := why_unanswered(completion):
        return Materialised(ending=Ending.NO_ANSWER, fault=fault)
    try:
        return last_block(completion.text)
    except ReplyTooLarge as refusal:
        return Materialised(ending=Ending.REFUSED, fault=str(refusal))


def _read_pddl(knowledge: Knowledge, text: str) -> Materialised:
    """The problem in a text, in canonical form."""
    problem = extract_pddl(text).problem
    if problem is None:
        fault = "the answer holds no whole (define (problem ...) ...)"
        return Materialised(ending=Ending.REFUSED, fault=fault)
    try:
        read = read_problem(problem, read_domain(knowledge.domain))
    except PDDLError as error:
        return Materialised(ending=Ending.UNFIT, fault=str(error))
    return Materialised(ending=Ending.TRANSLATED, problem=render_problem(read))
