"""Operators as products of independent parts, so that far fewer rows are read out of clingo than there are.

Two parameters of an action depend on each other if a condition names both. What remains apart is independent:
an action is reachable for exactly the combinations of reachable values of its parts, except where an
inequality between two parts forbids it. An action with thousands of operators has parts of a few rows each.

Only conjunctions of literals and equalities are taken apart; any other precondition is one part.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation import lifted

#: Object numbers, one row an operator or a value of a part.
ArgumentRows = NDArray[np.int64]
#: The parameters of one part, ascending.
Part = tuple[int, ...]


def parts_of(schema: lifted.Schema, fluents: Collection[str]) -> tuple[Part, ...]:
    """The parts of an action's parameters, by their first parameters; at least one, which may be empty."""
    whole = tuple(range(schema.arity))
    conditions = _conditions(schema.precondition)
    if conditions is None:
        return (whole,)
    group = list(whole)
    for condition in conditions:
        if _couples(condition, fluents):
            for one, other in pairwise(lifted.variables_of(condition)):
                old, new = group[one], group[other]
                group = [new if g == old else g for g in group]
    return tuple(tuple(v for v in whole if group[v] == g) for g in sorted(set(group), key=group.index)) or (
        whole,
    )


def part_schema(schema: lifted.Schema, part: Part, first: bool) -> lifted.Schema:
    """A schema without effects that is reachable for the values of one part of several.

    Conditions without variables belong to the first part.
    """
    place = {variable: i for i, variable in enumerate(part)}
    own: list[lifted.Condition] = []
    for condition in _conditions(schema.precondition) or ():
        variables = set(lifted.variables_of(condition))
        if variables <= place.keys() and (variables or first):
            own.append(_renamed(condition, place))
    members = tuple(schema.members[v] for v in part)
    return lifted.Schema(schema.name, len(part), members, lifted.conjunction(own), ())


def combined(schema: lifted.Schema, parts: Sequence[Part], rows: Sequence[ArgumentRows]) -> ArgumentRows:
    """The operators of all combinations of the parts' rows that the inequalities allow, sorted."""
    if len(parts) == 1:
        return rows[0]
    counts = [len(part) for part in rows]
    picks = np.indices(counts).reshape(len(counts), -1)
    columns: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * schema.arity
    for part, values, picked in zip(parts, rows, picks, strict=True):
        for i, variable in enumerate(part):
            columns[variable] = values[picked, i]
    allowed = np.ones(picks.shape[1], dtype=np.bool_)
    for condition in _conditions(schema.precondition) or ():
        if isinstance(condition, lifted.Equality):
            left, right = (term if term >= 0 else columns[~term] for term in condition.terms)
            allowed &= (left == right) == condition.positive
    operators = np.stack(columns, axis=1)[allowed]
    return operators[np.lexsort(operators.T[::-1])]


def _conditions(precondition: lifted.Condition) -> tuple[lifted.Literal | lifted.Equality, ...] | None:
    """The conjuncts, if all of them are plain."""
    parts = lifted.conjuncts(precondition)
    plain = tuple(part for part in parts if isinstance(part, lifted.Literal | lifted.Equality))
    return plain if len(plain) == len(parts) else None


def _couples(condition: lifted.Literal | lifted.Equality, fluents: Collection[str]) -> bool:
    """Whether values of the condition's variables depend on each other.

    Negative fluent literals are relaxed to true, and inequalities are checked when parts are combined.
    """
    if isinstance(condition, lifted.Equality):
        return condition.positive
    return condition.positive or condition.predicate not in fluents


def _renamed(condition: lifted.Literal | lifted.Equality, place: Mapping[int, int]) -> lifted.Condition:
    terms = tuple(term if term >= 0 else ~place[~term] for term in condition.terms)
    if isinstance(condition, lifted.Equality):
        return lifted.Equality(terms[0], terms[1], condition.positive)
    return replace(condition, terms=terms)
