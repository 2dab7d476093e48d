"""Walk policies by name, and the two that need no memory.

- `uniform`: every applicable operator alike; the published walk.
- `schema_first`: every action schema that is applicable alike, then every operator of it. A schema with few
  operators is not drowned by one with many.
- `coverage`: see `ew.walks.coverage`.
- `plan_prefix` and `reach`: see `ew.walks.guided`.
- `disagreement`: see `ew.walks.rivals`.

Source: uniform is Mahdavi et al. 2024, section 4.3; the others are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from ew.walks.choosing import Chooser, Scene, WalkPolicy, schemas_of
from ew.walks.coverage import Coverage
from ew.walks.guided import PlanPrefix
from ew.walks.reach import reaching_walks
from ew.walks.rivals import Rivals


@dataclass(frozen=True)
class Uniform:
    """Every applicable operator alike."""

    def start(self, system: TransitionSystem) -> Chooser:
        """A chooser for walks in `system`."""
        return _Uniform()


class _Uniform:
    """Remembers nothing."""

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """1 for what is applicable."""
        return scene.applicable.astype(np.float64)

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Nothing is learnt."""


@dataclass(frozen=True)
class SchemaFirst:
    """Every applicable action schema alike, then every applicable operator of the schema alike."""

    def start(self, system: TransitionSystem) -> Chooser:
        """A chooser for walks in `system`."""
        return _SchemaFirst(system)


class _SchemaFirst:
    """Knows which schema each operator is of."""

    def __init__(self, system: TransitionSystem):
        names, self._schemas = schemas_of(system)
        self._member = np.eye(len(names))[self._schemas]

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """1 over the number of applicable operators of the same schema."""
        counts = scene.applicable @ self._member
        weights: NDArray[np.float64] = scene.applicable / np.maximum(counts, 1)[:, self._schemas]
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Nothing is learnt."""


@dataclass(frozen=True)
class Hints:
    """What a policy may be given to go by. Every policy makes do with less."""

    model: TransitionSystem | None = None  #: the candidate
    plan: tuple[str, ...] = ()  #: the candidate's plan for the task, if it has one
    rivals: tuple[TransitionSystem, ...] = ()  #: the candidates that are still in the running, `model` too


#: Policy by name.
POLICIES: Mapping[str, Callable[[Hints], WalkPolicy]] = MappingProxyType(
    {
        "uniform": lambda hints: Uniform(),
        "schema_first": lambda hints: SchemaFirst(),
        "coverage": lambda hints: Coverage(),
        "plan_prefix": lambda hints: PlanPrefix((hints.plan,) if hints.plan else ()),
        "reach": lambda hints: PlanPrefix(reaching_walks(hints.model) if hints.model else ()),
        "disagreement": lambda hints: Rivals(hints.rivals),
    }
)


def make_policy(name: str, hints: Hints | None = None) -> WalkPolicy:
    """The policy of that name. Raises ValueError for any other name."""
    if name not in POLICIES:
        raise ValueError(f"no walk policy {name!r}; there is: {', '.join(POLICIES)}")
    return POLICIES[name](hints or Hints())
