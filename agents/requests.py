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

from agents.draft import DomainDraft
from agents.llm.interface import Message
from agents.problems import commented, declared_arities, definitions
from agents.prompts import Messages, active, load, render, request, turn
from agents.texts import WorldTexts
from envs.pddl.language.extract import extract_pddl
from ew.counterexample.disagreement import Observation

#: What is shown of a task.
_TASK = ("task", "problem_template")
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
    return _with_example("problem", **texts.stripped("description", "domain_template", *_TASK))


def proposal_request(texts: WorldTexts) -> Messages:
    """Draft a domain, for the sake of its predicates (Appendix B.2)."""
    return _with_example("proposal", **texts.stripped("description", "domain_template"))


def problem_from_proposal_request(texts: WorldTexts, proposal: str) -> Messages:
    """Translate the task into a problem over the predicates of the drafted domain `proposal` (PDDL)."""
    given = texts.stripped("description", *_TASK)
    return _with_example("problem_from_proposal", proposal=proposal.strip(), **given)


def domain_request(texts: WorldTexts, problem: str) -> Messages:
    """Write the domain that fits `problem` (PDDL): the start of a refinement conversation.

    What the predicates mean stands in the problem's comments, see `agents.problems`.
    """
    given = texts.stripped("description", "domain_template")
    return _with_example("domain", problem=problem.strip(), **given)


def follow_up(messages: Messages, further: Message) -> Messages:
    """The request that goes on with a conversation, without the example that its first request began with."""
    shown = messages[1:3] in map(example_turns, WITH_EXAMPLE)
    kept = (*messages[:1], *messages[3:]) if shown else messages
    return (*kept, further)


def feedback_turn(failure: str, refusals: Sequence[str], draft: DomainDraft) -> Message:
    """What to fix: the failure in words, the calls that were refused beside it, the domain as it stands."""
    return turn("feedback.md", failure=_with_refusals(failure, refusals), domain=draft.text().strip())


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
    return turn(
        "either.md",
        standing=_EITHER_STANDING if domain_stands else "The domain has not solved a task yet.",
        failure=_with_refusals(failure, refusals),
        domain=draft.text().strip(),
        problem=problem.strip(),
        **texts.stripped("task"),
    )


def problem_correction_turn(
    failure: str, draft: DomainDraft, standing: DomainStanding = DomainStanding.KEPT
) -> Message:
    """What to fix in a problem, for a domain that is kept."""
    return turn("mend_problem.md", failure=failure, standing=standing.value, domain=draft.text().strip())


def in_another_task(words: str, texts: WorldTexts) -> str:
    """A failure that was met in another task than the conversation is about."""
    return render("other_task.md", failure=words, **texts.stripped("task"))


def observed(observations: Sequence[Observation]) -> str:
    """What is known about the environment, a line each; nothing if nothing is."""
    listed = "\n".join(f"- {seen}" for seen in observations)
    return render("observed.md", observations=listed) if listed else ""


def next_task_request(
    first: WorldTexts, first_problem: str, draft: DomainDraft, texts: WorldTexts
) -> Messages:
    """Translate a further task of the same world, with the first task and its problem as the example."""
    return request(
        "system.md",
        "next_task.md",
        predicates=draft.predicates_text(),
        first_task=first.task.strip(),
        first_problem=first_problem.strip(),
        **texts.stripped("description", *_TASK),
    )


def plan_request(texts: WorldTexts, chain_of_thought: bool) -> Messages:
    """Plan without any model of the world: the language model's own planning."""
    return request(
        "plan_system.md",
        "plan.md",
        actions="\n".join(map(str, texts.actions)),
        objects=texts.listed_objects,
        manner=load("plan_cot.md" if chain_of_thought else "plan_direct.md"),
        **texts.stripped("description", "task"),
    )


def translation_request(domain: str, task: str) -> Messages:
    """Translate `task` (words) into a problem of `domain` (PDDL)."""
    return request("translate/system.md", "translate/task.md", domain=domain.strip(), task=task.strip())


def example_answer(prompt: str) -> str:
    """The good answer to the request that is made by a prompt, e.g. `problem`."""
    return load(f"example/{prompt}.md")


def example_turns(prompt: str) -> Messages:
    """The example before that request: a question and its good answer."""
    return _example_turns(prompt, active().label)


@cache
def _example_turns(prompt: str, _prompts: str) -> Messages:
    given = "\n\n".join([load("example/description.md"), *_given(prompt)])
    return turn("example/question.md", given=given), Message("assistant", example_answer(prompt))


def _with_refusals(failure: str, refusals: Sequence[str]) -> str:
    if not refusals:
        return failure
    reasons = "\n".join(f"- {reason}" for reason in refusals)
    return f"{failure}\n\n{render('refused.md', reasons=reasons)}"


def _with_example(prompt: str, **values: str) -> Messages:
    system, question = request("system.md", f"{prompt}.md", **values)
    return (system, *example_turns(prompt), question)


def _given(prompt: str) -> list[str]:
    """What the question shows beside the description of the world."""
    task = load("example/task.md")
    match prompt:
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


def _pddl(prompt: str, kind: str) -> str:
    """The PDDL of the example's answer to a request."""
    pddl: str | None = getattr(extract_pddl(example_answer(prompt)), kind)
    if pddl is None:
        raise ValueError(f"the example's answer to the request {prompt} holds no {kind}")
    return pddl.strip()
