"""A change of a model, tried on all that was observed: what it explains and what it contradicts.

An observation is a walk and one operator after it, with whether the environment executes it. The changed
model walks along every walk again, from its own initial state, and says of each operator whether it runs. A
difference that is gone is *explained*, an agreement that is lost is *contradicted*. So changes of actions and
of the initial state are judged alike, by the same walks. Where the changed model does not execute a walk that
was observed, its first refused operator is a contradiction and nothing is said of what comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.lifted import LiftedTask, Schema
from ew.lifted.relations import Holds, Relations, relations_of, successor

#: An operator of a walk: its action and its arguments' numbers.
Step = tuple[str, tuple[int, ...]]
#: A predicate and its arguments' numbers.
Atom = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class TriedOperators:
    """Operators of one schema in one joint state, one a row."""

    schema: Schema
    arguments: NDArray[np.int64]  #: shape (operators, arity)
    in_world: NDArray[np.bool_]
    in_model: NDArray[np.bool_]

    def without(self, known: set[tuple[int, ...]]) -> TriedOperators:
        """The rows whose arguments are not known yet; they are known from then on."""
        rows = [n for n, row in enumerate(map(tuple, self.arguments.tolist())) if row not in known]
        known.update(tuple(self.arguments[n].tolist()) for n in rows)
        return replace(
            self, arguments=self.arguments[rows], in_world=self.in_world[rows], in_model=self.in_model[rows]
        )


class Retrial:
    """All that was observed, each operator after each walk once; grows by `add`."""

    def __init__(self, task: LiftedTask):
        self._task = task
        self._seen: dict[tuple[Step, ...], list[TriedOperators]] = {}
        self._known: dict[tuple[tuple[Step, ...], str], set[tuple[int, ...]]] = {}

    def add(self, evidence: TriedOperators, walk: Sequence[Step]) -> TriedOperators:
        """Take operators met after `walk`; returns those that were not met there before."""
        place = tuple(walk)
        new = evidence.without(self._known.setdefault((place, evidence.schema.name), set()))
        if len(new.arguments):
            self._seen.setdefault(place, []).append(new)
        return new

    @property
    def differences(self) -> int:
        """Operators after walks that only one side runs."""
        return sum(int((e.in_world != e.in_model).sum()) for found in self._seen.values() for e in found)

    def weigh(self, changed: LiftedTask) -> tuple[int, int]:
        """Differences that a changed model explains, and agreements that it contradicts."""
        walked = Walked(changed)
        explains = contradicts = 0
        for walk, found in self._seen.items():
            state = walked.after(walk)
            if state is None:
                continue
            for evidence in found:
                runs = walked.runs(evidence, state)
                wrong_now, wrong_before = runs != evidence.in_world, evidence.in_model != evidence.in_world
                explains += int((wrong_before & ~wrong_now).sum())
                contradicts += int((wrong_now & ~wrong_before).sum())
        return explains, contradicts


class Walked:
    """The states of a model after walks, each computed once."""

    def __init__(self, task: LiftedTask):
        self._base = len(task.objects)
        self._schemas = {schema.name: schema for schema in task.schemas}
        self._states: dict[tuple[Step, ...], Relations | None] = {(): relations_of(task)}

    def after(self, walk: tuple[Step, ...]) -> Relations | None:
        """The state after a walk; None if the model does not execute it."""
        if walk not in self._states:
            before, (name, arguments) = self.after(walk[:-1]), walk[-1]
            schema = self._schemas[name]
            runs = before is not None and self._rows(schema, np.array([arguments]), before)[0]
            self._states[walk] = (
                successor(schema, arguments, before, self._base) if before is not None and runs else None
            )
        return self._states[walk]

    def runs(self, evidence: TriedOperators, state: Relations) -> NDArray[np.bool_]:
        """Which operators run in a state; shape (operators,)."""
        return self._rows(self._schemas[evidence.schema.name], evidence.arguments, state)

    def _rows(self, schema: Schema, arguments: NDArray[np.int64], state: Relations) -> NDArray[np.bool_]:
        columns = {v: arguments[:, v] for v in range(schema.arity)}
        return Holds(schema, state, self._base).rows(schema.precondition, columns, len(arguments))


def flipped(task: LiftedTask, atoms: Iterable[Atom]) -> LiftedTask:
    """The task with the truth of some atoms of its initial state changed."""
    init = {name: set(rows) for name, rows in task.init.items()}
    for predicate, arguments in atoms:
        init.setdefault(predicate, set()).symmetric_difference_update({arguments})
    return replace(task, init={name: tuple(sorted(rows)) for name, rows in init.items() if rows})


def touched(task: LiftedTask, atom: Atom, walk: Sequence[Step]) -> bool:
    """Whether an operator of a walk has an effect on the atom, whatever the effect's condition."""
    predicate, wanted = atom
    schemas = {schema.name: schema for schema in task.schemas}
    return any(
        effect.predicate == predicate
        and all(
            term == want if term >= 0 else ~term >= len(arguments) or arguments[~term] == want
            for term, want in zip(effect.terms, wanted, strict=True)
        )
        for action, arguments in walk
        for effect in schemas[action].effects
    )
