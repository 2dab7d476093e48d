"""Compiling: the reachable operators of a problem as bit masks and conjunctions.

All operators of a schema are compiled together: a lifted literal becomes one array with its code for every
operator, a quantifier one array an assignment. What can be decided here is: static atoms, equalities and
atoms that no operator can ever reach are constants, and an operator whose precondition is constantly false
is dropped. Goals take the same path. Negation, disjunction, quantifiers: see `gates`.

Atoms are numbered, and the literal codes of many are looked up at once (`AtomTable`): a predicate's atoms are
mixed-radix numbers of their arguments, and a lookup is one search in a sorted array. Atoms of predicates that
no effect changes are constants: their codes are true and false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language.operators import format_operator
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.simulation import lifted
from envs.pddl.simulation.gates import FALSE_CODE, TRUE_CODE, Block, Codes, Conjunctions, GateTable
from envs.pddl.simulation.grounding import Grounding, Limits, ground
from envs.pddl.simulation.simulator import Changes, Dynamics, Task

#: One atom a row: its arguments' object numbers, shape (atoms, arity).
ArgumentRows = NDArray[np.int64]


class AtomTable:
    """Fluent atoms numbered in the order of (predicate, arguments); static ones known as constants."""

    def __init__(
        self, objects: Sequence[str], fluent: Mapping[str, ArgumentRows], static: Mapping[str, ArgumentRows]
    ):
        """Takes the atoms per predicate; repeats in `fluent` are dropped."""
        self._radix = max(len(objects), 2)
        self._keys: dict[str, tuple[NDArray[np.int64], Codes]] = {}
        self.atoms: tuple[GroundAtom, ...] = ()
        for name, rows in sorted(fluent.items()):
            keys, places = np.unique(self._number(list(rows.T), len(rows)), return_index=True)
            first = len(self.atoms)
            self._keys[name] = keys, 2 * np.arange(first + 1, first + 1 + len(keys))
            self.atoms += tuple((name, *(objects[i] for i in row)) for row in rows[places].tolist())
        for name, rows in static.items():
            keys = np.sort(self._number(list(rows.T), len(rows)))
            self._keys[name] = keys, np.full(len(keys), TRUE_CODE)

    def codes(self, predicate: str, columns: Sequence[NDArray[np.int64]], count: int) -> Codes:
        """The literals `predicate(columns[0][i], ...)` for i < count; false if the atom can never hold."""
        keys, codes = self._keys.get(predicate, (_EMPTY, _EMPTY))
        if not len(keys):
            return np.full(count, FALSE_CODE, dtype=np.int64)
        wanted = self._number(columns, count)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, codes[places], FALSE_CODE)

    def _number(self, columns: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.int64]:
        """Each row's arguments as one number; Python integers where 64 bits could overflow."""
        wide = len(columns) * self._radix.bit_length() > 62
        number = np.zeros(count, dtype=object if wide else np.int64)
        for column in columns:
            number = number * self._radix + column
        return number


_EMPTY = np.zeros(0, dtype=np.int64)


#: Variable number → the object it denotes, one a row.
_Columns = Mapping[int, NDArray[np.int64]]


def compile_task(problem: Problem, limits: Limits | None = None) -> Task:
    """The problem as a batched simulator.

    `limits` are for models that may explode: see `grounding.ground` for what it raises; None trusts the
    problem. The result is independent of the order of anything in the text.
    """
    grounding = ground(problem, limits)
    task = grounding.task
    constant = {n: np.array(rows, dtype=np.int64) for n, rows in task.init.items() if n not in task.fluents}
    table = AtomTable(task.objects, _fluent_rows(grounding), constant)
    static = frozenset(a for a in problem.init if a[0] not in task.fluents)
    dynamics, goal = _dynamics(grounding, table), _goal(task, table)
    return Task(table.atoms, static, problem.init - static, dynamics, goal)


@dataclass(frozen=True)
class _Compiled:
    """One schema: its operators that may ever run, and what they need and change."""

    texts: list[str]
    needs: Codes  #: shape (operators, literals)
    changes: list[Changes]  #: operators numbered within the schema


def _dynamics(grounding: Grounding, table: AtomTable) -> Dynamics:
    gates, task = GateTable(len(table.atoms)), grounding.task
    compiled = [
        _SchemaCompiler(schema, table, gates).compile(rows, task.objects)
        for schema, rows in zip(task.schemas, grounding.arguments, strict=True)
    ]
    texts = [text for schema in compiled for text in schema.texts]
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    places = np.empty(len(texts), dtype=np.int64)
    places[order] = np.arange(len(texts))
    blocks, changes, first = [], [], 0
    for schema in compiled:
        own = places[first : first + len(schema.texts)]
        first += len(schema.texts)
        blocks.append(Block(own, schema.needs))
        changes += [replace(change, operators=own[change.operators]) for change in schema.changes]
    operators = tuple(texts[i] for i in order.tolist())
    return Dynamics(operators, gates.circuit(), Conjunctions(blocks, len(texts)), tuple(changes))


def _goal(task: lifted.LiftedTask, table: AtomTable) -> Dynamics:
    """The goal, as the precondition of one operator without effects."""
    gates = GateTable(len(table.atoms))
    needs = _SchemaCompiler(task.goal, table, gates).literals(task.goal.precondition, {}, 1)
    block = Block(np.zeros(1, dtype=np.int64), _stacked(needs, 1))
    return Dynamics(("(goal)",), gates.circuit(), Conjunctions([block], 1), ())


class _SchemaCompiler:
    """Compiles one schema for all its operators."""

    def __init__(self, schema: lifted.Schema, table: AtomTable, gates: GateTable):
        self._schema = schema
        self._table = table
        self._gates = gates

    def compile(self, rows: ArgumentRows, objects: Sequence[str]) -> _Compiled:
        count = len(rows)
        literals = self.literals(self._schema.precondition, _columns(rows), count)
        needs = _stacked(literals, count)
        alive = ~(needs == FALSE_CODE).any(axis=1)
        rows = rows[alive]
        name = self._schema.name
        texts = [format_operator(name, [objects[i] for i in row]) for row in rows.tolist()]
        return _Compiled(texts, needs[alive], [self._effect(e, rows) for e in self._schema.effects])

    def literals(self, condition: lifted.Condition, columns: _Columns, count: int) -> list[Codes]:
        """Arrays of literals, one a row, whose conjunction is the condition."""
        match condition:
            case lifted.Literal(predicate=predicate, terms=terms, positive=positive):
                codes = self._table.codes(predicate, _values(terms, columns, count), count)
                return [codes if positive else codes ^ 1]
            case lifted.Equality(positive=positive):
                one, other = _values(condition.terms, columns, count)
                return [np.where((one == other) == positive, TRUE_CODE, FALSE_CODE)]
            case lifted.And(parts=parts):
                return [codes for part in parts for codes in self.literals(part, columns, count)]
            case lifted.Or(parts=parts):
                return [self._gates.disjunction([self._one(p, columns, count) for p in parts], count)]
            case lifted.Forall(variables=bound, body=body) | lifted.Exists(variables=bound, body=body):
                inner = lifted.bindings(bound, self._schema.members, columns, partial(np.full, count))
                if isinstance(condition, lifted.Forall):
                    return [codes for each in inner for codes in self.literals(body, each, count)]
                return [self._gates.disjunction([self._one(body, each, count) for each in inner], count)]

    def _one(self, condition: lifted.Condition, columns: _Columns, count: int) -> Codes:
        return self._gates.conjunction(self.literals(condition, columns, count), count)

    def _effect(self, effect: lifted.LiftedEffect, rows: ArgumentRows) -> Changes:
        operators, columns = _unfolded(effect, self._schema, rows)
        count = len(operators)
        atoms = self._table.codes(effect.predicate, _values(effect.terms, columns, count), count)
        conditions = self._one(effect.condition, columns, count)
        real = (atoms != FALSE_CODE) & (conditions != FALSE_CODE)
        return Changes(operators[real], conditions[real], atoms[real] // 2 - 1, effect.adds)


def _fluent_rows(grounding: Grounding) -> dict[str, ArgumentRows]:
    """The atoms of every fluent predicate that hold at first or that some operator adds."""
    task = grounding.task
    found: dict[str, list[ArgumentRows]] = {}
    for name in sorted(task.fluents & task.init.keys()):
        found.setdefault(name, []).append(np.array(task.init[name], dtype=np.int64))
    for schema, rows in zip(task.schemas, grounding.arguments, strict=True):
        for effect in schema.effects:
            if effect.adds and len(rows):
                operators, columns = _unfolded(effect, schema, rows)
                values = _values(effect.terms, columns, len(operators))
                found.setdefault(effect.predicate, []).append(_stacked(values, len(operators)))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _unfolded(
    effect: lifted.LiftedEffect, schema: lifted.Schema, rows: ArgumentRows
) -> tuple[NDArray[np.int64], _Columns]:
    """Every operator times every assignment of the effect's variables: operator numbers, and columns."""
    members = [schema.members[v] for v in effect.variables]
    listed = list(product(*members))
    assignments = np.array(listed, dtype=np.int64).reshape(len(listed), len(members))
    operators = np.repeat(np.arange(len(rows)), len(assignments))
    tiled = np.tile(assignments, (len(rows), 1))
    columns = _columns(rows[operators])
    columns.update({v: tiled[:, i] for i, v in enumerate(effect.variables)})
    return operators, columns


def _columns(rows: ArgumentRows) -> dict[int, NDArray[np.int64]]:
    return {i: rows[:, i] for i in range(rows.shape[1])}


def _values(terms: Sequence[lifted.Term], columns: _Columns, count: int) -> list[NDArray[np.int64]]:
    return [np.full(count, t) if t >= 0 else columns[~t] for t in terms]


def _stacked(columns: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.int64]:
    """Columns side by side, shape (count, len(columns)), also without any."""
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0), dtype=np.int64)
