"""The delete relaxation of a lifted task as an answer set program: which operators can ever be reached.

Every rule only derives: action `i` is `a<i>(X, ...)` with one argument a parameter, predicate `i` is
`p<i>(...)`, and the objects that a variable ranges over are a `t<i>`. Negative literals of predicates that
effects change are taken as true; static literals and equalities are exact. A disjunction becomes an
auxiliary `x<i>`, an existential quantifier more variables in the body, a universal one is written out. The
program has no recursion through negation, so grounding it *is* solving it. All names are ours: no text of
the task gets into the program.

Operators are products of independent parts, so that far fewer rows need to be read out of clingo than there
are. Two parameters of an action depend on each other if a condition names both. What remains apart is
independent: an action is reachable for exactly the combinations of reachable values of its parts, except
where an inequality between two parts forbids it. An action with thousands of operators has parts of a few
rows each.

Only conjunctions of literals and equalities are taken apart; any other precondition is one part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.pddl.simulation import lifted

#: Variable number → its text in a rule: an ASP variable, or an object's number.
_Scope = Mapping[int, str]
#: clingo's time to plan a join grows faster than the square of the body's length.
_WIDEST = 16


def relaxed_program(task: lifted.LiftedTask) -> str:
    """The program's text. Action `i` of `task.schemas` is read back as `a<i>` with its parameters."""
    return _Writer(task).text()


class _Writer:
    def __init__(self, task: lifted.LiftedTask):
        self._task = task
        self._lines: list[str] = []
        self._predicates: dict[str, str] = {}
        self._types: dict[tuple[int, ...], str] = {}
        self._type_of: dict[str, str] = {}  # ASP variable → its t<i>
        self._auxiliaries = 0

    def text(self) -> str:
        for i, schema in enumerate(self._task.schemas):
            self._action(f"a{i}", schema)
        facts = [
            f"{_atom(self._predicates[name], [str(n) for n in row])}."
            for name, rows in self._task.init.items()
            if name in self._predicates
            for row in rows
        ]
        facts += [f"{name}({_pool(members)})." for members, name in self._types.items() if members]
        return "\n".join(facts + self._lines)

    def _action(self, head: str, schema: lifted.Schema) -> None:
        scope = {v: self._variable(schema.members[v]) for v in range(schema.arity)}
        head = _atom(head, scope.values())
        self._rule(head, self._typed(scope.values()) + self._body(schema.precondition, scope, schema))
        for effect in schema.effects:
            if effect.adds:
                self._effect(head, effect, scope, schema)

    def _effect(self, head: str, effect: lifted.LiftedEffect, scope: _Scope, schema: lifted.Schema) -> None:
        bound = {v: self._variable(schema.members[v]) for v in effect.variables}
        inner = {**scope, **bound}
        added = _atom(self._predicate(effect.predicate), _texts(effect.terms, inner))
        condition = self._body(effect.condition, inner, schema)
        self._rule(added, [head, *self._typed(bound.values()), *condition])

    def _body(self, condition: lifted.Condition, scope: _Scope, schema: lifted.Schema) -> list[str]:
        """Body literals whose conjunction is the relaxed condition; none if it is always true."""
        match condition:
            case lifted.Literal():
                return self._literal(condition, scope)
            case lifted.Equality(positive=positive):
                return [("=" if positive else "!=").join(_texts(condition.terms, scope))]
            case lifted.And(parts=parts):
                return [text for part in parts for text in self._body(part, scope, schema)]
            case lifted.Or():
                return self._disjunction(condition, scope, schema)
            case lifted.Exists(variables=variables, body=body):
                bound = {v: self._variable(schema.members[v]) for v in variables}
                return self._typed(bound.values()) + self._body(body, {**scope, **bound}, schema)
            case lifted.Forall():
                return self._written_out(condition, scope, schema)

    def _written_out(self, condition: lifted.Forall, scope: _Scope, schema: lifted.Schema) -> list[str]:
        """The body for every assignment, in groups of groups of at most `_WIDEST`."""
        bodies: dict[tuple[str, ...], None] = {}
        for inner in lifted.bindings(condition.variables, schema.members, scope, str):
            bodies[tuple(self._body(condition.body, inner, schema))] = None
        groups, variables = list(bodies), self._free(condition, scope)
        while len(groups) > _WIDEST:
            chunks = [groups[i : i + _WIDEST] for i in range(0, len(groups), _WIDEST)]
            groups = [(self._auxiliary(variables, [sum(chunk, ())]),) for chunk in chunks]
        return list(sum(groups, ()))

    def _literal(self, literal: lifted.Literal, scope: _Scope) -> list[str]:
        static = literal.predicate not in self._task.fluents
        if not literal.positive and not static:
            return []
        atom = _atom(self._predicate(literal.predicate), _texts(literal.terms, scope))
        return [atom if literal.positive else f"not {atom}"]

    def _disjunction(self, condition: lifted.Or, scope: _Scope, schema: lifted.Schema) -> list[str]:
        if condition == lifted.FALSE:
            return ["#false"]
        bodies = [self._body(part, scope, schema) for part in condition.parts]
        if not all(bodies):
            return []
        return [self._auxiliary(self._free(condition, scope), bodies)]

    def _free(self, condition: lifted.Condition, scope: _Scope) -> list[str]:
        """The ASP variables of the rule around that the condition mentions."""
        texts = dict.fromkeys(scope[v] for v in lifted.variables_of(condition) if v in scope)
        return [text for text in texts if text in self._type_of]

    def _auxiliary(self, variables: Sequence[str], bodies: Sequence[Sequence[str]]) -> str:
        """A fresh atom over `variables` that holds if one of the bodies does."""
        head = _atom(f"x{self._auxiliaries}", variables)
        self._auxiliaries += 1
        for body in bodies:
            self._rule(head, [*self._typed(variables), *body])
        return head

    def _rule(self, head: str, body: Sequence[str]) -> None:
        self._lines.append(f"{head} :- {', '.join(body)}." if body else f"{head}.")

    def _predicate(self, name: str) -> str:
        return self._predicates.setdefault(name, f"p{len(self._predicates)}")

    def _variable(self, members: tuple[int, ...]) -> str:
        """A fresh ASP variable over `members`."""
        name = f"V{len(self._type_of)}"
        self._type_of[name] = self._types.setdefault(members, f"t{len(self._types)}")
        return name

    def _typed(self, variables: Iterable[str]) -> list[str]:
        return [f"{self._type_of[v]}({v})" for v in variables]


def _atom(name: str, arguments: Iterable[str]) -> str:
    joined = ",".join(arguments)
    return f"{name}({joined})" if joined else name


def _texts(terms: tuple[lifted.Term, ...], scope: _Scope) -> list[str]:
    return [str(t) if t >= 0 else scope[~t] for t in terms]


def _pool(members: tuple[int, ...]) -> str:
    """`0..5` for a run of numbers, `0;2;7` otherwise."""
    if members[-1] - members[0] + 1 == len(members):
        return f"{members[0]}..{members[-1]}"
    return ";".join(str(m) for m in members)


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
            terms: Any = tuple(term if term >= 0 else ~place[~term] for term in condition.terms)
            own.append(replace(condition, terms=terms))
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
