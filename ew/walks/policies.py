"""Walk policies by name.

- `uniform`: every applicable operator alike; the published walk.
- `schema_first`: every action schema that is applicable alike, then every operator of it. A schema with few
  operators is not drowned by one with many.
- `plan_prefix`: follow a plan for a while, then wander. Ten random steps never reach the actions that need
  many others before them; the plans of a candidate do, or claim to. Each walk draws a plan, and how much of
  it to follow: all of it half of the time, else a part, every length alike. A step of the plan that is not
  applicable is skipped. After its part the walk is uniform. Without a plan it is uniform from the start.
- `reach`: the same, by walks to the first use of each action (`ew.walks.rivals`).
- `coverage`: prefer what was rarely done, and what leads to what was rarely seen. The weight of an operator
  falls with the times that it was made, and with the times that any operator of its schema was. Where the
  states of a system can be read (a compiled task), the weight also grows with the atoms that the operator
  would make true, each counting 1 / (1 + the states it was seen in). The world's states are opaque; there the
  operators applicable in a state stand for its atoms: an operator that was rarely applicable is preferred.
- `disagreement`: see `ew.walks.rivals`.
- `mixed`: half of all walks by `coverage`, three in ten along the ways to the model's probes (`ew.probes`),
  one in ten by `plan_prefix`, one in ten uniform.

The published walk is `uniform`, the base class; the other policies are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem
from envs.pddl.simulation.simulator import Task
from ew.walks.mixed import GivenWalks, Mixed
from ew.walks.rivals import Rivals, reaching_walks
from ew.walks.walk import NONE
from ew.walks.walk_policy import Scene, WalkPolicy, schemas_of

#: More successors than this are not looked at in one step; then only the operators' own counts matter.
MAX_LOOKAHEAD = 20_000
#: The weight of an operator that makes nothing new true, relative to one that makes one new atom true.
_STALE = 0.1


class SchemaFirst(WalkPolicy):
    """Every applicable action schema alike, then every applicable operator of the schema alike."""

    def __init__(self, system: TransitionSystem):
        names, self._schemas = schemas_of(system)
        self._member = np.eye(len(names))[self._schemas]

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """1 over the number of applicable operators of the same schema."""
        counts = scene.applicable @ self._member
        weights: NDArray[np.float64] = scene.applicable / np.maximum(counts, 1)[:, self._schemas]
        return weights


class Coverage(WalkPolicy):
    """Prefers operators, schemas and atoms that are rare so far."""

    def __init__(self, system: TransitionSystem):
        names, self._schemas = schemas_of(system)
        self._task = system if isinstance(system, Task) else None
        self._made = np.zeros(len(system.operators))
        self._made_schema = np.zeros(len(names))
        self._seen_applicable = np.zeros(len(system.operators))
        self._seen_atoms = np.zeros(len(self._task.atoms) if self._task else 0)

    def weights(self, scene: Scene) -> NDArray[np.float64]:
        """Falls with the counts."""
        rarity = 1 / ((1 + self._made) * (1 + self._made_schema[self._schemas]))
        if self._task is None:
            rarity /= np.sqrt(1 + self._seen_applicable)
        weights: NDArray[np.float64] = scene.applicable * rarity
        if self._task is not None and np.count_nonzero(scene.applicable) <= MAX_LOOKAHEAD:
            rows, operators = np.nonzero(scene.applicable)
            weights[rows, operators] *= _STALE + self._novelty(self._task, scene.states[rows], operators)
        return weights

    def took(self, scene: Scene, chosen: OperatorIndices) -> None:
        """Count what was made and seen, all rows together."""
        made = chosen[chosen != NONE]
        np.add.at(self._made, made, 1)
        np.add.at(self._made_schema, self._schemas[made], 1)
        self._seen_applicable += scene.applicable.sum(axis=0)
        if self._task is not None:
            self._seen_atoms += self._task.bits(scene.states).sum(axis=0)

    def _novelty(self, task: Task, states: States, operators: OperatorIndices) -> NDArray[np.float64]:
        """For each state and operator: how rare the atoms are that become true."""
        after = task.successors(states, operators.astype(np.int64))
        novelty: NDArray[np.float64] = task.bits(after & ~states) @ (1 / (1 + self._seen_atoms))
        return novelty


class PlanPrefix(WalkPolicy):
    """Follows one of `plans`, tuples of operator texts; steps that the system does not have are skipped."""

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
        plan, length = self._drawn(scene.own)
        step = np.where(scene.step < length, self._steps[plan, scene.step], NONE)
        rows = np.flatnonzero(step != NONE)
        rows = rows[scene.applicable[rows, step[rows]]]
        weights[rows] = 0
        weights[rows, step[rows]] = 1
        return weights

    def _drawn(self, own: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The plan of each walk and how many steps of it to follow, both from the walk's one number."""
        scaled = own * len(self._lengths)
        plan = np.minimum(scaled.astype(np.int64), len(self._lengths) - 1)
        share = np.minimum(2 * (scaled - plan), 1.0)  # half of all walks go to the end
        return plan, np.ceil(share * self._lengths[plan]).astype(np.int64)


@dataclass(frozen=True)
class Hints:
    """What a policy may be given to go by. Every policy makes do with less."""

    model: TransitionSystem | None = None  #: the candidate
    plan: tuple[str, ...] = ()  #: the candidate's plan for the task, if it has one
    rivals: tuple[TransitionSystem, ...] = ()  #: the candidates that are still in the running, `model` too
    probes: tuple[tuple[str, ...], ...] = ()  #: walks that show the candidate's probes, the best first


def _mixed(system: TransitionSystem, hints: Hints) -> WalkPolicy:
    plans = (hints.plan,) if hints.plan else ()
    parts = [
        (0.5, Coverage(system)),
        (0.3, GivenWalks(system, hints.probes)),
        (0.1, PlanPrefix(system, plans)),
        (0.1, WalkPolicy(system)),
    ]
    return Mixed(parts)


#: A walk policy for walks in a system.
MakePolicy = Callable[[TransitionSystem], WalkPolicy]
#: Policy by name.
POLICIES: Mapping[str, Callable[[Hints], MakePolicy]] = MappingProxyType(
    {
        "uniform": lambda hints: WalkPolicy,
        "schema_first": lambda hints: SchemaFirst,
        "coverage": lambda hints: Coverage,
        "plan_prefix": lambda hints: partial(PlanPrefix, plans=(hints.plan,) if hints.plan else ()),
        "reach": lambda hints: partial(PlanPrefix, plans=reaching_walks(hints.model) if hints.model else ()),
        "disagreement": lambda hints: partial(Rivals, rivals=hints.rivals),
        "mixed": lambda hints: partial(_mixed, hints=hints),
    }
)


def make_policy(name: str, hints: Hints | None = None) -> MakePolicy:
    """What makes the policy of that name for a system. Raises ValueError for any other name."""
    if name not in POLICIES:
        raise ValueError(f"no walk policy {name!r}; there is: {', '.join(POLICIES)}")
    return POLICIES[name](hints or Hints())
