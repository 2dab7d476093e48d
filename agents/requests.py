"""The messages of every request: from texts alone, nothing is sampled here.

A request for PDDL is a system turn, the Blocksworld example as a question with its answer, and the question
itself. A refinement conversation grows out of the domain request by replies and feedback turns, and leaves
the example behind. A plain translation of a task shows no example.

The example (Mahdavi et al. 2024, Appendix B.1) is two turns of the conversation: what an answer to the
request looks like, in a small world. It shows the form and costs tokens in every request that holds it, so it
is short.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import cache

from agents.definitions import commented, declared_arities, definitions
from agents.draft import DomainDraft
from agents.llm.interface import Message
from agents.prompts import load, render
from agents.texts import WorldTexts
from envs.pddl.language.extract import extract_pddl
from ew.counterexample.observations import Observation

Messages = tuple[Message, ...]
#: The requests that begin with an example.
WITH_EXAMPLE = ("problem", "proposal", "problem_from_proposal", "domain")


class DomainStanding(StrEnum):
    """What is known of the domain that a problem is written for again; the value is its words."""

    SOLVED = (
        "The domain is right as far as it was tried, since it solved another task of this environment, and "
        "stays as it is. So the fault lies in your problem, or in the text of the task:"
    )
    UNPROVED = (
        "The domain has not solved a task yet, so both may be at fault, the domain and your problem. Only "
        "the problem can be written again here; if the fault is in the domain, give the problem as it was:"
    )
    KEPT = "The problem is to be written again, for this domain:"


_EITHER_STANDING = "The domain solved another task, so the problem is the first suspect."


def problem_request(texts: WorldTexts) -> Messages:
    """Translate the task into a problem, predicates and all."""
    return _with_example("problem", _problem(texts))


def proposal_request(texts: WorldTexts) -> Messages:
    """Draft a domain, for the sake of its predicates (Appendix B.2)."""
    return _with_example("proposal", _proposal(texts))


def problem_from_proposal_request(texts: WorldTexts, proposal: str) -> Messages:
    """Translate the task into a problem over the predicates of the drafted domain `proposal` (PDDL)."""
    return _with_example("problem_from_proposal", _from_proposal(texts, proposal))


def domain_request(texts: WorldTexts, problem: str) -> Messages:
    """Write the domain that fits `problem` (PDDL): the start of a refinement conversation.

    What the predicates mean stands in the problem's comments, see `agents.definitions`.
    """
    return _with_example("domain", _domain(texts, problem))


def follow_up(messages: Messages, turn: Message) -> Messages:
    """The request that goes on with a conversation, without the example that its first request began with."""
    head, example, rest = messages[:1], messages[1:3], messages[3:]
    kept = (*head, *rest) if any(example == example_turns(name) for name in WITH_EXAMPLE) else messages
    return (*kept, turn)


def feedback_turn(failure: str, refusals: Sequence[str], draft: DomainDraft) -> Message:
    """What to mend: the failure in words, the calls that were refused beside it, the domain as it stands."""
    failures = _with_refusals(failure, refusals)
    return Message("user", render("feedback.md", failure=failures, domain=draft.text().strip()))


def either_turn(
    failure: str,
    refusals: Sequence[str],
    draft: DomainDraft,
    texts: WorldTexts,
    problem: str,
    domain_stands: bool,
) -> Message:
    """What to fix, where the domain or the `problem` of the task of `texts` may be at fault.

    `domain_stands`: the domain solved another task.
    """
    question = render(
        "either.md",
        standing=_EITHER_STANDING if domain_stands else "The domain has not solved a task yet.",
        failure=_with_refusals(failure, refusals),
        domain=draft.text().strip(),
        task=texts.task.strip(),
        problem=problem.strip(),
    )
    return Message("user", question)


def mend_problem_turn(
    failure: str, draft: DomainDraft, standing: DomainStanding = DomainStanding.KEPT
) -> Message:
    """What to fix in a problem, for a domain that is kept."""
    domain = draft.text().strip()
    return Message("user", render("mend_problem.md", failure=failure, standing=standing.value, domain=domain))


def in_another_task(words: str, texts: WorldTexts) -> str:
    """A failure that was met in another task than the conversation is about."""
    return render("other_task.md", task=texts.task.strip(), failure=words)


def observed(observations: Sequence[Observation]) -> str:
    """What is known about the environment, a line each; nothing if nothing is."""
    if not observations:
        return ""
    return render("observed.md", observations="\n".join(f"- {seen}" for seen in observations))


def next_task_request(
    first: WorldTexts, first_problem: str, draft: DomainDraft, texts: WorldTexts
) -> Messages:
    """Translate a further task of the same world, with the first task and its problem as the example."""
    question = render(
        "next_task.md",
        description=texts.description.strip(),
        predicates=draft.predicates_text(),
        first_task=first.task.strip(),
        first_problem=first_problem.strip(),
        task=texts.task.strip(),
        problem_template=texts.problem_template.strip(),
    )
    return (_system(), Message("user", question))


def plan_request(texts: WorldTexts, chain_of_thought: bool) -> Messages:
    """Plan without any model of the world: the language model's own planning."""
    question = render(
        "plan.md",
        description=texts.description.strip(),
        actions="\n".join(map(str, texts.actions)),
        task=texts.task.strip(),
        objects="\n".join(f"{name} - {kind}" for name, kind in texts.objects.items()),
        manner=load("plan_cot.md" if chain_of_thought else "plan_direct.md"),
    )
    return (Message("system", load("plan_system.md")), Message("user", question))


def _with_refusals(failure: str, refusals: Sequence[str]) -> str:
    if not refusals:
        return failure
    reasons = "\n".join(f"- {reason}" for reason in refusals)
    return f"{failure}\n\n{render('refused.md', reasons=reasons)}"


def _problem(texts: WorldTexts) -> str:
    return render(
        "problem.md",
        description=texts.description.strip(),
        domain_template=texts.domain_template.strip(),
        task=texts.task.strip(),
        problem_template=texts.problem_template.strip(),
    )


def _proposal(texts: WorldTexts) -> str:
    return render(
        "proposal.md", description=texts.description.strip(), domain_template=texts.domain_template.strip()
    )


def _from_proposal(texts: WorldTexts, proposal: str) -> str:
    return render(
        "problem_from_proposal.md",
        description=texts.description.strip(),
        proposal=proposal.strip(),
        task=texts.task.strip(),
        problem_template=texts.problem_template.strip(),
    )


def _domain(texts: WorldTexts, problem: str) -> str:
    return render(
        "domain.md",
        description=texts.description.strip(),
        domain_template=texts.domain_template.strip(),
        problem=problem.strip(),
    )


def _system() -> Message:
    return Message("system", load("system.md"))


def _with_example(request: str, question: str) -> Messages:
    return (_system(), *example_turns(request), Message("user", question))


def translation_request(domain: str, task: str) -> tuple[Message, ...]:
    """Translate `task` (words) into a problem of `domain` (PDDL)."""
    question = render("translate/task.md", domain=domain.strip(), task=task.strip())
    return Message("system", load("translate/system.md")), Message("user", question)


def example_answer(request: str) -> str:
    """The good answer to the request made by the prompt `request`, e.g. `problem`."""
    return load(f"example/{request}.md")


@cache
def example_turns(request: str) -> tuple[Message, Message]:
    """The example before that request: a question and its good answer."""
    given = "\n\n".join([load("example/description.md"), *_given(request)])
    question = render("example/question.md", given=given)
    return Message("user", question), Message("assistant", example_answer(request))


def _given(request: str) -> list[str]:
    """What the question shows beside the description of the world."""
    task = load("example/task.md")
    match request:
        case "problem":
            return [task]
        case "problem_from_proposal":
            return [f"```pddl\n{_pddl('proposal', 'domain')}\n```", task]
        case "domain":
            problem = _pddl("problem", "problem")
            arities = declared_arities(_pddl("proposal", "domain"))
            meanings = definitions(example_answer("problem"), arities)
            return [f"```pddl\n{commented(problem, meanings, '(:init')}\n```"]
    return []


def _pddl(request: str, kind: str) -> str:
    """The PDDL of the example's answer to `request`."""
    pddl: str | None = getattr(extract_pddl(example_answer(request)), kind)
    if pddl is None:
        raise ValueError(f"the example's answer to the request {request} holds no {kind}")
    return pddl.strip()
