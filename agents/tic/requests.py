"""The messages of every request that a translation makes: from texts alone, nothing is sampled here.

What a request shows of a domain is what its method may know: the in-context ones an example of the domain,
the generic ones its types and predicates in words, and an example of another domain, the same for all.
"""

from __future__ import annotations

from agents.llm.interface import Message
from agents.prompts import load, render
from agents.tic.knowledge import Knowledge
from envs.pddl.language.vocabulary import Parameters, members_of

Messages = tuple[Message, ...]


def in_context_request(knowledge: Knowledge, task: str) -> Messages:
    """The IR of a task, with the domain's own example."""
    return _asked(
        "in_context.md",
        example_task=knowledge.example_task.strip(),
        example_ir=knowledge.example_ir.strip(),
        task=task.strip(),
    )


def cardinalities_request(knowledge: Knowledge, task: str) -> Messages:
    """The numbers of objects alone."""
    return _asked(
        "cardinalities.md",
        types=types_in_words(knowledge),
        task=task.strip(),
        **_examples("types", "task", "cardinalities"),
    )


def objects_request(knowledge: Knowledge, task: str) -> Messages:
    """The objects that have a name alone."""
    return _asked(
        "objects.md",
        types=types_in_words(knowledge),
        task=task.strip(),
        **_examples("types", "task", "objects"),
    )


def rules_request(knowledge: Knowledge, task: str, known: str) -> Messages:
    """What is said about the objects that are `known` (ASP)."""
    return _asked(
        "rules.md",
        grammar=load("tic/grammar.md"),
        types=types_in_words(knowledge),
        predicates=predicates_in_words(knowledge),
        known=known.strip(),
        task=task.strip(),
        example_known=_joined("cardinalities", "objects"),
        **_examples("predicates", "task", "rules"),
    )


def generic_request(knowledge: Knowledge, task: str) -> Messages:
    """The IR of a task at once, without an example of the domain."""
    return _asked(
        "generic.md",
        grammar=load("tic/grammar.md"),
        types=types_in_words(knowledge),
        predicates=predicates_in_words(knowledge),
        task=task.strip(),
        example_program=_joined("cardinalities", "objects", "rules"),
        **_examples("types", "predicates", "task"),
    )


def direct_request(knowledge: Knowledge, task: str) -> Messages:
    """The PDDL problem of a task, with the domain's own example."""
    question = render(
        "tic/direct.md",
        example_task=knowledge.example_task.strip(),
        example_problem=knowledge.example_problem.strip(),
        task=task.strip(),
    )
    return (Message("system", load("system.md")), Message("user", question))


def mend_turn(fault: str, program: str | None) -> Message:
    """What is wrong with an answer; `program` is what it was read as, where that is not the answer itself."""
    if program is None:
        return Message("user", render("tic/mend_whole.md", faults=fault))
    return Message("user", render("tic/mend.md", faults=fault, program=program.strip()))


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


def _asked(prompt: str, **values: str) -> Messages:
    return (Message("system", load("tic/system.md")), Message("user", render(f"tic/{prompt}", **values)))


def _examples(*parts: str) -> dict[str, str]:
    return {f"example_{part}": load(f"tic/example_{part}.md") for part in parts}


def _joined(*parts: str) -> str:
    return "\n".join(load(f"tic/example_{part}.md") for part in parts)
