"""The applicable operators of one schema in one state, counted and sampled without being listed.

The parts of the precondition tie parameters together; parameters that no part ties, not even by way of
others, are independent. So the operators are the product of the assignments of independent groups: each group
is joined by itself into a table, the count is the product of the tables' sizes, and a row drawn uniformly
from each table is a uniform operator. A permissive action with six free parameters over thirty objects has
729 million operators and six tables of thirty rows.

A group whose own table would be larger than `MAX_ROWS` is tied less tightly: only by its positive literals,
whose tables are small where facts are few; the rest of its parts is kept as a test. A row drawn from a
superset of the applicable operators and accepted if it passes the test is uniform among those that pass
(rejection sampling). Such a choice is not exact: its size is that of the superset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as products
from math import prod

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.lifted import And, Condition, Literal, Schema, variables_of
from ew.lifted.relations import Columns, Holds, Relations, decoded, encoded

#: Rows of one table.
MAX_ROWS = 50_000


class JoinTooLarge(ValueError):
    """Even the positive literals of a precondition have too many assignments. Plain data."""

    def __init__(self, action: str, rows: int):
        super().__init__(action, rows)
        self.action = action
        self.rows = rows

    def __str__(self) -> str:
        return (
            f"action `{self.action}` ties its parameters so loosely that {self.rows} assignments would have "
            f"to be held at once, more than {MAX_ROWS}: give its parameters narrower types or fewer ties"
        )


@dataclass(frozen=True, eq=False)
class Table:
    """Assignments of some variables, one a row."""

    columns: dict[int, NDArray[np.int64]]
    count: int


@dataclass(frozen=True, eq=False)
class Choice:
    """The operators of a schema that may run, or a superset of them and the test that they pass."""

    tables: tuple[Table, ...]
    tests: tuple[Condition, ...]
    size: int  #: how many rows the product of the tables has

    @property
    def exact(self) -> bool:
        """Whether every row of the product is applicable."""
        return not self.tests

    def draw(self, arity: int, rng: np.random.Generator) -> tuple[int, ...]:
        """A uniform row of the product, untested, as arguments; one number of `rng` a table."""
        arguments = [0] * arity
        for table in self.tables:
            row = min(int(rng.random() * table.count), table.count - 1)
            for variable, column in table.columns.items():
                arguments[variable] = int(column[row])
        return tuple(arguments)

    def rows(self, arity: int) -> Iterator[tuple[int, ...]]:
        """All rows of the product, untested."""
        for picked in products(*(range(t.count) for t in self.tables)):
            arguments = [0] * arity
            for table, row in zip(self.tables, picked, strict=True):
                for variable, column in table.columns.items():
                    arguments[variable] = int(column[row])
            yield tuple(arguments)


def choice(schema: Schema, state: Relations, base: int, max_rows: int = MAX_ROWS) -> Choice:
    """What may run of a schema. Raises JoinTooLarge if it cannot be held even loosely tied."""
    holds = Holds(schema, state, base)
    parts = schema.precondition.parts if isinstance(schema.precondition, And) else (schema.precondition,)
    tables: list[Table] = []
    tests: list[Condition] = []
    for variables, own in _groups(range(schema.arity), [(p, _parameters(p, schema.arity)) for p in parts]):
        if not variables:
            if not all(holds.rows(p, {}, 1)[0] for p, _ in own):
                return Choice((), (), 0)
            continue
        table = _Join(schema, state, base, holds, max_rows).table(variables, own)
        if table is not None:
            tables.append(table)
            continue
        positive = [(p, v) for p, v in own if isinstance(p, Literal) and p.positive]
        tests += [p for p, _ in own if not (isinstance(p, Literal) and p.positive)]
        for fewer, loose in _groups(variables, positive):
            part = _Join(schema, state, base, holds, max_rows).table(fewer, loose)
            if part is None:
                raise JoinTooLarge(schema.name, max_rows + 1)
            tables.append(part)
    return Choice(tuple(tables), tuple(tests), prod(t.count for t in tables))


_Part = tuple[Condition, frozenset[int]]


def _parameters(condition: Condition, arity: int) -> frozenset[int]:
    """The parameters in a condition (quantified variables have greater numbers)."""
    return frozenset(v for v in variables_of(condition) if v < arity)


def _groups(variables: Sequence[int], parts: Sequence[_Part]) -> Iterator[tuple[list[int], list[_Part]]]:
    """Variables tied by parts, group by group, each with its parts; parts without variables come first."""
    group = {v: v for v in variables}
    for _, tied in parts:
        names = {group[v] for v in tied}
        group = {v: min(names) if g in names else g for v, g in group.items()}
    ground = [p for p in parts if not p[1]]
    if ground:
        yield [], ground
    for name in sorted({g for g in group.values()}):
        own = [v for v in variables if group[v] == name]
        yield own, [p for p in parts if p[1] and group[min(p[1])] == name]


class _Join:
    """Joins the parts of one group, a part or a variable at a time, the most tied part first."""

    def __init__(self, schema: Schema, state: Relations, base: int, holds: Holds, max_rows: int):
        self._members = [np.array(m, dtype=np.int64) for m in schema.members]
        self._state = state
        self._base = base
        self._holds = holds
        self._max_rows = max_rows

    def table(self, variables: Sequence[int], parts: Sequence[_Part]) -> Table | None:
        """All assignments of the variables that satisfy the parts; None if they become too many."""
        table = Table({}, 1)
        waiting = list(parts)
        while waiting or len(table.columns) < len(variables):
            due = [p for p in waiting if p[1] <= table.columns.keys()]
            if due:
                table = self._filtered(table, [p for p, _ in due])
                waiting = [p for p in waiting if p not in due]
                continue
            following = self._next(table, variables, waiting)
            if following is None:
                return None
            table = following
        return table

    def _next(self, table: Table, variables: Sequence[int], waiting: Sequence[_Part]) -> Table | None:
        """The table with more variables bound: by the most tied positive literal, else by a type."""
        literals = [(p, v) for p, v in waiting if isinstance(p, Literal) and p.positive]
        if literals:
            literal, _ = min(
                literals,
                key=lambda p: (
                    p[1].isdisjoint(table.columns),
                    len(p[1] - table.columns.keys()),
                    len(self._state.get(p[0].predicate, ())),
                ),
            )
            return self._joined(table, literal)
        free = [v for v in variables if v not in table.columns]
        variable = min(free, key=lambda v: (len(self._members[v]), v))
        return self._crossed(table, Table({variable: self._members[variable]}, len(self._members[variable])))

    def _filtered(self, table: Table, conditions: Sequence[Condition]) -> Table:
        kept = self._holds.rows(And(tuple(conditions)), table.columns, table.count)
        return _taken(table, np.flatnonzero(kept))

    def _joined(self, table: Table, literal: Literal) -> Table | None:
        facts = self._facts(literal)
        shared = [v for v in facts.columns if v in table.columns]
        if not shared:
            return self._crossed(table, facts)
        left, right = (encoded([t.columns[v] for v in shared], self._base) for t in (table, facts))
        order = np.argsort(right, kind="stable")
        first = np.searchsorted(right[order], left, side="left")
        counts = np.searchsorted(right[order], left, side="right") - first
        total = int(counts.sum())
        if total > self._max_rows:
            return None
        rows = np.repeat(np.arange(table.count), counts)
        within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        matches = order[first[rows] + within]
        return Table(_merged(_taken(table, rows).columns, _taken(facts, matches).columns), total)

    def _facts(self, literal: Literal) -> Table:
        """The literal's atoms as assignments of its variables, constants and types respected."""
        keys = self._state.get(literal.predicate, np.zeros(0, dtype=np.int64))
        columns = decoded(keys, len(literal.terms), self._base)
        kept = np.ones(len(keys), dtype=np.bool_)
        bound: dict[int, NDArray[np.int64]] = {}
        for term, column in zip(literal.terms, columns, strict=True):
            if term >= 0:
                kept &= column == term
            elif ~term in bound:
                kept &= column == bound[~term]
            else:
                bound[~term] = column
                kept &= np.isin(column, self._members[~term])
        return _taken(Table(bound, len(keys)), np.flatnonzero(kept))

    def _crossed(self, one: Table, other: Table) -> Table | None:
        total = one.count * other.count
        if total > self._max_rows:
            return None
        rows = np.repeat(np.arange(one.count), other.count)
        tiled = np.tile(np.arange(other.count), one.count)
        return Table(_merged(_taken(one, rows).columns, _taken(other, tiled).columns), total)


def _taken(table: Table, rows: NDArray[np.int64]) -> Table:
    return Table({v: c[rows] for v, c in table.columns.items()}, len(rows))


def _merged(one: Columns, other: Columns) -> dict[int, NDArray[np.int64]]:
    return {**one, **other}
