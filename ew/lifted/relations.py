"""States of a lifted task as relations, and conditions over many assignments at once.

A state maps every predicate to the sorted keys of its atoms: the arguments' object numbers read as the digits
of one number to the base of how many objects there are. An assignment of variables is a row of columns, one
array of object numbers a variable; a condition is decided for all rows at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation.lifted import (
    And,
    Condition,
    Equality,
    Exists,
    Forall,
    LiftedTask,
    Literal,
    Or,
    Schema,
    Term,
)

Keys = NDArray[np.int64]
#: Predicate to its atoms' keys, sorted, each once. Treated as immutable.
Relations = Mapping[str, Keys]
#: Variable number to the object it denotes, one a row.
Columns = Mapping[int, NDArray[np.int64]]

_NOTHING: Keys = np.zeros(0, dtype=np.int64)


class TooManyAtoms(ValueError):
    """A predicate is too wide for its atoms to be numbered. Plain data; survives pickling."""

    def __init__(self, objects: int, arguments: int):
        super().__init__(objects, arguments)
        self.objects = objects
        self.arguments = arguments

    def __str__(self) -> str:
        return f"{self.objects} objects in {self.arguments} arguments: too many to number all atoms"


def relations_of(task: LiftedTask) -> Relations:
    """The initial state. Raises TooManyAtoms if a predicate is too wide for the keys."""
    base = len(task.objects)
    widest = max((len(row) for rows in task.init.values() for row in rows), default=0)
    if base**widest >= 2**62:
        raise TooManyAtoms(base, widest)
    return {
        name: np.unique(encoded([np.array(c, dtype=np.int64) for c in zip(*rows, strict=True)], base))
        if rows[0]
        else np.zeros(1, dtype=np.int64)
        for name, rows in task.init.items()
    }


def encoded(columns: Sequence[NDArray[np.int64]], base: int) -> Keys:
    """The keys of the rows of at least one column."""
    keys = columns[0]
    for column in columns[1:]:
        keys = keys * base + column
    return keys


def decoded(keys: Keys, arity: int, base: int) -> list[NDArray[np.int64]]:
    """The columns that the keys of a predicate stand for."""
    columns: list[NDArray[np.int64]] = []
    for _ in range(arity):
        keys, digit = np.divmod(keys, base)
        columns.append(digit)
    return columns[::-1]


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
            case Literal(predicate=predicate, terms=terms, positive=positive):
                known = self._state.get(predicate, _NOTHING)
                if not terms:
                    return np.full(count, (len(known) > 0) == positive)
                keys = encoded(denoted(terms, columns, count), self._base)
                return np.asarray(_among(keys, known) == positive)
            case Equality(left=left, right=right, positive=positive):
                one, other = denoted((left, right), columns, count)
                return np.asarray((one == other) == positive)
            case And(parts=parts):
                return self._all((self.rows(p, columns, count) for p in parts), count)
            case Or(parts=parts):
                return ~self._all((~self.rows(p, columns, count) for p in parts), count)
            case Forall(variables=variables, body=body):
                inner = self._bindings(variables, columns, count)
                return self._all((self.rows(body, c, count) for c in inner), count)
            case Exists(variables=variables, body=body):
                inner = self._bindings(variables, columns, count)
                return ~self._all((~self.rows(body, c, count) for c in inner), count)

    def _all(self, parts: Iterable[NDArray[np.bool_]], count: int) -> NDArray[np.bool_]:
        held = np.ones(count, dtype=np.bool_)
        for part in parts:
            held &= part
        return held

    def _bindings(self, variables: Sequence[int], columns: Columns, count: int) -> Iterator[Columns]:
        members = [self._members[v] for v in variables]
        return (
            {**columns, **{v: np.full(count, o) for v, o in zip(variables, objects, strict=True)}}
            for objects in product(*members)
        )


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
