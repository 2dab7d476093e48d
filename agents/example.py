"""The Blocksworld example: what an answer to each request looks like, in a small world.

Every request that asks for PDDL begins with one solved example (Mahdavi et al. 2024, Appendix B.1), as two
turns of the conversation. It shows the form and costs tokens in every request that holds it, so it is short,
and the requests that go on with the conversation do without it.
"""

from __future__ import annotations

from functools import cache

from agents.definitions import commented, declared_arities, definitions
from agents.llm.interface import Message
from agents.prompts import load, render
from envs.pddl.language.extract import extract_pddl

#: The requests that begin with an example.
WITH_EXAMPLE = ("problem", "proposal", "problem_from_proposal", "domain")


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
