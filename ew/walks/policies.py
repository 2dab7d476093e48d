"""Walk policies by name: the two that need no memory, and the one that follows a plan.

- `uniform`: every applicable operator alike; the published walk.
- `schema_first`: every action schema that is applicable alike, then every operator of it. A schema with few
  operators is not drowned by one with many.
- `plan_prefix`: follow a plan for a while, then wander. Ten random steps never reach the actions that need
  many others before them; the plans of a candidate do, or claim to. Each walk draws a plan, and how much of
  it to follow: all of it half of the time, else a part, every length alike. A step of the plan that is not
  applicable is skipped. After its part the walk is uniform. Without a plan it is uniform from the start.
- `reach`: the same, by walks to the first use of each action (`ew.walks.reach`).
- `coverage`: see `ew.walks.coverage`.
- `disagreement`: see `ew.walks.rivals`.

Source: uniform is Mahdavi et al. 2024, section 4.3; the others are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from ew.walks.choosing import Chooser, Scene, WalkPolicy, schemas_of
from ew.walks.coverage import Coverage
from ew.walks.reach import reaching_walks
from ew.walks.rivals import Rivals
from ew.walks.walk import NONE


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


@dataclass(frozen=True)
class PlanPrefix:
    """Follows one of `plans`, tuples of operator texts."""

    plans: tuple[tuple[str, ...], ...]

    def start(self, system: TransitionSystem) -> Chooser:
        """A chooser for walks in `system`; steps that it does not have are skipped."""
        return _PlanPrefix(system, self.plans)


class _PlanPrefix:
    """The plans in the numbering of one system."""

    def __init__(self, system: TransitionSystem, plans: Sequence[Sequence[str]]):
        index = {text: i for i, text in enumerate(system.operators)}
        self._lengths = np.array([len(plan) for plan in plans], dtype=np.int64)
        self._steps = np.full((len(plans), int(self._lengths.max(initial=0))), NONE, dtype=np.int64)
        for row, plan in enumerate(plans):
            self._steps[row, : len(plan)] = [index.get(text, NONE) for text in plan]

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """The next step of the plan alone where it is applicable, else 1 for what is."""
        weights = scene.applicable.astype(np.float64)
        if scene.step >= self._steps.shape[1]:
            return weights
        plan, length = self._drawn(scene.luck)
        step = np.where(scene.step < length, self._steps[plan, scene.step], NONE)
        rows = np.flatnonzero(step != NONE)
        rows = rows[scene.applicable[rows, step[rows]]]
        weights[rows] = 0
        weights[rows, step[rows]] = 1
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Nothing is learnt."""

    def _drawn(self, luck: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The plan of each walk and how many steps of it to follow, both from the walk's one number."""
        scaled = luck * len(self._lengths)
        plan = np.minimum(scaled.astype(np.int64), len(self._lengths) - 1)
        share = np.minimum(2 * (scaled - plan), 1.0)  # half of all walks go to the end
        return plan, np.ceil(share * self._lengths[plan]).astype(np.int64)
