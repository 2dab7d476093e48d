"""What an agent is told about an environment, as plain data: texts, names and signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.draft import DomainDraft
from envs.pddl.interface import ActionSignature, NamesConstants, World
from envs.pddl.language.template import domain_template, interface_vocabulary, problem_template


@dataclass(frozen=True)
class WorldTexts:
    """One task of an environment, as far as language tells it. Picklable."""

    name: str
    description: str  #: the domain in natural language
    task: str  #: the task in natural language
    types: Mapping[str, str | None]  #: type name to its parent's name, None below `object`
    objects: Mapping[str, str]  #: object name to the name of its type
    actions: tuple[ActionSignature, ...]
    constants: Mapping[str, str] = field(default_factory=dict)  #: of the objects, those that every task has

    @classmethod
    def of(cls, world: World) -> WorldTexts:
        """The texts of `world`."""
        return cls(
            world.name,
            world.description,
            world.task,
            dict(world.types),
            dict(world.objects),
            tuple(world.actions),
            dict(world.constants) if isinstance(world, NamesConstants) else {},
        )

    def stripped(self, *names: str) -> dict[str, str]:
        """Some of its texts by name, without blanks at their ends: what a prompt is filled in with."""
        return {name: getattr(self, name).strip() for name in names}

    @property
    def listed_objects(self) -> str:
        """The objects with their types, one a line."""
        return "\n".join(f"{name} - {kind}" for name, kind in self.objects.items())

    @property
    def domain_name(self) -> str:
        """The world's name as a PDDL name: lower case, other signs than letters, digits, - and _ replaced."""
        name = re.sub(r"[^a-z0-9_-]+", "-", self.name.lower()).strip("-_")
        return name if name[:1].isalpha() else f"world-{name}".rstrip("-")

    @property
    def problem_name(self) -> str:
        """The name of the task's PDDL problem."""
        return f"{self.domain_name}-task"

    @property
    def domain_template(self) -> str:
        """The domain with its types, constants and action interface, without predicates and conditions."""
        return domain_template(interface_vocabulary(self.domain_name, self, self.constants))

    @property
    def draft(self) -> DomainDraft:
        """The domain template as a draft to be edited."""
        return DomainDraft.empty(self.domain_name, self.types, self.actions, self.constants)

    @property
    def problem_template(self) -> str:
        """The problem with its objects, without initial state and goal."""
        own = {name: kind for name, kind in self.objects.items() if name not in self.constants}
        return problem_template(self.problem_name, self.domain_name, own)
