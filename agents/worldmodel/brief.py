"""What is known of an environment before it is modelled: a description, types, a text for each action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.texts import WorldTexts
from envs.pddl.interface import ActionSignature
from envs.pddl.language.vocabulary import OBJECT, Types


class MissingActionTexts(ValueError):
    """Actions that nothing is said about."""

    def __init__(self, actions: tuple[str, ...]):
        super().__init__(actions)
        self.actions = actions

    def __str__(self) -> str:
        return f"no text says what these actions do: {', '.join(self.actions)}; write one for each"


class CyclicTypes(ValueError):
    """Types that are their own ancestors."""

    def __init__(self, types: tuple[str, ...]):
        super().__init__(types)
        self.types = types

    def __str__(self) -> str:
        return (
            f"the types {', '.join(self.types)} are their own ancestors: give each a parent nearer to object"
        )


class UnknownParents(ValueError):
    """Types whose parents are not declared."""

    def __init__(self, types: tuple[tuple[str, str], ...]):
        super().__init__(types)
        self.types = types

    def __str__(self) -> str:
        listed = ", ".join(f"{name} (below {parent})" for name, parent in self.types)
        return f"the parents of these types are no types themselves: {listed}; declare them, or use object"


@dataclass(frozen=True)
class ActionBrief:
    """An action in words."""

    name: str
    text: str
    signature: ActionSignature | None = None  #: its parameters, if they are given


@dataclass(frozen=True)
class Brief:
    """An environment in words. Raises MissingActionTexts, CyclicTypes, UnknownParents. Picklable."""

    name: str  #: of the domain, as PDDL
    description: str  #: in general; what single actions do is in their texts
    types: Mapping[str, str | None]  #: type to its parent, None below `object`
    actions: tuple[ActionBrief, ...]  #: in the order in which they are modelled
    constants: Mapping[str, str] = field(
        default_factory=dict
    )  #: objects that every task has, with their types

    def __post_init__(self) -> None:
        silent = tuple(action.name for action in self.actions if not action.text.strip())
        if silent:
            raise MissingActionTexts(silent)
        parents = {name: parent or OBJECT for name, parent in self.types.items()}
        unknown = tuple((n, p) for n, p in parents.items() if p != OBJECT and p not in parents)
        if unknown:
            raise UnknownParents(unknown)
        cyclic = Types(parents).on_cycles()
        if cyclic:
            raise CyclicTypes(cyclic)

    @classmethod
    def of(
        cls, texts: WorldTexts, description: str, actions: Mapping[str, str], *, fixed: bool = True
    ) -> Brief:
        """The brief of a world: its general `description` and the text of each of its actions, by name.

        With a `fixed` interface the actions keep the world's parameters, so that the model can be walked
        beside the world. Raises as the class does.
        """
        told = tuple(
            ActionBrief(known.name, actions.get(known.name, ""), known if fixed else None)
            for known in texts.actions
        )
        return cls(texts.domain_name, description, dict(texts.types), told, dict(texts.constants))

    @property
    def is_fixed(self) -> bool:
        """Whether all actions have given parameters."""
        return all(action.signature is not None for action in self.actions)

    def action(self, name: str) -> ActionBrief | None:
        """The action of that name, in any case, if there is one."""
        return next((action for action in self.actions if action.name.lower() == name.lower()), None)
