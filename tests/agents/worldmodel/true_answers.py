"""A scripted language model that knows a domain, and says of each action what it says, faults included."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agents.llm.interface import Message
from agents.llm.scripted import ScriptedModel
from agents.texts import WorldTexts
from agents.worldmodel.model import ActionModel, Brief, PredicateNote, WorldModel
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.terms import Part, Tree, show, tree_of
from envs.pddl.language.vocabulary import show_typed
from envs.source import read_texts
from envs.verbalisation.paragraphs import read_paragraphs
from envs.world import open_world

_ASKED = re.compile(r"^## The action\n\n`([^`]+)`", re.MULTILINE)
_KNOWN = re.compile(r"^\d+\. \(([^\s()]+)", re.MULTILINE)


def brief_of(world: str, *, fixed: bool = True) -> Brief:
    """The brief of a world of the suite."""
    opened = open_world(world)
    parts = read_paragraphs(opened.description)
    return Brief.of(WorldTexts.of(opened), parts.general, parts.actions, fixed=fixed)


def true_domain(world: str) -> Domain:
    """The world's own domain."""
    return read_domain(read_texts(world, 1).domain)


def modelled(domain: Domain, brief: Brief) -> WorldModel:
    """The domain as a finished world model."""
    model = WorldModel(brief, tuple(note(domain, name) for name in domain.vocabulary.predicates))
    for name in domain.actions:
        model = model.with_action(action_of(domain, name))
    return model


def action_of(domain: Domain, name: str) -> ActionModel:
    """An action of a domain as a world model has it."""
    tree = tree_of(domain)
    forms = [costless(tree.part(name, part)) for part in Part]
    signature = ActionSignature(name, tuple(Parameter(v, t) for v, t in tree.parameters(name)))
    return ActionModel(signature, *("" if form == ("and",) else show(form) for form in forms))


def note(domain: Domain, name: str) -> PredicateNote:
    """A predicate of a domain with a meaning."""
    parameters = domain.vocabulary.predicates[name]
    said = " and ".join(variable for variable, _ in parameters) or "the world"
    return PredicateNote(name, f"({f'{name} {show_typed(parameters)}'.strip()})", f"true if {name} of {said}")


def costless(tree: Tree) -> Tree:
    """An effect without its cost."""
    if tree[0] == "increase":
        return ("and",)
    return tuple(p for p in tree if p[0] != "increase") if tree[0] == "and" else tree


def answer(domain: Domain, name: str, known: Sequence[str], heading: bool = False) -> str:
    """A good reply about one action, where the predicates of these names are known."""
    action = action_of(domain, name)
    used = dict.fromkeys(re.findall(r"\(([^\s()?]+)", f"{action.precondition} {action.effect}"))
    new = [note(domain, p) for p in used if p in domain.vocabulary.predicates and p not in known]
    parameters = [f"{i}. {p.name} - {p.type}: a part" for i, p in enumerate(action.signature.parameters, 1)]
    listed = [f"{i}. {entry}" for i, entry in enumerate(new, 1)]
    lines = [f"### Action: {name}"] if heading else ["The text says what is needed."]
    lines += ["### Parameters", *(parameters or ["none"])]
    lines += ["### Precondition", "```pddl", action.precondition or "()", "```"]
    lines += ["### Effect", "```pddl", action.effect, "```"]
    return "\n".join([*lines, "### New predicates", *(listed or ["none"])])


class Knowing:
    """Answers as `domain` has it, and to remarks as `better` has it; tasks by the problems given."""

    def __init__(
        self, domain: Domain, better: Domain | None = None, problems: Mapping[str, str] | None = None
    ):
        self.domain, self.better, self.problems = domain, better or domain, problems or {}
        self.model = ScriptedModel(self.reply)
        self.asked: list[str] = []

    def reply(self, messages: Sequence[Message], sample: int, seed: int) -> str:
        """The reply to a request, a remark or a task."""
        last = messages[-1].content
        self.asked.append(last)
        first = messages[1].content
        if first.startswith("Translate a task"):
            return next(
                f"```pddl\n{pddl}\n```" for task, pddl in self.problems.items() if task.strip() in first
            )
        name = _ASKED.findall(first)[-1]
        remarked = last.startswith("The model of the environment is wrong")
        return answer(self.better if remarked else self.domain, name, _KNOWN.findall(_known_part(last)))


def _known_part(text: str) -> str:
    """The list of known predicates in a request, a remark or a list of faults."""
    for start, end in (
        ("## Predicates so far", "## The action"),
        ("What its predicates mean:", "Reason first"),
        ("The predicates that exist already:", "Reason about"),
    ):
        if start in text:
            return text.partition(start)[2].partition(end)[0]
    return ""
