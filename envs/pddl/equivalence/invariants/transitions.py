"""A problem over numbered literals: what its operators need and make true.

Atom number `a` is literal `2a` when true and `2a + 1` when false, so `literal ^ 1` is the opposite. Only
atoms that can be reached when deletions are ignored have a number; all others are false for good.

What operators need is weakened where it is no conjunction of literals (`or`, `exists`), which keeps every
transition: what holds of all states that these operators reach holds of those of the problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.invariants.steps import Bundle, Literals, Step, ways
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.simulation.grounding import Grounding, GroundingExploded, GroundingFailed, Limits, ground
from envs.pddl.simulation.lifted import (
    And,
    Condition,
    Equality,
    Exists,
    Forall,
    LiftedEffect,
    LiftedTask,
    Literal,
    Or,
)

#: Ground literals of all operators above which a problem is not written out.
MAX_LITERALS = 400_000

_Binding = Mapping[int, int]
#: A ground atom with object numbers.
_Row = tuple[str | int, ...]


class TooLarge(ValueError):
    """A problem that is too large to be reasoned about like this. Plain data; survives pickling."""


@dataclass(frozen=True)
class Transitions:
    """The initial state and all steps of a problem."""

    atoms: tuple[GroundAtom, ...]  #: sorted; atom `a` is literals 2a and 2a + 1
    initial: Literals  #: one literal for every atom
    steps: tuple[Step, ...]

    def literals(self) -> range:
        """All literals."""
        return range(2 * len(self.atoms))


def transitions(problem: Problem, deadline: Deadline = NO_DEADLINE) -> Transitions:
    """The transitions of a problem.

    Raises TooLarge, OutOfTime at the deadline, and GroundingFailed if the machine fails.
    """
    try:
        with grounding_until(deadline) as limits:
            grounding = ground(problem, limits)
    except GroundingExploded as error:
        raise TooLarge(str(error)) from error
    return _Writer(grounding, deadline).written(problem)


class _Impossible(Exception):
    """A condition that cannot hold."""


class _Writer:
    def __init__(self, grounding: Grounding, deadline: Deadline):
        self._grounding = grounding
        self._deadline = deadline
        self._task: LiftedTask = grounding.task
        self._static: set[_Row] = {(name, *row) for name, rows in self._task.init.items() for row in rows}
        self._numbers: dict[_Row, int] = {}
        self._left = MAX_LITERALS

    def written(self, problem: Problem) -> Transitions:
        atoms = sorted(self._reachable(), key=lambda row: self._named(row))
        self._numbers = {row: i for i, row in enumerate(atoms)}
        named = tuple(map(self._named, atoms))
        initial = frozenset(2 * i + (atom not in problem.init) for i, atom in enumerate(named))
        steps = dict.fromkeys(step for step in self._steps() if step.may or not step.makes <= step.needs)
        return Transitions(named, initial, tuple(steps))

    def _named(self, row: _Row) -> GroundAtom:
        return (str(row[0]), *(self._task.objects[int(i)] for i in row[1:]))

    def _reachable(self) -> set[_Row]:
        """The fluent atoms that hold at first or that some operator adds."""
        found: set[_Row] = {row for row in self._static if row[0] in self._task.fluents}
        for effect, binding in self._effects():
            if effect.adds:
                found.add(_row(effect.predicate, effect.terms, binding))
        return found

    def _effects(self) -> Iterator[tuple[LiftedEffect, _Binding]]:
        for schema, rows in zip(self._task.schemas, self._grounding.arguments, strict=True):
            for arguments in rows.tolist():
                self._deadline.left()
                binding = dict(enumerate(arguments))
                for effect in schema.effects:
                    for inner in _extended(effect.variables, schema.members, binding):
                        yield effect, inner

    def _steps(self) -> Iterator[Step]:
        for schema, rows in zip(self._task.schemas, self._grounding.arguments, strict=True):
            for arguments in rows.tolist():
                self._deadline.left()
                binding = dict(enumerate(arguments))
                try:
                    needs = frozenset(self._needed(schema.precondition, binding, schema.members))
                except _Impossible:
                    continue
                if not any(literal ^ 1 in needs for literal in needs):
                    yield from self._ways(needs, schema.effects, binding, schema.members)

    def _ways(
        self,
        needs: Literals,
        effects: tuple[LiftedEffect, ...],
        binding: _Binding,
        members: tuple[tuple[int, ...], ...],
    ) -> Iterator[Step]:
        """The steps of an operator: one for each set of effects that its conditions let happen."""
        sure: list[int] = []
        bundles: dict[object, Bundle] = {}
        for effect in effects:
            for inner in _extended(effect.variables, members, binding):
                change = self._change(effect, inner)
                condition = self._condition(effect.condition, inner, members, needs)
                if change is None or condition is None:
                    continue
                if not condition and is_plain(effect.condition):
                    sure.append(change)
                    continue
                # What is weakened may hide different conditions behind the same literals.
                key = condition if is_plain(effect.condition) else (condition, len(bundles))
                bundle = Bundle(condition, is_plain(effect.condition), [])
                bundles.setdefault(key, bundle).changes.append(change)
        self._count(len(needs) + len(sure) + sum(len(b.changes) for b in bundles.values()))
        yield from ways(needs, sure, list(bundles.values()))

    def _change(self, effect: LiftedEffect, binding: _Binding) -> int | None:
        """What an effect makes true; None if it deletes what is always false."""
        atom = self._numbers.get(_row(effect.predicate, effect.terms, binding))
        return None if atom is None else 2 * atom + (not effect.adds)

    def _condition(
        self, condition: Condition, binding: _Binding, members: tuple[tuple[int, ...], ...], needs: Literals
    ) -> Literals | None:
        """The literals of an effect's condition that are not needed anyway; None if it cannot hold."""
        try:
            literals = frozenset(self._needed(condition, binding, members)) - needs
        except _Impossible:
            return None
        return None if any(n ^ 1 in needs or n ^ 1 in literals for n in literals) else literals

    def _count(self, literals: int) -> None:
        self._left -= literals
        if self._left < 0:
            raise TooLarge(f"the operators have more than {MAX_LITERALS:,} literals")

    def _needed(
        self, condition: Condition, binding: _Binding, members: tuple[tuple[int, ...], ...]
    ) -> Iterator[int]:
        """Literals that hold whenever the condition does. Raises _Impossible if it never does."""
        match condition:
            case Literal(predicate=predicate, terms=terms, positive=positive):
                yield from self._literal(_row(predicate, terms, binding), positive)
            case Equality(left=left, right=right, positive=positive):
                if (_value(left, binding) == _value(right, binding)) != positive:
                    raise _Impossible
            case And(parts=parts):
                for part in parts:
                    yield from self._needed(part, binding, members)
            case Forall(variables=variables, body=body):
                for inner in _extended(variables, members, binding):
                    yield from self._needed(body, inner, members)
            case Or(parts=parts):
                yield from self._common([(part, binding) for part in parts], members)
            case Exists(variables=variables, body=body):
                yield from self._common([(body, b) for b in _extended(variables, members, binding)], members)

    def _literal(self, row: _Row, positive: bool) -> Iterator[int]:
        number = self._numbers.get(row)
        if number is not None:
            yield 2 * number + (not positive)
        elif (row in self._static and row[0] not in self._task.fluents) != positive:
            raise _Impossible

    def _common(
        self, parts: list[tuple[Condition, _Binding]], members: tuple[tuple[int, ...], ...]
    ) -> Iterator[int]:
        """The literals that every part needs which can hold at all."""
        common: set[int] | None = None
        for part, binding in parts:
            try:
                needed = set(self._needed(part, binding, members))
            except _Impossible:
                continue
            common = needed if common is None else common & needed
        if common is None:
            raise _Impossible
        yield from sorted(common)


def is_plain(condition: Condition) -> bool:
    """Whether a condition is a conjunction of literals once its universal quantifiers are written out."""
    match condition:
        case Or() | Exists():
            return False
        case And(parts=parts):
            return all(map(is_plain, parts))
        case Forall(body=body):
            return is_plain(body)
    return True


def _extended(
    variables: tuple[int, ...], members: tuple[tuple[int, ...], ...], binding: _Binding
) -> Iterator[_Binding]:
    if not variables:
        yield binding
        return
    for objects in product(*(members[v] for v in variables)):
        yield {**binding, **dict(zip(variables, objects, strict=True))}


def _row(name: str, terms: tuple[int, ...], binding: _Binding) -> _Row:
    return (name, *(_value(term, binding) for term in terms))


def _value(term: int, binding: _Binding) -> int:
    return term if term >= 0 else binding[~term]


@contextmanager
def grounding_until(deadline: Deadline) -> Iterator[Limits]:
    """Limits for grounding within the time left; a child that has to be ended for it is OutOfTime."""
    left = deadline.left()
    try:
        yield Limits() if left is None else Limits(deadline_s=min(Limits().deadline_s, left))
    except GroundingFailed:
        deadline.left()
        raise
    deadline.left()
