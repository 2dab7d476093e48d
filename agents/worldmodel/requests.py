"""The messages of every request about a world model: from texts alone, nothing is sampled here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.llm.interface import Message
from agents.prompts import Messages, load, render, request, turn
from agents.texts import WorldTexts
from agents.worldmodel.check import ReplyFault
from agents.worldmodel.model import ActionBrief, Brief, WorldModel
from agents.worldmodel.saying import Sayer

#: Of the faults of a reply, so many are told.
MAX_FAULTS = 20

_FREE = "Its parameters are yours to choose. Every object that the text speaks of is one."
_CONDITIONS = ("or", "imply", "=", "exists", "forall")
_EFFECTS = ("forall", "when")


def action_request(
    brief: Brief, action: ActionBrief, model: WorldModel, forbidden: Sequence[str]
) -> Messages:
    """Model one action, with the predicates that `model` has so far."""
    return request(
        "system.md",
        "worldmodel/action.md",
        example=load("worldmodel/example.md"),
        types=listed_types(brief.types, brief.constants),
        action=action.name,
        text=action.text.strip(),
        interface=_interface(action),
        keywords=_keywords(forbidden),
        **_shown(model),
    )


def faults_turn(faults: Sequence[ReplyFault], model: WorldModel) -> Message:
    """What is wrong with the last reply."""
    shown = [f"{number}. {fault.kind}: {fault.words}" for number, fault in enumerate(faults[:MAX_FAULTS], 1)]
    more = [f"and {len(faults) - MAX_FAULTS} more"] if len(faults) > MAX_FAULTS else []
    predicates = model.listed_predicates()
    return turn("worldmodel/faults.md", faults="\n".join([*shown, *more]), predicates=predicates)


def remark_turn(words: str, model: WorldModel) -> Message:
    """What is wrong with the model, said by a person or by the environment."""
    domain, predicates = model.text().strip(), model.listed_predicates()
    return turn("worldmodel/remark.md", remark=words.strip(), domain=domain, predicates=predicates)


def problem_request(texts: WorldTexts, model: WorldModel) -> Messages:
    """Translate a task into a problem over the model's predicates."""
    fields = texts.stripped("task", "problem_template")
    return request("system.md", "worldmodel/problem.md", **fields, **_shown(model))


def instruction_request(texts: WorldTexts, start: str, instruction: str, model: WorldModel) -> Messages:
    """Translate an instruction into a problem over the model's predicates, with a goal for each stage."""
    fields = {
        "start": start.strip(),
        "instruction": instruction.strip(),
        **texts.stripped("problem_template"),
    }
    return request("system.md", "worldmodel/instruction.md", **fields, **_shown(model))


def untranslatable(task: str, fault: str) -> str:
    """What is said of a model that a task cannot be written down for."""
    return render("worldmodel/untranslatable.md", task=task.strip(), fault=fault.strip()).strip()


def admissible_request(texts: WorldTexts, steps: Sequence[str]) -> Messages:
    """Put steps that are written freely into the form of actions."""
    return request(
        "plan_system.md",
        "worldmodel/admissible.md",
        actions="\n".join(map(str, texts.actions)),
        objects=texts.listed_objects,
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
    )


def shown_plan_request(texts: WorldTexts, model: WorldModel) -> Messages:
    """Plan for the task of `texts` with all actions of `model` in words, and two examples."""
    return request(
        "plan_system.md",
        "worldmodel/plan_shown.md",
        description=model.brief.description.strip(),
        actions=Sayer.of(model).show(),
        examples=load("worldmodel/plan_examples.md"),
        objects=texts.listed_objects,
        **texts.stripped("task"),
    )


def _shown(model: WorldModel) -> dict[str, str]:
    return {"description": model.brief.description.strip(), "predicates": model.listed_predicates()}


def listed_types(types: Mapping[str, str | None], constants: Mapping[str, str]) -> str:
    """The types, each with its parent, and the objects that every task has; one a line."""
    lines = [f"- {name}, a kind of {parent}" if parent else f"- {name}" for name, parent in types.items()]
    lines += [f"- the object {name} is always there; it is a {kind}" for name, kind in constants.items()]
    return "\n".join(lines) or "- object"


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
    conditions, effects = (
        ", ".join(["and", "not", *(word for word in words if word not in forbidden)])
        for words in (_CONDITIONS, _EFFECTS)
    )
    return f"Conditions may use {conditions}; effects may use {effects}. Nothing else is supported."
