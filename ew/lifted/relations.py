"""States of a lifted task as relations, and the operators applicable in them, without a list of them.

A state maps every predicate to the sorted keys of its atoms: the arguments' object numbers read as the digits
of one number to the base of how many objects there are. An assignment of variables is a row of columns, one
array of object numbers a variable; a condition is decided for all rows at once.

The applicable operators of one schema in one state are counted and sampled by joins. The parts of the
precondition tie parameters together; parameters that no part ties, not even by way of others, are
independent. So the operators are the product of the assignments of independent groups: each group is joined
by itself into a table, the count is the product of the tables' sizes, and a row drawn uniformly from each
table is a uniform operator. A permissive action with six free parameters over thirty objects has 729 million
operators and six tables of thirty rows.

A group whose own table would be larger than `MAX_ROWS` is tied less tightly: only by its positive literals,
whose tables are small where facts are few; the rest of its parts is kept as a test. A row drawn from a
superset of the applicable operators and accepted if it passes the test is uniform among those that pass
(rejection sampling). Such a choice is not exact: its size is that of the superset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from itertools import product as products
from math import prod

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation import lifted
from envs.pddl.simulation.lifted import And, Condition, LiftedTask, Literal, Schema, Term, variables_of

Keys = NDArray[np.int64]
#: Predicate to its atoms' keys, sorted, each once. Treated as immutable.
Relations = Mapping[str, Keys]
#: Variable number to the object it denotes, one a row.
Columns = Mapping[int, NDArray[np.int64]]

_NOTHING: Keys = np.zeros(0, dtype=np.int64)


class CannotWalk(RuntimeError):
    """Why a lifted model is not walked; the message says what to change. Survives pickling."""


class TooManyAtoms(CannotWalk):
    """A predicate is too wide for its atoms to be numbered."""


def relations_of(task: LiftedTask) -> Relations:
    """The initial state. Raises TooManyAtoms if a predicate is too wide for the keys."""
    base = len(task.objects)
    widest = max((len(row) for rows in task.init.values() for row in rows), default=0)
    if base**widest >= 2**62:
        raise TooManyAtoms(f"{base} objects in {widest} arguments: too many to number all atoms")
    return {
        name: np.unique(encoded([np.array(c, dtype=np.int64) for c in zip(*rows, strict=True)], base))
        if rows[0]
        else np.zeros(1, dtype=np.int64)
        for name, rows in task.init.items()
    }


def encoded(columns: Sequence[NDArray[np.int64]], base: int) -> Keys:
    """The keys of the rows of at least one column."""
    return reduce(lambda keys, column: keys * base + column, columns)


def decoded(keys: Keys, arity: int, base: int) -> list[NDArray[np.int64]]:
    """The columns that the keys of a predicate stand for."""
    return [keys // base**place % base for place in reversed(range(arity))]


def denoted(terms: Sequence[Term], columns: Columns, count: int) -> list[NDArray[np.int64]]:
    """One column a term."""
    return [np.full(count, t) if t >= 0 else columns[~t] for t in terms]


class Holds:
    """Decides conditions of one schema in one state."""

    def __init__(self, schema: Schema, state: Relations, base: int):
        self._members = schema.members
        self._state = state
        self._base = base

    def rows(self, condition: Condition, columns: Columns, count: int) -> NDArray[np.bool_]:
        """Which of `count` assignments satisfy the condition; shape (count,)."""
        match condition:
            case lifted.Literal(predicate=predicate, terms=terms, positive=positive):
                known = self._state.get(predicate, _NOTHING)
                if not terms:
                    return np.full(count, (len(known) > 0) == positive)
                keys = encoded(denoted(terms, columns, count), self._base)
                return np.asarray(_among(keys, known) == positive)
            case lifted.Equality(terms=(left, right), positive=positive):
                one, other = denoted((left, right), columns, count)
                return np.asarray((one == other) == positive)
            case lifted.And(parts=parts):
                return _all((self.rows(p, columns, count) for p in parts), count)
            case lifted.Or(parts=parts):
                return ~_all((~self.rows(p, columns, count) for p in parts), count)
            case lifted.Forall(variables=variables, body=body):
                inner = lifted.bindings(variables, self._members, columns, partial(np.full, count))
                return _all((self.rows(body, c, count) for c in inner), count)
            case lifted.Exists(variables=variables, body=body):
                inner = lifted.bindings(variables, self._members, columns, partial(np.full, count))
                return ~_all((~self.rows(body, c, count) for c in inner), count)


def _all(parts: Iterable[NDArray[np.bool_]], count: int) -> NDArray[np.bool_]:
    """Which rows all parts hold in."""
    return reduce(np.logical_and, parts, np.ones(count, dtype=np.bool_))


def _among(keys: NDArray[np.int64], known: Keys) -> NDArray[np.bool_]:
    """Which of the keys are known: a look-up in what is sorted, which `np.isin` would sort anew each time."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    places = np.minimum(known.searchsorted(keys), len(known) - 1)
    return np.asarray(known[places] == keys)


def successor(schema: Schema, arguments: Sequence[int], state: Relations, base: int) -> Relations:
    """The state after one operator: conditions are read in the old one, then deletes, then adds."""
    holds = Holds(schema, state, base)
    changed: dict[tuple[str, bool], list[Keys]] = {}
    for effect in schema.effects:
        assignments = list(product(*(schema.members[v] for v in effect.variables)))
        count = len(assignments)
        columns = {v: np.full(count, o) for v, o in enumerate(arguments)}
        tiled = np.array(assignments, dtype=np.int64).reshape(count, len(effect.variables))
        columns.update({v: tiled[:, i] for i, v in enumerate(effect.variables)})
        fires = holds.rows(effect.condition, columns, count)
        terms = denoted(effect.terms, columns, count)
        keys = encoded(terms, base) if terms else np.zeros(count, dtype=np.int64)
        changed.setdefault((effect.predicate, effect.adds), []).append(keys[fires])
    after = dict(state)
    for (predicate, adds), parts in sorted(changed.items()):  # False first: deletes come before adds
        keys, known = np.concatenate(parts), after.get(predicate, _NOTHING)
        after[predicate] = np.union1d(known, keys) if adds else np.setdiff1d(known, keys)
    return after


#: Rows of one table.
MAX_ROWS = 50_000


class JoinTooLarge(CannotWalk):
    """Even the positive literals of a precondition have too many assignments."""


@dataclass(frozen=True, eq=False)
class JoinRows:
    """Assignments of some variables, one a row."""

    columns: dict[int, NDArray[np.int64]]
    count: int

    def taken(self, rows: NDArray[np.int64]) -> JoinRows:
        """Those of these numbers."""
        return JoinRows({v: c[rows] for v, c in self.columns.items()}, len(rows))


@dataclass(frozen=True, eq=False)
class Choice:
    """The operators of a schema that may run, or a superset of them and the test that they pass."""

    tables: tuple[JoinRows, ...]
    tests: tuple[Condition, ...]
    size: int  #: how many rows the product of the tables has

    @property
    def exact(self) -> bool:
        """Whether every row of the product is applicable."""
        return not self.tests

    def draw(self, arity: int, rng: np.random.Generator) -> tuple[int, ...]:
        """A uniform row of the product, untested, as arguments; one number of `rng` a table."""
        return self._row(arity, [min(int(rng.random() * t.count), t.count - 1) for t in self.tables])

    def rows(self, arity: int) -> Iterator[tuple[int, ...]]:
        """All rows of the product, untested."""
        return (self._row(arity, picked) for picked in products(*(range(t.count) for t in self.tables)))

    def _row(self, arity: int, picked: Sequence[int]) -> tuple[int, ...]:
        """The arguments in one row of each table."""
        arguments = [0] * arity
        for table, row in zip(self.tables, picked, strict=True):
            for variable, column in table.columns.items():
                arguments[variable] = int(column[row])
        return tuple(arguments)


def choice(schema: Schema, state: Relations, base: int, max_rows: int = MAX_ROWS) -> Choice:
    """What may run of a schema. Raises JoinTooLarge if it cannot be held even loosely tied."""
    holds = Holds(schema, state, base)
    parts = schema.precondition.parts if isinstance(schema.precondition, And) else (schema.precondition,)
    tables: list[JoinRows] = []
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
                raise JoinTooLarge(
                    f"action `{schema.name}` ties its parameters so loosely that more than {max_rows} "
                    "assignments would have to be held at once: give its parameters narrower types or fewer "
                    "ties"
                )
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

    def table(self, variables: Sequence[int], parts: Sequence[_Part]) -> JoinRows | None:
        """All assignments of the variables that satisfy the parts; None if they become too many."""
        table = JoinRows({}, 1)
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

    def _next(self, table: JoinRows, variables: Sequence[int], waiting: Sequence[_Part]) -> JoinRows | None:
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
        return self._crossed(
            table, JoinRows({variable: self._members[variable]}, len(self._members[variable]))
        )

    def _filtered(self, table: JoinRows, conditions: Sequence[Condition]) -> JoinRows:
        kept = self._holds.rows(And(tuple(conditions)), table.columns, table.count)
        return table.taken(np.flatnonzero(kept))

    def _joined(self, table: JoinRows, literal: Literal) -> JoinRows | None:
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
        return JoinRows({**table.taken(rows).columns, **facts.taken(matches).columns}, total)

    def _facts(self, literal: Literal) -> JoinRows:
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
        return JoinRows(bound, len(keys)).taken(np.flatnonzero(kept))

    def _crossed(self, one: JoinRows, other: JoinRows) -> JoinRows | None:
        total = one.count * other.count
        if total > self._max_rows:
            return None
        rows = np.repeat(np.arange(one.count), other.count)
        tiled = np.tile(np.arange(other.count), one.count)
        return JoinRows({**one.taken(rows).columns, **other.taken(tiled).columns}, total)
