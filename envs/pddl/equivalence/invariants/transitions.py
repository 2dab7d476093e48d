"""A problem over numbered literals: what its operators need and make true.

Atom number `a` is literal `2a` when true and `2a + 1` when false, so `literal ^ 1` is the opposite. Only
atoms that can be reached when deletions are ignored have a number; all others are false for good.

What operators need is weakened where it is no conjunction of literals (`or`, `exists`), which keeps every
transition: what holds of all states that these operators reach holds of those of the problem. An operator
with effects under conditions becomes several steps, one for each choice of the conditions that are met. With
too many conditions it stays one step, whose effects may happen or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from envs.pddl.equivalence.deadline import NO_DEADLINE, Deadline
from envs.pddl.equivalence.goals.goal import Signed
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.simulation import lifted
from envs.pddl.simulation.grounding import Grounding, GroundingExploded, GroundingFailed, Limits, ground

#: Ground literals of all operators above which a problem is not written out.
MAX_LITERALS = 400_000

_Binding = Mapping[int, int]
#: The objects that each variable of a schema ranges over.
_Members = tuple[tuple[int, ...], ...]
#: A ground atom with object numbers.
_Row = tuple[str | int, ...]


#: Conditions of one operator's effects above which it is not split up.
MAX_CONDITIONS = 6

#: Numbers of literals.
Literals = frozenset[int]


@dataclass(frozen=True)
class LiteralStep:
    """An operator, or one way that it can run."""

    needs: Literals
    makes: Literals  #: true afterwards; their opposites are false
    #: changes that may happen or not, each with literals that held before if it did
    may: frozenset[tuple[int, Literals]] = frozenset()


@dataclass(frozen=True)
class Bundle:
    """Effects under one condition."""

    condition: Literals
    plain: bool  #: whether the condition is these literals, and not only implies them
    changes: list[int]  #: the literals that they make true


def ways(needs: Literals, sure: Sequence[int], bundles: Sequence[Bundle]) -> Iterator[LiteralStep]:
    """The steps of an operator with these needs, sure changes, and changes under conditions."""
    if len(bundles) > MAX_CONDITIONS:
        yield _unsplit(needs, sure, bundles)
        return
    for chosen in product((True, False), repeat=len(bundles)):
        step = _split(needs, sure, list(zip(chosen, bundles, strict=True)))
        if not any(literal ^ 1 in step.needs for literal in step.needs):
            yield step


def _split(needs: Literals, sure: Sequence[int], choice: Sequence[tuple[bool, Bundle]]) -> LiteralStep:
    """The step in which the chosen effects happen and the others do not."""
    more, changes = set(needs), list(sure)
    for met, bundle in choice:
        if met:
            more |= bundle.condition
            changes += bundle.changes
        elif bundle.plain and len(bundle.condition) == 1:
            more |= {literal ^ 1 for literal in bundle.condition}
    return LiteralStep(frozenset(more), _made(changes))


def _unsplit(needs: Literals, sure: Sequence[int], bundles: Sequence[Bundle]) -> LiteralStep:
    """One step for all choices. What is surely deleted but may be added is left open."""
    made = _made(sure)
    may = {(change, bundle.condition) for bundle in bundles for change in bundle.changes}
    undone = {literal for literal in made if literal & 1 and any(change == literal ^ 1 for change, _ in may)}
    may |= {(literal, frozenset()) for literal in undone}
    may = {(change, condition) for change, condition in may if change ^ 1 not in made - undone}
    return LiteralStep(needs, made - undone, frozenset(may))


def _made(changes: Sequence[int]) -> Literals:
    """The literals that hold after changes: what is added and deleted is added."""
    added = {change for change in changes if not change & 1}
    return frozenset(added.union(change for change in changes if change ^ 1 not in added))


class TooLarge(ValueError):
    """A problem that is too large to be reasoned about like this. Plain data; survives pickling."""


@dataclass(frozen=True)
class Transitions:
    """The initial state and all steps of a problem."""

    atoms: tuple[GroundAtom, ...]  #: sorted; atom `a` is literals 2a and 2a + 1
    initial: Literals  #: one literal for every atom
    steps: tuple[LiteralStep, ...]

    def literals(self) -> range:
        """All literals."""
        return range(2 * len(self.atoms))

    @cached_property
    def number(self) -> Mapping[GroundAtom, int]:
        """The number of each atom."""
        return {atom: i for i, atom in enumerate(self.atoms)}

    def numbered(self, signed: Iterable[Signed]) -> Literals:
        """Literals as numbers; those of atoms without a number are left out."""
        return frozenset(2 * self.number[a] + (not sign) for a, sign in signed if a in self.number)

    def named(self, literals: Iterable[int]) -> frozenset[Signed]:
        """Numbers of literals as atoms with their signs."""
        return frozenset((self.atoms[n // 2], not n & 1) for n in literals)


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
        self._task: lifted.LiftedTask = grounding.task
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

    def _effects(self) -> Iterator[tuple[lifted.LiftedEffect, _Binding]]:
        for schema, binding in self._operators():
            for effect in schema.effects:
                for inner in lifted.bindings(effect.variables, schema.members, binding, int):
                    yield effect, inner

    def _operators(self) -> Iterator[tuple[lifted.Schema, _Binding]]:
        for schema, rows in zip(self._task.schemas, self._grounding.arguments, strict=True):
            for arguments in rows.tolist():
                self._deadline.left()
                yield schema, dict(enumerate(arguments))

    def _steps(self) -> Iterator[LiteralStep]:
        for schema, binding in self._operators():
            try:
                needs = frozenset(self._needed(schema.precondition, binding, schema.members))
            except _Impossible:
                continue
            if not any(literal ^ 1 in needs for literal in needs):
                yield from self._ways(needs, schema, binding)

    def _ways(self, needs: Literals, schema: lifted.Schema, binding: _Binding) -> Iterator[LiteralStep]:
        """The steps of an operator: one for each set of effects that its conditions let happen."""
        sure: list[int] = []
        bundles: dict[object, Bundle] = {}
        for effect in schema.effects:
            for inner in lifted.bindings(effect.variables, schema.members, binding, int):
                change = self._change(effect, inner)
                condition = self._condition(effect.condition, inner, schema.members, needs)
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

    def _change(self, effect: lifted.LiftedEffect, binding: _Binding) -> int | None:
        """What an effect makes true; None if it deletes what is always false."""
        atom = self._numbers.get(_row(effect.predicate, effect.terms, binding))
        return None if atom is None else 2 * atom + (not effect.adds)

    def _condition(
        self, condition: lifted.Condition, binding: _Binding, members: _Members, needs: Literals
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

    def _needed(self, condition: lifted.Condition, binding: _Binding, members: _Members) -> Iterator[int]:
        """Literals that hold whenever the condition does. Raises _Impossible if it never does."""
        match condition:
            case lifted.Literal(predicate=predicate, terms=terms, positive=positive):
                yield from self._literal(_row(predicate, terms, binding), positive)
            case lifted.Equality(terms=(left, right), positive=positive):
                if (len(set(lifted.denoted((left, right), binding))) == 1) != positive:
                    raise _Impossible
            case lifted.And(parts=parts):
                for part in parts:
                    yield from self._needed(part, binding, members)
            case lifted.Forall(variables=variables, body=body):
                for inner in lifted.bindings(variables, members, binding, int):
                    yield from self._needed(body, inner, members)
            case lifted.Or(parts=parts):
                yield from self._common(((part, binding) for part in parts), members)
            case lifted.Exists(variables=variables, body=body):
                extended = lifted.bindings(variables, members, binding, int)
                yield from self._common(((body, inner) for inner in extended), members)

    def _literal(self, row: _Row, positive: bool) -> Iterator[int]:
        number = self._numbers.get(row)
        if number is not None:
            yield 2 * number + (not positive)
        elif (row in self._static and row[0] not in self._task.fluents) != positive:
            raise _Impossible

    def _common(self, parts: Iterable[tuple[lifted.Condition, _Binding]], members: _Members) -> Iterator[int]:
        """The literals that every part needs which can hold at all."""
        needed: list[set[int]] = []
        for part, binding in parts:
            with suppress(_Impossible):
                needed.append(set(self._needed(part, binding, members)))
        if not needed:
            raise _Impossible
        yield from sorted(set.intersection(*needed))


def is_plain(condition: lifted.Condition) -> bool:
    """Whether a condition is a conjunction of literals once its universal quantifiers are written out."""
    match condition:
        case lifted.Or() | lifted.Exists():
            return False
        case lifted.And(parts=parts):
            return all(map(is_plain, parts))
        case lifted.Forall(body=body):
            return is_plain(body)
    return True


def _row(name: str, terms: tuple[int, ...], binding: _Binding) -> _Row:
    return (name, *lifted.denoted(terms, binding))


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
