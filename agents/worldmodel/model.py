"""The model that is being written: predicates with their meanings, actions with their parameters.

It is data and grows action by action: `with_action` makes another one. Its texts have been checked where it
comes from (`check`), so what it writes out as PDDL reads without errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.draft import ActionDraft, DomainDraft
from agents.edits import read_forms
from agents.worldmodel.brief import Brief
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs


@dataclass(frozen=True)
class PredicateNote:
    """A predicate and what it means."""

    name: str
    declaration: str  #: `(at ?x - package ?y - location)`
    meaning: str  #: in words over its variables; may be empty

    def __str__(self) -> str:
        return f"{self.declaration}: {self.meaning}" if self.meaning else self.declaration


@dataclass(frozen=True)
class ActionModel:
    """A lifted action as it was written."""

    signature: ActionSignature
    precondition: str  #: one PDDL form; empty for none
    effect: str
    meanings: tuple[str, ...] = ()  #: of the parameters, in their order; an empty text where none was given

    @property
    def draft(self) -> ActionDraft:
        """The action as part of a draft."""
        return ActionDraft(self.signature, conjuncts(self.precondition), conjuncts(self.effect))


@dataclass(frozen=True)
class WorldModel:
    """A domain in the making. Picklable; equal models have equal texts."""

    brief: Brief
    predicates: tuple[PredicateNote, ...] = ()  #: in the order in which they were invented
    actions: tuple[ActionModel, ...] = ()  #: those written so far, in the brief's order

    @property
    def draft(self) -> DomainDraft:
        """The whole domain; actions with given parameters that are not written yet have no conditions."""
        written = {action.signature.name: action.draft for action in self.actions}
        planned = {a.name: ActionDraft(a.signature) for a in self.brief.actions if a.signature is not None}
        actions = {**planned, **written}
        return DomainDraft(
            self.brief.name,
            tuple(self.brief.types.items()),
            tuple(actions[a.name] for a in self.brief.actions if a.name in actions),
            tuple((note.name, note.declaration) for note in self.predicates),
            tuple(self.brief.constants.items()),
        )

    @property
    def unwritten(self) -> tuple[str, ...]:
        """The actions that the model lacks."""
        written = {action.signature.name for action in self.actions}
        return tuple(action.name for action in self.brief.actions if action.name not in written)

    def text(self) -> str:
        """The domain's PDDL."""
        return self.draft.text()

    def predicate(self, name: str) -> PredicateNote | None:
        """The predicate of that name, if there is one."""
        return next((note for note in self.predicates if note.name == name), None)

    def listed_predicates(self) -> str:
        """The predicates with their meanings, numbered, for a request."""
        lines = [f"{number}. {note}" for number, note in enumerate(self.predicates, 1)]
        return "\n".join(lines) or "There are none yet."

    def with_action(self, action: ActionModel, new: tuple[PredicateNote, ...] = ()) -> WorldModel:
        """The model with this action, in the place of an earlier one of its name, and new predicates."""
        name = action.signature.name
        actions = {a.signature.name: a for a in self.actions} | {name: action}
        ordered = tuple(actions[a.name] for a in self.brief.actions if a.name in actions)
        return replace(self, predicates=(*self.predicates, *new), actions=ordered)

    def pruned(self) -> WorldModel:
        """The model without predicates that none of its actions names."""
        named = {
            word
            for action in self.actions
            for text in (action.precondition, action.effect)
            for node in _nodes(text)
            for word in _heads(node)
        }
        return replace(self, predicates=tuple(note for note in self.predicates if note.name in named))


def signature_of(name: str, parameters: tuple[tuple[str, str], ...]) -> ActionSignature:
    """The signature of an action with these variables and types."""
    return ActionSignature(name, tuple(Parameter(variable, kind) for variable, kind in parameters))


def conjuncts(text: str) -> tuple[str, ...]:
    """The parts of a condition or effect that hold together, one text each."""
    if not text:
        return ()
    (form,) = _nodes(text)
    if isinstance(form, Group) and form.head == "and":
        return tuple(part for node in form.parts for part in conjuncts(str(node)))
    return read_forms(text)


def _nodes(text: str) -> list[Node]:
    return read_sexprs(Source(text, "action")) if text else []


def _heads(node: Node) -> list[str]:
    """The first words of a form and of all forms in it."""
    if not isinstance(node, Group):
        return []
    return [node.head, *(head for item in node.items for head in _heads(item))]
