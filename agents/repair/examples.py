"""The training examples of each action: operators in states, and whether the world executes them.

Every typed operator in every state that the world was asked about is an example. Where there are too many,
those that the world refuses are thinned out, evenly and always in the same way. Those that it executes stay,
and so do all examples of the operators that are named as `hard`: a model was once found to run one of them
wrongly. So a caller that asks again until no operator is found that way has missed nothing by the thinning.

An action of eight parameters may have a billion typed operators. Where they are too many, the examples are
those of the world's own operators and of the near misses, which differ from one of these in one argument.
A model may be wrong about an operator that is neither: such an operator has to be added
(`ExampleMaker.knowing`), or no example will ever speak against the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from agents.repair.states import Forest, forest
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.lifted import LiftedTask, Schema
from ew.walks.world_walks import Seen

#: More examples of one action than this are thinned out.
MAX_EXAMPLES = 60_000
#: Typed operators of one action above which only those near the world's own are looked at.
MAX_OPERATORS = 50_000
#: An action's operators by number, see `ActionExamples.rows`.
Hard = Mapping[str, NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class ActionExamples:
    """One action's examples, one each, and all its operators in all states."""

    nodes: NDArray[np.int64]
    arguments: NDArray[np.int64]  #: shape (examples, arity)
    positive: NDArray[np.int64]  #: indices of the examples that the world executes
    negative: NDArray[np.int64]
    rows: NDArray[np.int64]  #: shape (operators, arity): the action's typed operators; see the module
    executed: NDArray[np.bool_]  #: shape (states, operators)


@dataclass(frozen=True, eq=False)
class TrainingExamples:
    """All that was seen, as examples by action, and the walks to compute states along."""

    walks: Forest
    asked: NDArray[np.int64]  #: the nodes of the states, ascending
    of: dict[str, ActionExamples]  #: by action


class ExampleMaker:
    """Makes the training examples of one task's walks."""

    def __init__(self, task: LiftedTask, operators: Sequence[str], also: tuple[str, ...] = ()):
        """`operators` are the world's, by number; `also` are looked at besides, with their near misses."""
        self.task, self.operators, self.also = task, operators, also
        self._objects = {name: i for i, name in enumerate(task.objects)}
        self._parsed = [self._row(text) for text in operators]
        index = {operator: i for i, operator in enumerate(self._parsed)}
        known = [*self._parsed, *map(self._row, also)]
        self._rows: dict[str, NDArray[np.int64]] = {}
        self._numbers: dict[str, NDArray[np.int64]] = {}
        for schema in task.schemas:
            rows = list(_typed(schema, [row for name, row in known if name == schema.name]))
            self._rows[schema.name] = np.array(rows, dtype=np.int64).reshape(len(rows), schema.arity)
            numbers = [index.get((schema.name, row), -1) for row in rows]
            self._numbers[schema.name] = np.array(numbers, dtype=np.int64)

    def knowing(self, operator: str) -> ExampleMaker:
        """A maker that looks at this typed operator too; this one if it does so already.

        Another maker numbers its operators anew, so what was `hard` for this one means nothing to it.
        """
        name, row = self._row(operator)
        if (self._rows[name] == row).all(axis=1).any():
            return self
        return ExampleMaker(self.task, self.operators, (*self.also, operator))

    def own(self) -> dict[str, NDArray[np.int64]]:
        """The world's operators by action, as rows of object numbers."""
        return {name: rows[self._numbers[name] >= 0] for name, rows in self._rows.items()}

    def untyped(self, seen: Seen) -> int:
        """How many operators the world executes, each in one state, that the model's types do not allow.

        They are no examples: whatever the literals, the model has no such operators.
        """
        fitting = {s.name: [set(members) for members in s.members[: s.arity]] for s in self.task.schemas}
        strange = [
            not all(a in members for a, members in zip(arguments, fitting[name], strict=True))
            for name, arguments in self._parsed
        ]
        return int(np.count_nonzero(seen.applicable[:, np.array(strange, dtype=np.bool_)]))

    def examples(self, seen: Seen, hard: Hard) -> TrainingExamples:
        """The examples of some walks."""
        walks = forest(seen.parents, seen.operators, self._parsed)
        found = {name: self._of_action(name, seen, hard.get(name)) for name in self._rows}
        return TrainingExamples(walks, seen.asked, found)

    def _row(self, operator: str) -> tuple[str, tuple[int, ...]]:
        name, arguments = parse_operator(operator)
        return name, tuple(self._objects[a] for a in arguments)

    def _of_action(self, name: str, seen: Seen, hard: NDArray[np.bool_] | None) -> ActionExamples:
        rows, numbers = self._rows[name], self._numbers[name]
        executed = np.zeros((len(seen.asked), len(rows)), dtype=np.bool_)
        known = numbers >= 0
        executed[:, known] = seen.applicable[:, numbers[known]]
        kept = np.ones(executed.shape, dtype=np.bool_)
        if executed.size > MAX_EXAMPLES:
            step = -(-executed.size // MAX_EXAMPLES)
            kept = executed | (np.arange(executed.size) % step == 0).reshape(executed.shape)
            if hard is not None:
                kept[:, hard] = True
        states, operators = np.nonzero(kept)
        label = executed[states, operators]
        return ActionExamples(
            seen.asked[states], rows[operators], np.flatnonzero(label), np.flatnonzero(~label), rows, executed
        )


def _typed(schema: Schema, known: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """The typed operators of an action, or those near the known ones where they are too many; sorted."""
    members = schema.members[: schema.arity]
    if prod(map(len, members)) <= MAX_OPERATORS:
        return product(*members)
    near = (
        (*row[:at], other, *row[at + 1 :])
        for row in known
        for at, others in enumerate(members)
        for other in others
    )
    return iter(sorted(set(near)))
