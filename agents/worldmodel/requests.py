"""The messages of every request about a world model: from texts alone, nothing is sampled here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.llm.interface import Message
from agents.prompts import load, render
from agents.texts import WorldTexts
from agents.worldmodel.brief import ActionBrief, Brief
from agents.worldmodel.check import Fault
from agents.worldmodel.model import WorldModel
from agents.worldmodel.saying import Sayer

Messages = tuple[Message, ...]
#: Of the faults of a reply, so many are told.
MAX_FAULTS = 20

_FREE = "Its parameters are yours to choose. Every object that the text speaks of is one."
_CONDITIONS = ("or", "imply", "=", "exists", "forall")
_EFFECTS = ("forall", "when")


def action_request(
    brief: Brief, action: ActionBrief, model: WorldModel, forbidden: Sequence[str]
) -> Messages:
    """Model one action, with the predicates that `model` has so far."""
    question = render(
        "worldmodel/action.md",
        example=load("worldmodel/example.md"),
        description=brief.description.strip(),
        types=listed_types(brief.types, brief.constants),
        predicates=model.listed_predicates(),
        action=action.name,
        text=action.text.strip(),
        interface=_interface(action),
        keywords=_keywords(forbidden),
    )
    return (Message("system", load("system.md")), Message("user", question))


def faults_turn(faults: Sequence[Fault], model: WorldModel) -> Message:
    """What is wrong with the last reply."""
    shown = [f"{number}. {fault.kind}: {fault.words}" for number, fault in enumerate(faults[:MAX_FAULTS], 1)]
    if len(faults) > MAX_FAULTS:
        shown.append(f"and {len(faults) - MAX_FAULTS} more")
    text = render("worldmodel/faults.md", faults="\n".join(shown), predicates=model.listed_predicates())
    return Message("user", text)


def remark_turn(words: str, model: WorldModel) -> Message:
    """What is wrong with the model, whoever says so."""
    text = render(
        "worldmodel/remark.md",
        remark=words.strip(),
        domain=model.text().strip(),
        predicates=model.listed_predicates(),
    )
    return Message("user", text)


def problem_request(texts: WorldTexts, model: WorldModel) -> Messages:
    """Translate a task into a problem over the model's predicates."""
    question = render(
        "worldmodel/problem.md",
        description=model.brief.description.strip(),
        predicates=model.listed_predicates(),
        task=texts.task.strip(),
        problem_template=texts.problem_template.strip(),
    )
    return (Message("system", load("system.md")), Message("user", question))


def instruction_request(texts: WorldTexts, start: str, instruction: str, model: WorldModel) -> Messages:
    """Translate an instruction into a problem over the model's predicates, with a goal for each stage."""
    question = render(
        "worldmodel/instruction.md",
        description=model.brief.description.strip(),
        predicates=model.listed_predicates(),
        start=start.strip(),
        instruction=instruction.strip(),
        problem_template=texts.problem_template.strip(),
    )
    return (Message("system", load("system.md")), Message("user", question))


def untranslatable(task: str, fault: str) -> str:
    """What is said of a model that a task cannot be written down for."""
    return render("worldmodel/untranslatable.md", task=task.strip(), fault=fault.strip()).strip()


def admissible_request(texts: WorldTexts, steps: Sequence[str]) -> Messages:
    """Put steps that are written freely into the form of actions."""
    question = render(
        "worldmodel/admissible.md",
        actions="\n".join(map(str, texts.actions)),
        objects=_listed_objects(texts),
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
    )
    return (Message("system", load("plan_system.md")), Message("user", question))


def unsound_plan_turn(fault: str) -> Message:
    """What is wrong with the last plan."""
    return Message("user", render("worldmodel/unsound_plan.md", fault=fault.strip()))


def shown_plan_request(texts: WorldTexts, model: WorldModel) -> Messages:
    """Plan for the task of `texts` with all actions of `model` in words, and two examples."""
    question = render(
        "worldmodel/plan_shown.md",
        description=model.brief.description.strip(),
        actions=Sayer.of(model).show(),
        examples=load("worldmodel/plan_examples.md"),
        task=texts.task.strip(),
        objects=_listed_objects(texts),
    )
    return (Message("system", load("plan_system.md")), Message("user", question))


def unsound_shown_turn(fault: str) -> Message:
    """What is wrong with the last plan of somebody who was shown the actions in words."""
    return Message("user", render("worldmodel/unsound_shown.md", fault=fault.strip()))


def listed_types(types: Mapping[str, str | None], constants: Mapping[str, str]) -> str:
    """The types, each with its parent, and the objects that every task has; one a line."""
    lines = [f"- {name}, a kind of {parent}" if parent else f"- {name}" for name, parent in types.items()]
    lines += [f"- the object {name} is always there; it is a {kind}" for name, kind in constants.items()]
    return "\n".join(lines) or "- object"


def _listed_objects(texts: WorldTexts) -> str:
    return "\n".join(f"{name} - {kind}" for name, kind in texts.objects.items())


def _interface(action: ActionBrief) -> str:
    if action.signature is None:
        return _FREE
    listed = "\n".join(
        f"{number}. {p.name} - {p.type}" for number, p in enumerate(action.signature.parameters, 1)
    )
    if not listed:
        return "It has no parameters, and none can be added."
    return f"Its parameters are given and stay as they are, with these names, types and order:\n\n{listed}"


def _keywords(forbidden: Sequence[str]) -> str:
    conditions = ", ".join(["and", "not", *(word for word in _CONDITIONS if word not in forbidden)])
    effects = ", ".join(["and", "not", *(word for word in _EFFECTS if word not in forbidden)])
    return f"Conditions may use {conditions}; effects may use {effects}. Nothing else is supported."
