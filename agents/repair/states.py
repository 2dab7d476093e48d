"""The states of a model along all walks that were made in the world, as dense truth tables.

A model's states are computed by force: the operators that the world executed change them, whether or not the
model's own preconditions hold. So preconditions have no say in the states, and an effect on one predicate
changes the table of that predicate alone, unless conditions of effects read it.

A table has a row for each node of the walks' tree and a column for each atom of its predicate: the
arguments' object numbers read as the digits of one number, to the base of how many objects there are.

`Forest` is the tree, node by node and level by level.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation import lifted
from envs.pddl.simulation.lifted import TRUE, Condition, LiftedEffect, Literal, Schema, Term
from ew.lifted.relations import Columns, Holds

Table = NDArray[np.bool_]
Numbers = NDArray[np.int64]
#: Predicate to its table. Tables are never changed once they are here.
Tables = Mapping[str, Table]


@dataclass(frozen=True)
class LastStep:
    """The last step to a node."""

    parent: int
    action: str
    arguments: tuple[int, ...]  #: object numbers


@dataclass(frozen=True, eq=False)
class NodeGroup:
    """The nodes at one depth of the tree that one action led to."""

    schema: str
    parents: Numbers
    nodes: Numbers
    arguments: Numbers  #: shape (nodes, arity)


@dataclass(frozen=True, eq=False)
class Forest:
    """The tree of the walks: the step to each node, and levels in the order of depth to compute along."""

    steps: tuple[LastStep, ...]  #: that of the root is never made
    depth: Numbers
    levels: tuple[tuple[NodeGroup, ...], ...]

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.steps)

    def path(self, node: int) -> list[LastStep]:
        """The steps from the root to a node."""
        path: list[LastStep] = []
        while node:
            path.append(self.steps[node])
            node = self.steps[node].parent
        return path[::-1]


def forest(parents: Numbers, operators: Numbers, parsed: Sequence[tuple[str, tuple[int, ...]]]) -> Forest:
    """The forest of a tree whose parents come before their children; `parsed` are the operators in parts."""
    taken = zip(parents[1:].tolist(), operators[1:].tolist(), strict=True)
    steps = (LastStep(-1, "", ()), *(LastStep(parent, *parsed[operator]) for parent, operator in taken))
    depth = np.zeros(len(parents), dtype=np.int64)
    groups: dict[tuple[int, str], list[int]] = {}
    for node, step in enumerate(steps[1:], start=1):
        depth[node] = depth[step.parent] + 1
        groups.setdefault((int(depth[node]), step.action), []).append(node)
    levels: list[list[NodeGroup]] = [[] for _ in range(int(depth.max(initial=0)))]
    for (at, schema), nodes in sorted(groups.items()):
        rows = np.array([steps[n].arguments for n in nodes], dtype=np.int64).reshape(len(nodes), -1)
        levels[at - 1].append(NodeGroup(schema, parents[nodes], np.array(nodes), rows))
    return Forest(steps, depth, tuple(map(tuple, levels)))


def progress(
    walks: Forest,
    schemas: Mapping[str, Schema],
    effects: Mapping[str, Sequence[LiftedEffect]],
    initial: Mapping[str, Collection[int]],
    sizes: Mapping[str, int],
    base: int,
    only: Collection[str],
    others: Tables,
) -> Tables:
    """The tables of the predicates in `only`; `others` are those that conditions may read besides.

    `initial` are the atoms' numbers that hold at the root, `sizes` the numbers of columns.
    """
    tables = {p: np.zeros((walks.nodes, sizes[p]), dtype=np.bool_) for p in only}
    for predicate, table in tables.items():
        table[0, sorted(initial.get(predicate, ()))] = True
    readable = {**others, **tables}
    for level in walks.levels:
        for group in level:
            for table in tables.values():
                table[group.nodes] = table[group.parents]
        for group in level:
            changes = [e for e in effects[group.schema] if e.predicate in tables]
            holds = HoldsAt(group.parents, readable, schemas[group.schema], base)
            for effect in sorted(changes, key=lambda e: e.adds):  # deletes come before adds
                _apply(effect, group, holds, tables[effect.predicate], base)
    return tables


def _apply(effect: LiftedEffect, group: NodeGroup, holds: HoldsAt, table: Table, base: int) -> None:
    """Change the rows of a group of nodes; conditions are read in their parents' rows."""
    for columns in bindings(effect.variables, holds.schema, group.arguments):
        keys = keys_of(effect.terms, columns, len(group.nodes), base)
        if effect.condition == TRUE:
            table[group.nodes, keys] = effect.adds
            continue
        fires = holds.rows(effect.condition, columns, len(group.nodes))
        table[group.nodes[fires], keys[fires]] = effect.adds


def bindings(variables: Sequence[int], schema: Schema, arguments: Numbers) -> Iterable[Columns]:
    """For each assignment of the variables, the columns of rows of arguments and of these variables."""
    columns = dict(enumerate(arguments.T))
    return lifted.bindings(variables, schema.members, columns, partial(np.full, len(arguments)))


def keys_of(terms: Sequence[Term], columns: Columns, count: int, base: int) -> Numbers:
    """The columns of a predicate's table that the terms denote, one a row."""
    keys = np.zeros(count, dtype=np.int64)
    for term in terms:
        keys = keys * base + (term if term >= 0 else columns[~term])
    return keys


class HoldsAt(Holds):
    """Decides conditions of one schema, each row in the state of its own node."""

    def __init__(self, nodes: Numbers, tables: Tables, schema: Schema, base: int):
        super().__init__(schema, {}, base)
        self.schema = schema
        self._nodes, self._tables, self._objects = nodes, tables, base

    def rows(self, condition: Condition, columns: Columns, count: int) -> Table:
        """Which rows satisfy the condition; shape (count,), with as many rows as nodes."""
        if not isinstance(condition, Literal):
            return super().rows(condition, columns, count)
        keys = keys_of(condition.terms, columns, count, self._objects)
        found: Table = self._tables[condition.predicate][self._nodes, keys] == condition.positive
        return found

    def all(self, parts: Iterable[Condition], arguments: Numbers) -> Table:
        """Which rows of arguments satisfy all parts of a precondition; shape (rows,)."""
        columns, held = dict(enumerate(arguments.T)), np.ones(len(arguments), dtype=np.bool_)
        for part in parts:
            held &= self.rows(part, columns, len(arguments))
        return held
