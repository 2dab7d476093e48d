"""The typed operators of each action in one task, and the states in which the world executes them.

An action of eight parameters may have a billion typed operators. Where they are too many, only the world's
own operators are looked at and the near misses, which differ from one of these in one argument. A model may
be wrong about an operator that is neither: such an operator has to be added (`ExampleMaker.knowing`), or no
example will ever speak against the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.lifted import LiftedTask, Schema
from envs.pddl.simulation.rows import places_in, sorted_rows
from ew.walks.world_walks import Seen

#: Typed operators of one action above which only those near the world's own are looked at.
MAX_OPERATORS = 50_000
#: An action's operators by number, see `TaskOperators.rows`.
Hard = Mapping[str, NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class TaskOperators:
    """All operators of one action in all states of one task."""

    asked: NDArray[np.int64]  #: the nodes of the states, ascending
    rows: NDArray[np.int64]  #: shape (operators, arity): the action's typed operators; see the module
    #: what the world executes, ascending: the number of the state times how many operators there are, and the
    #: operator's
    executed: NDArray[np.int64]

    def executes(self, states: NDArray[np.int64], operators: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the world executes operators in states, one each, both by number."""
        wanted = states * len(self.rows) + operators
        if not len(self.executed):
            return np.zeros(len(wanted), dtype=np.bool_)
        places = np.searchsorted(self.executed, wanted)
        found: NDArray[np.bool_] = self.executed[np.minimum(places, len(self.executed) - 1)] == wanted
        return found

    def thinned(
        self, most: int, hard: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The states and operators of those that are examples, if there are to be about `most`.

        The executed ones and the `hard` operators always are.
        """
        columns = len(self.rows)
        size = len(self.asked) * columns
        kept = np.arange(0, size, max(1, -(-size // most)))
        if size > most:
            kept = np.union1d(kept, self.executed)
        if size > most and hard is not None:
            starts = np.arange(0, size, columns)
            kept = np.union1d(kept, np.add.outer(starts, np.flatnonzero(hard)))
        return np.divmod(kept, max(1, columns))


class ExampleMaker:
    """Makes the training examples of one task's walks."""

    def __init__(self, task: LiftedTask, operators: Sequence[str], also: tuple[str, ...] = ()):
        """`operators` are the world's, by number; `also` are looked at besides, with their near misses."""
        self.task, self.operators, self.also = task, operators, also
        self._objects = {name: i for i, name in enumerate(task.objects)}
        self.parsed = [self._row(text) for text in operators]
        #: by action, its operators and the world's number of each, -1 for none
        self._rows: dict[str, NDArray[np.int64]] = {}
        self._numbers: dict[str, NDArray[np.int64]] = {}
        self._list(task.schemas)

    def _list(self, schemas: Iterable[Schema]) -> None:
        """List the operators of some actions."""
        known = [*self.parsed, *map(self._row, self.also)]
        for schema in schemas:
            own = [row for name, row in known if name == schema.name]
            rows = _typed(schema, np.array(own, dtype=np.int64).reshape(len(own), schema.arity))
            of_world = [i for i, (name, _) in enumerate(self.parsed) if name == schema.name]
            places, numbers = places_in(rows, own[: len(of_world)]), np.full(len(rows), -1, dtype=np.int64)
            numbers[places[places >= 0]] = np.array(of_world, dtype=np.int64)[places >= 0]
            self._rows[schema.name], self._numbers[schema.name] = rows, numbers

    def knowing(self, operator: str) -> ExampleMaker:
        """A maker that looks at this typed operator too; this one if it does so already.

        Another maker numbers its operators anew (`renumbered`).
        """
        name, row = self._row(operator)
        if places_in(self._rows[name], [row])[0] >= 0:
            return self
        found = copy(self)
        found.also, found._rows, found._numbers = (*self.also, operator), {**self._rows}, {**self._numbers}
        found._list(schema for schema in self.task.schemas if schema.name == name)
        return found

    def renumbered(self, before: ExampleMaker, hard: Hard) -> dict[str, NDArray[np.bool_]]:
        """Those operators that are `hard` by the numbers of another maker of the same objects, by these."""
        found = {}
        for name, own in hard.items() if self.task.objects == before.task.objects else ():
            rows = before._rows[name][own].tolist()
            if name in self._rows and before._rows[name].shape[1] == self._rows[name].shape[1]:
                places = places_in(self._rows[name], rows)
                found[name] = np.zeros(len(self._rows[name]), dtype=np.bool_)
                found[name][places[places >= 0]] = True
        return found

    def own(self) -> dict[str, NDArray[np.int64]]:
        """The world's operators by action, as rows of object numbers."""
        return {name: rows[self._numbers[name] >= 0] for name, rows in self._rows.items()}

    def untyped(self, seen: Seen) -> list[str]:
        """The operators that the world was seen to execute and that the model's types do not allow.

        They are no examples: whatever the literals, the model has no such operators.
        """
        fitting = {s.name: [set(members) for members in s.members[: s.arity]] for s in self.task.schemas}
        parts = ((i, *self.parsed[i]) for i in np.flatnonzero(seen.applicable.any(axis=0)).tolist())
        return [
            self.operators[number]
            for number, name, arguments in parts
            if not all(a in members for a, members in zip(arguments, fitting[name], strict=True))
        ]

    @property
    def actions(self) -> Iterable[str]:
        """The names of the model's actions."""
        return self._rows

    def tried(self, name: str, seen: Seen, root: int) -> TaskOperators:
        """All operators of an action in the states of some walks; `root` is the number of the first node."""
        rows, numbers = self._rows[name], self._numbers[name]
        own = np.flatnonzero(numbers >= 0)
        states, places = np.nonzero(seen.applicable[:, numbers[own]])
        return TaskOperators(root + seen.asked, rows, states * len(rows) + own[places])

    def _row(self, operator: str) -> tuple[str, tuple[int, ...]]:
        name, arguments = parse_operator(operator)
        return name, tuple(self._objects[a] for a in arguments)


def _typed(schema: Schema, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """The typed operators of an action, or those near the known ones where they are too many; sorted."""
    members = schema.members[: schema.arity]
    count = prod(map(len, members))
    if count <= MAX_OPERATORS:
        return np.array(list(product(*members)), dtype=np.int64).reshape(count, schema.arity)
    found = known[:0]
    for at, others in enumerate(members):
        near = np.repeat(known, len(others), axis=0)
        near[:, at] = np.tile(np.array(others, dtype=np.int64), len(known))
        found = sorted_rows(np.concatenate([found, near]))
    return found
