"""The states of a model along all walks that were made in the world, as dense truth tables.

A model's states are computed by force: the operators that the world executed change them, whether or not the
model's own preconditions hold. So preconditions have no say in the states, and an effect on one predicate
changes the table of that predicate alone, unless conditions of effects read it.

A table has a row for each node of the walks' tree and a column for each atom of its predicate: the
arguments' object numbers read as the digits of one number, to the base of how many objects there are.

`Forest` is the tree level by level, to compute along; `Paths` is the same tree node by node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.lifted import (
    And,
    Condition,
    Equality,
    Exists,
    Forall,
    LiftedEffect,
    Literal,
    Or,
    Schema,
    Term,
)

Table = NDArray[np.bool_]
Numbers = NDArray[np.int64]
#: Predicate to its table. Tables are never changed once they are here.
Tables = Mapping[str, Table]
#: Variable number to the object it denotes, one a row.
Columns = Mapping[int, Numbers]


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes at one depth of the tree that one action led to."""

    schema: str
    parents: Numbers
    nodes: Numbers
    arguments: Numbers  #: shape (nodes, arity)


@dataclass(frozen=True, eq=False)
class Forest:
    """The tree of the walks, ready to be computed along: levels in the order of depth."""

    nodes: int
    levels: tuple[tuple[Level, ...], ...]


def forest(parents: Numbers, operators: Numbers, parsed: Sequence[tuple[str, tuple[int, ...]]]) -> Forest:
    """The forest of a tree whose parents come before their children; `parsed` are the operators in parts."""
    depth = np.zeros(len(parents), dtype=np.int64)
    groups: dict[tuple[int, str], list[int]] = {}
    for node in range(1, len(parents)):
        depth[node] = depth[parents[node]] + 1
        groups.setdefault((int(depth[node]), parsed[int(operators[node])][0]), []).append(node)
    levels: list[list[Level]] = [[] for _ in range(int(depth.max(initial=0)))]
    for (at, schema), nodes in sorted(groups.items()):
        arguments = [parsed[int(operators[n])][1] for n in nodes]
        rows = np.array(arguments, dtype=np.int64).reshape(len(nodes), -1)
        levels[at - 1].append(Level(schema, parents[nodes], np.array(nodes), rows))
    return Forest(len(parents), tuple(map(tuple, levels)))


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
            for effect in sorted(changes, key=lambda e: e.adds):  # deletes come before adds
                _apply(effect, group, schemas[group.schema], readable, tables[effect.predicate], base)
    return tables


def _apply(
    effect: LiftedEffect, group: Level, schema: Schema, readable: Tables, table: Table, base: int
) -> None:
    """Change the rows of a group of nodes; conditions are read in their parents' rows."""
    count = len(group.nodes)
    for objects in product(*(schema.members[v] for v in effect.variables)):
        columns = dict(enumerate(group.arguments.T))
        columns.update({v: np.full(count, o) for v, o in zip(effect.variables, objects, strict=True)})
        keys = keys_of(effect.terms, columns, count, base)
        if effect.condition == And(()):
            table[group.nodes, keys] = effect.adds
            continue
        fires = holds(effect.condition, columns, group.parents, readable, schema, base)
        table[group.nodes[fires], keys[fires]] = effect.adds


def keys_of(terms: Sequence[Term], columns: Columns, count: int, base: int) -> Numbers:
    """The columns of a predicate's table that the terms denote, one a row."""
    keys = np.zeros(count, dtype=np.int64)
    for term in terms:
        keys = keys * base + (term if term >= 0 else columns[~term])
    return keys


def holds(
    condition: Condition, columns: Columns, nodes: Numbers, tables: Tables, schema: Schema, base: int
) -> Table:
    """Which rows satisfy the condition, each in the state of its node; shape (len(nodes),)."""
    count = len(nodes)
    match condition:
        case Literal(predicate=predicate, terms=terms, positive=positive):
            found = tables[predicate][nodes, keys_of(terms, columns, count, base)]
            return found if positive else ~found
        case Equality(left=left, right=right, positive=positive):
            one, other = (t if t >= 0 else columns[~t] for t in (left, right))
            return np.broadcast_to(np.asarray((one == other) == positive), (count,))
        case And(parts=parts):
            return _all((holds(p, columns, nodes, tables, schema, base) for p in parts), count)
        case Or(parts=parts):
            return ~_all((~holds(p, columns, nodes, tables, schema, base) for p in parts), count)
        case Forall(variables=variables, body=body):
            inner = _bindings(schema, variables, columns, count)
            return _all((holds(body, c, nodes, tables, schema, base) for c in inner), count)
        case Exists(variables=variables, body=body):
            inner = _bindings(schema, variables, columns, count)
            return ~_all((~holds(body, c, nodes, tables, schema, base) for c in inner), count)


def _all(parts: Iterable[Table], count: int) -> Table:
    held = np.ones(count, dtype=np.bool_)
    for part in parts:
        held &= part
    return held


def _bindings(schema: Schema, variables: Sequence[int], columns: Columns, count: int) -> Iterator[Columns]:
    for objects in product(*(schema.members[v] for v in variables)):
        yield {**columns, **{v: np.full(count, o) for v, o in zip(variables, objects, strict=True)}}


@dataclass(frozen=True)
class Step:
    """The last step to a node."""

    parent: int
    action: str
    arguments: tuple[int, ...]  #: object numbers


@dataclass(frozen=True, eq=False)
class Paths:
    """The steps to all nodes but the root, whose own is never made."""

    steps: tuple[Step, ...]
    depth: NDArray[np.int64]

    @classmethod
    def of(cls, walks: Forest) -> Paths:
        """The steps of these walks."""
        steps = [Step(-1, "", ())] * walks.nodes
        depth = np.zeros(walks.nodes, dtype=np.int64)
        for at, level in enumerate(walks.levels, 1):
            for group in level:
                depth[group.nodes] = at
                rows = zip(
                    group.nodes.tolist(), group.parents.tolist(), group.arguments.tolist(), strict=True
                )
                for node, parent, arguments in rows:
                    steps[node] = Step(parent, group.schema, tuple(arguments))
        return cls(tuple(steps), depth)

    def to(self, node: int) -> list[Step]:
        """The steps from the root to a node."""
        path: list[Step] = []
        while node:
            path.append(self.steps[node])
            node = self.steps[node].parent
        return path[::-1]
