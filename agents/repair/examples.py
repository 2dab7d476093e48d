"""The training examples of each action: operators in states, and whether the world executes them.

Every typed operator in every state that the world was asked about is an example. Where there are too many,
those that the world refuses are thinned out, evenly and always in the same way. Those that it executes stay,
and so do all examples of the operators that are named as `hard`: a model was once found to run one of them
wrongly. So a caller that asks again until no operator is found that way has missed nothing by the thinning.

The states along the walks are those of a model, as dense truth tables (`progress`). A model's states are
computed by force: the operators that the world executed change them, whether or not the model's own
preconditions hold. So preconditions have no say in the states, and an effect on one predicate changes the
table of that predicate alone, unless conditions of effects read it.

A table has a row for each node of the walks' tree and a column for each atom of its predicate: the
arguments' object numbers read as the digits of one number, to the base of how many objects there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import product
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agents.repair.forest import Forest, NodeGroup, StepsOf, forest
from agents.repair.operators import ExampleMaker, Hard, TaskOperators
from envs.pddl.simulation import lifted
from envs.pddl.simulation.lifted import (
    TRUE,
    Condition,
    Exists,
    Forall,
    LiftedEffect,
    Literal,
    Schema,
    Term,
)
from ew.lifted.relations import Columns, Holds
from ew.walks.world_walks import Seen

#: Truth values, also as the table of a predicate.
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
#: Predicate to its table. Tables are never changed once they are here.
Tables = Mapping[str, Mask]

#: Tables of edited models, and truths of literals, that are kept; more are forgotten and made again.
MAX_BYTES = 200_000_000
#: Columns of a table up to which its rows are copied whole.
MAX_COPIED = 5_000


class KeptArrays(dict[tuple[Any, ...], Mask]):
    """Arrays by what they depend on; all are forgotten when they come to take more than `MAX_BYTES`."""

    _bytes = 0

    def __setitem__(self, key: tuple[Any, ...], array: Mask) -> None:
        if self._bytes + array.nbytes > MAX_BYTES:
            self.clear()
            self._bytes = 0
        super().__setitem__(key, array)
        self._bytes += array.nbytes


def progress(
    walks: Forest,
    schemas: Mapping[str, Sequence[Schema]],
    effects: Mapping[str, Sequence[LiftedEffect]],
    initial: Sequence[Mapping[str, Collection[int]]],
    sizes: Mapping[str, int],
    base: int,
    only: Collection[str],
    others: Tables,
) -> Tables:
    """The tables of the predicates in `only`; `others` are those that conditions may read besides.

    `schemas` are those of each task, `initial` by task the atoms' numbers that hold at the root, `sizes` the
    numbers of columns. States are computed at the nodes alone that an action leads to which may change them.
    Wide tables, and those of predicates that no effect changes, are stored column by column: those of atoms
    that are always false are never written, and so take no memory.
    """
    changing = {effect.predicate for own in effects.values() for effect in own}
    tables: dict[str, Mask] = {}
    for predicate in (p for p in only if p not in changing):
        tables[predicate] = _all_false(walks.nodes, sizes[predicate], by_columns=True)
        for root, end, true in zip(walks.roots, (*walks.roots[1:], walks.nodes), initial, strict=True):
            tables[predicate][root:end, sorted(true.get(predicate, ()))] = True
    made = [p for p in only if p in changing]
    writing = (name for name, own in effects.items() if any(e.predicate in made for e in own))
    steps = walks.steps_of(frozenset(writing))
    rows = {p: _Rows(steps, sizes[p]) for p in made}
    for predicate, own in rows.items():
        own.begin(walks.roots, [true.get(predicate, ()) for true in initial])
    readable: dict[str, Mask | _Rows] = {**others, **tables, **rows}
    for level in steps.levels:
        for group in level:
            for own in rows.values():
                own.copy(group)
        for group in level:
            changes = [e for e in effects[group.schema] if e.predicate in rows]
            holds = HoldsAt(group.parents, readable, schemas[group.schema][group.task], base)
            for effect in sorted(changes, key=lambda e: e.adds):  # deletes come before adds
                _apply(effect, group, holds, rows[effect.predicate], base)
    return tables | {predicate: own.at_all_nodes() for predicate, own in rows.items()}


class _Rows:
    """The rows of a table for the nodes at which it may change; to be read at any node.

    A row begins as that of the node before; in wide ones, columns of some true atom alone.
    """

    def __init__(self, steps: StepsOf, columns: int):
        self._steps = steps
        self._rows = _all_false(len(steps.nodes), columns, by_columns=columns > MAX_COPIED)
        self._true = np.zeros(columns, dtype=np.bool_)

    def __getitem__(self, at: tuple[Numbers, Numbers]) -> Mask:
        """Values at some nodes, in a column each."""
        nodes, columns = at
        found: Mask = self._rows[self._steps.last[nodes], columns]
        return found

    def begin(self, roots: Sequence[int], true: Sequence[Collection[int]]) -> None:
        """Write what holds at the roots."""
        for root, columns in zip(roots, true, strict=True):
            own = np.array(sorted(columns), dtype=np.int64)
            self.write(np.full(len(own), root), own, True)

    def copy(self, group: NodeGroup) -> None:
        """Make rows those of the nodes before."""
        parents, nodes = self._steps.last[group.parents], self._steps.last[group.nodes]
        if len(self._true) <= MAX_COPIED:
            self._rows[nodes] = self._rows[parents]
        else:
            columns = np.flatnonzero(self._true)
            self._rows[nodes[:, None], columns] = self._rows[parents[:, None], columns]

    def write(self, nodes: Numbers, columns: Numbers, value: bool) -> None:
        """Write a value in each of some nodes, in a column each."""
        self._rows[self._steps.last[nodes], columns] = value
        self._true[columns] |= value

    def at_all_nodes(self) -> Mask:
        """The table."""
        last = self._steps.last
        if len(self._rows) == len(last):
            return self._rows
        if len(self._true) <= MAX_COPIED:
            return self._rows[last]
        columns = np.flatnonzero(self._true)
        table = _all_false(len(last), len(self._true), by_columns=True)
        table[:, columns] = self._rows[last[:, None], columns]
        return table


def _all_false(nodes: int, columns: int, *, by_columns: bool) -> Mask:
    return np.zeros((nodes, columns), dtype=np.bool_, order="F" if by_columns else "C")


def truth_at(table: Mask, places: Numbers, positive: bool) -> Mask:
    """Whether atoms hold, or do not if not `positive`, by their places in a table as it is stored."""
    found: Mask = table.reshape(-1, order="A")[places]  # without a copy, whether stored by rows or by columns
    return found if positive else ~found


def _apply(effect: LiftedEffect, group: NodeGroup, holds: HoldsAt, table: _Rows, base: int) -> None:
    """Change the rows of a group of nodes; conditions are read in their parents' rows."""
    plain = dict(enumerate(group.arguments.T))
    rows, columns = assigned(effect.variables, holds.schema, plain, len(group.nodes))
    keys, nodes = keys_of(effect.terms, columns, len(rows), base), group.nodes[rows]
    if effect.condition != TRUE:
        fires = holds.at(rows).rows(effect.condition, columns, len(rows))
        keys, nodes = keys[fires], nodes[fires]
    table.write(nodes, keys, effect.adds)


def bindings(variables: Sequence[int], schema: Schema, arguments: Numbers) -> Iterable[Columns]:
    """For each assignment of the variables, the columns of rows of arguments and of these variables."""
    columns = dict(enumerate(arguments.T))
    return lifted.bindings(variables, schema.members, columns, partial(np.full, len(arguments)))


def assigned(
    variables: Sequence[int], schema: Schema, columns: Columns, count: int
) -> tuple[Numbers, Columns]:
    """Each of `count` rows with each assignment of the variables: the rows' numbers, ascending; columns."""
    if not variables:
        return np.arange(count), columns
    each = _product(tuple(schema.members[v] for v in variables))
    rows = np.repeat(np.arange(count), len(each))
    found = {v: column[rows] for v, column in columns.items()}
    return rows, found | {v: np.tile(own, count) for v, own in zip(variables, each.T, strict=True)}


@lru_cache(maxsize=256)
def _product(members: tuple[tuple[int, ...], ...]) -> Numbers:
    """All choices of one of each; shape (choices, members)."""
    found = list(product(*members))
    return np.array(found, dtype=np.int64).reshape(len(found), len(members))


def keys_of(terms: Sequence[Term], columns: Columns, count: int, base: int) -> Numbers:
    """The columns of a predicate's table that the terms denote, one a row."""
    keys = np.zeros(count, dtype=np.int64)
    for term in terms:
        keys = keys * base + (term if term >= 0 else columns[~term])
    return keys


class HoldsAt(Holds):
    """Decides conditions of one schema, each row in the state of its own node."""

    def __init__(self, nodes: Numbers, tables: Mapping[str, Mask | _Rows], schema: Schema, base: int):
        super().__init__(schema, {}, base)
        self.schema = schema
        self._nodes, self._tables, self._objects = nodes, tables, base

    def at(self, rows: Numbers) -> Self:
        """Decides conditions of rows that are made of these."""
        return type(self)(self._nodes[rows], self._tables, self.schema, self._objects)

    def rows(self, condition: Condition, columns: Columns, count: int) -> Mask:
        """Which rows satisfy the condition; shape (count,), with as many rows as nodes."""
        if isinstance(condition, Forall | Exists):
            return self._quantified(condition, columns, count)
        if not isinstance(condition, Literal):
            return super().rows(condition, columns, count)
        keys = keys_of(condition.terms, columns, count, self._objects)
        found: Mask = self._tables[condition.predicate][self._nodes, keys] == condition.positive
        return found

    def _quantified(self, condition: Forall | Exists, columns: Columns, count: int) -> Mask:
        """The truth of quantified conditions: all assignments at once, part by part if they are many."""
        each = prod(len(self.schema.members[v]) for v in condition.variables)
        held = np.ones(count, dtype=np.bool_)
        universal, step = isinstance(condition, Forall), max(1, MAX_ASSIGNMENTS // max(1, each))
        for start in range(0, count, step):
            part = np.arange(start, min(start + step, count))
            own = {v: column[part] for v, column in columns.items()}
            rows, wider = assigned(condition.variables, self.schema, own, len(part))
            inner = self.at(part[rows]).rows(condition.body, wider, len(rows)).reshape(len(part), each)
            held[part] = inner.all(axis=1) if universal else inner.any(axis=1)
        return held

    def all(self, parts: Iterable[Condition], arguments: Numbers) -> Mask:
        """Which rows of arguments satisfy all parts of a precondition; shape (rows,)."""
        columns, held = dict(enumerate(arguments.T)), np.ones(len(arguments), dtype=np.bool_)
        for part in parts:
            held &= self.rows(part, columns, len(arguments))
        return held


#: Assignments of quantified variables that are decided at once, all rows together.
MAX_ASSIGNMENTS = 500_000
#: More examples of one action than this are thinned out.
MAX_EXAMPLES = 60_000


@dataclass(frozen=True, eq=False)
class ActionExamples:
    """One action's examples, one each, and all its operators in all states."""

    nodes: Numbers  #: those of one task after those of the tasks before it
    arguments: Numbers  #: shape (examples, arity)
    positive: Numbers  #: indices of the examples that the world executes
    negative: Numbers
    all: tuple[TaskOperators, ...]  #: of each task

    @cached_property
    def columns(self) -> Columns:
        """The arguments of all examples, by place."""
        return dict(enumerate(np.ascontiguousarray(self.arguments.T)))


@dataclass(frozen=True, eq=False)
class TrainingExamples:
    """All that was seen, as examples by action, and the walks to compute states along."""

    walks: Forest
    of: dict[str, ActionExamples]  #: by action
    runs_all: bool = True  #: whether the model as it was given can run each action in some task

    @property
    def missed(self) -> frozenset[str]:
        """Actions that should have been executed and never were; none if the tasks are not made for all."""
        return self.never_executed if self.runs_all else frozenset()

    @cached_property
    def never_executed(self) -> frozenset[str]:
        """The actions that the world has executed in none of the examples."""
        return frozenset(name for name, own in self.of.items() if not len(own.positive))

    def towards(self, nodes: Iterable[int]) -> tuple[TrainingExamples, dict[int, int]]:
        """No examples, and the ways to some nodes alone; and by node of these its number there."""
        walks, numbers = self.walks.towards(nodes)
        return TrainingExamples(walks, {}), numbers

    @classmethod
    def of_tasks(cls, makers: Sequence[ExampleMaker], seen: Sequence[Seen], hard: Sequence[Hard]) -> Self:
        """The examples of walks in several tasks, by the maker of each."""
        walks = forest([(own, maker.parsed) for maker, own in zip(makers, seen, strict=True)])
        found: dict[str, ActionExamples] = {}
        for name in makers[0].actions:
            tried = [m.tried(name, own, at) for m, own, at in zip(makers, seen, walks.roots, strict=True)]
            places = [
                t.thinned(MAX_EXAMPLES // len(tried), h.get(name)) for t, h in zip(tried, hard, strict=True)
            ]
            label = np.concatenate([t.executes(*p) for t, p in zip(tried, places, strict=True)])
            found[name] = ActionExamples(
                np.concatenate([t.asked[p[0]] for t, p in zip(tried, places, strict=True)]),
                np.concatenate([t.rows[p[1]] for t, p in zip(tried, places, strict=True)]),
                np.flatnonzero(label),
                np.flatnonzero(~label),
                tuple(tried),
            )
        return cls(walks, found)
