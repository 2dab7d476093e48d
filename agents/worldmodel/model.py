"""What is known of an environment, and the model of it that is being written action by action.

A *brief* is what is known before: a description, types, a text for each action. The model is data and grows:
`with_action` makes another one. Its texts have been checked where it comes from (`check`), so what it writes
out as PDDL reads without errors.

An action of the model may have other parameters than the environment's action of its name: in another order,
under other names, or more of them. For each parameter of the environment's action `places_of` looks for the
one of the model that stands for it: the one with the same name and a fitting type; else, in their order,
those of the same type, if as many are left on both sides; else the only one left with a fitting type. Where
there is none, as for a parameter that the model does without, steps stay as they are, for the environment to
refuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.draft import ActionDraft, DomainDraft
from agents.edits import read_forms
from agents.texts import WorldTexts
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.sexpr import Group, Node, Source, nodes_in, read_sexprs
from envs.pddl.language.vocabulary import OBJECT, Types


class UnusableBrief(ValueError):
    """A brief that no model can be written from; the message says what is wrong and how to fix it."""


@dataclass(frozen=True)
class ActionBrief:
    """An action in words."""

    name: str
    text: str
    signature: ActionSignature | None = None  #: its parameters, if they are given


@dataclass(frozen=True)
class Brief:
    """An environment in words. Picklable.

    Raises UnusableBrief if an action has no text, or a type an unknown parent or itself as an ancestor.
    """

    name: str  #: of the domain, as PDDL
    description: str  #: in general; what single actions do is in their texts
    types: Mapping[str, str | None]  #: type to its parent, None below `object`
    actions: tuple[ActionBrief, ...]  #: in the order in which they are modelled
    #: objects that every task has, with their types
    constants: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if silent := [action.name for action in self.actions if not action.text.strip()]:
            raise UnusableBrief(
                f"no text says what these actions do: {', '.join(silent)}; write one for each"
            )
        parents = {name: parent or OBJECT for name, parent in self.types.items()}
        if unknown := [f"{n} (below {p})" for n, p in parents.items() if p not in (OBJECT, *parents)]:
            raise UnusableBrief(
                f"the parents of these types are no types themselves: {', '.join(unknown)}; declare them, or "
                "use object"
            )
        if cyclic := Types(parents).on_cycles():
            raise UnusableBrief(
                f"the types {', '.join(cyclic)} are their own ancestors: give each a parent nearer to object"
            )

    @classmethod
    def of(
        cls, texts: WorldTexts, description: str, actions: Mapping[str, str], *, fixed: bool = True
    ) -> Brief:
        """The brief of a world: its general `description` and the text of each of its actions, by name.

        With a `fixed` interface the actions keep the world's parameters, so that the model can be walked
        beside the world. Raises as the class does.
        """
        briefs = tuple(
            ActionBrief(known.name, actions.get(known.name, ""), known if fixed else None)
            for known in texts.actions
        )
        return cls(texts.domain_name, description, dict(texts.types), briefs, dict(texts.constants))

    @property
    def is_fixed(self) -> bool:
        """Whether all actions have given parameters."""
        return all(action.signature is not None for action in self.actions)

    def action(self, name: str) -> ActionBrief | None:
        """The action of that name, in any case, if there is one."""
        return next((action for action in self.actions if action.name.lower() == name.lower()), None)


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
        texts = (text for action in self.actions for text in (action.precondition, action.effect))
        named = {group.head for text in texts for group in groups_of(text)}
        return replace(self, predicates=tuple(note for note in self.predicates if note.name in named))


def conjuncts(text: str) -> tuple[str, ...]:
    """The parts of a condition or effect that hold together, one text each."""
    if not text:
        return ()
    (form,) = _nodes(text)
    if isinstance(form, Group) and form.head == "and":
        return tuple(part for node in form.parts for part in conjuncts(str(node)))
    return read_forms(text)


def groups_of(text: str) -> Iterator[Group]:
    """The parenthesised parts of a condition or effect, itself among them."""
    return (n for node in _nodes(text) for n in nodes_in(node) if isinstance(n, Group))


def _nodes(text: str) -> list[Node]:
    return list(read_sexprs(Source(text, "action"))) if text else []


#: By action: for each parameter of the environment's, the place of the model's that stands for it.
Places = Mapping[str, tuple[int, ...]]


def places_of(model: WorldModel, actions: Sequence[ActionSignature]) -> Places:
    """Which of the model's parameters stand for those of the environment's `actions`, where that is clear."""
    types = Types({name: parent or OBJECT for name, parent in model.brief.types.items()})
    own = {action.signature.name: action.signature for action in model.actions}
    found = {a.name: _matched(a.parameters, own[a.name].parameters, types) for a in actions if a.name in own}
    return {name: places for name, places in found.items() if places is not None}


def in_environment(plan: Sequence[str], places: Places) -> tuple[str, ...]:
    """The steps of a plan with the arguments that the environment's actions take.

    A step that is no operator's text stays as it is.
    """
    return tuple(_step(step, places) for step in plan)


def _step(step: str, places: Places) -> str:
    try:
        name, arguments = parse_operator(step)
    except ValueError:
        return step
    chosen = places.get(name)
    if chosen is None or any(place >= len(arguments) for place in chosen):
        return step
    return format_operator(name, [arguments[place] for place in chosen])


def _matched(wanted: Sequence[Parameter], own: Sequence[Parameter], types: Types) -> tuple[int, ...] | None:
    """The place in `own` for each of `wanted`; None if one is not found."""
    found: dict[int, int] = {}
    for place, parameter in enumerate(wanted):
        named = next((i for i, o in enumerate(own) if o.name.lower() == parameter.name.lower()), None)
        if named is not None and _fit(own[named], parameter, types):
            found[place] = named
    for kind in dict.fromkeys(parameter.type.lower() for parameter in wanted):
        left = [i for i, p in enumerate(wanted) if i not in found and p.type.lower() == kind]
        free = [i for i in _free(own, found) if own[i].type.lower() == kind]
        if len(left) == len(free):
            found |= dict(zip(left, free, strict=True))
    for place in (place for place in range(len(wanted)) if place not in found):
        fitting = [i for i in _free(own, found) if _fit(own[i], wanted[place], types)]
        if len(fitting) != 1:
            return None
        found[place] = fitting[0]
    return tuple(found[place] for place in range(len(wanted)))


def _free(own: Sequence[Parameter], found: Mapping[int, int]) -> list[int]:
    return [place for place in range(len(own)) if place not in found.values()]


def _fit(one: Parameter, other: Parameter, types: Types) -> bool:
    """Whether an object may be of both types."""
    kinds = one.type.lower(), other.type.lower()
    return types.is_subtype(*kinds) or types.is_subtype(*reversed(kinds))
