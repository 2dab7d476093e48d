"""How large a model of a world may be: limits that grow with what the world's own signatures have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Protocol

from envs.pddl.interface import ActionSignature
from envs.pddl.language.structure import Problem
from envs.pddl.language.vocabulary import OBJECT, Types
from envs.pddl.simulation.grounding import Limits


class HasSignatures(Protocol):
    """What is asked of a world here; every `interface.World` has it."""

    @property
    def types(self) -> Mapping[str, str | None]:
        """Type name to its parent's name."""
        ...

    @property
    def objects(self) -> Mapping[str, str]:
        """Object name to the name of its type."""
        ...

    @property
    def actions(self) -> Sequence[ActionSignature]:
        """The action interface."""
        ...


def ground_actions(world: HasSignatures) -> int:
    """How many ground actions the world's signatures have: each one's fitting objects multiplied, summed."""
    types = Types({kind: parent or OBJECT for kind, parent in world.types.items()})
    return _counted(types, world.objects, [[p.type for p in action.parameters] for action in world.actions])


def limits_in(world: HasSignatures, limits: Limits) -> Limits:
    """The limits for a model of this world."""
    return replace(limits, ground_actions=ground_actions(world))


def limits_of(problem: Problem) -> Limits:
    """The limits for a problem that is the world itself."""
    signatures = [[v.sort.name for v in action.parameters] for action in problem.domain.actions.values()]
    return Limits(ground_actions=_counted(problem.domain.vocabulary.types, problem.objects, signatures))


def _counted(types: Types, objects: Mapping[str, str], signatures: Sequence[Sequence[str]]) -> int:
    """The ground actions of signatures that are given as the types of their parameters."""
    kinds = Counter(objects.values())
    wanted = {kind for signature in signatures for kind in signature}
    fitting = {w: sum(n for kind, n in kinds.items() if types.is_subtype(kind, w)) for w in wanted}
    return sum(prod(fitting[kind] for kind in signature) for signature in signatures)
