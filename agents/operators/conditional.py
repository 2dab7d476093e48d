"""Conditional effects and clauses, where what was seen demands more than literals.

Demanded they are by a change that no effect over the arguments explains, and by a refusal of an operator for
which all held that ever held when it ran. Then two *features* at most are looked for that hold together in
the runs with the change and in none without it: the effect takes place `when` they hold. Likewise two that
hold together where the operator was refused, and never where it ran: then one of them must not hold, which is
a clause. A feature is a literal over the parameters or constants, an equality of two parameters or of one and
a constant, or `(exists (?x - t) (and l1 l2))`, one or two literals about one more object, or the negation of
that. Changes beside the arguments are looked for as `(forall (?x - t) (when (and l1 l2) e))`, one variable,
two literals at most, which may be about `?x` too.

What is found separates all examples seen. It counts only if `MIN_SUPPORT` examples show it, as many show
where it does not apply, and `MIN_NEEDED` that each of two features is needed: different states or arguments,
as the same twice shows nothing new. Of the effects on one predicate it is all or nothing: where some change
is left over, none is learned, so that no condition is bent around it. Of several that separate as much the
simplest is taken: literals before quantifiers, one feature before two, what the effect is about before all
else. Where states are partial or flipped, no example is sure not to have what was not seen, and nothing is
looked for.

Source: that conditional effects can be learned from traces is shown by Oates and Cohen 1996; the form and the
measure of support are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.operators.examples import (
    Columns,
    Example,
    Examples,
    Table,
    equal_terms,
    equalities_of,
    lifted_atoms,
)
from agents.operators.lifted import EQUAL, Clause, Condition, ConditionalEffect, NamedLiteral, is_variable
from envs.pddl.language.vocabulary import Parameters, Vocabulary

#: Examples that must show a rule, and that must show where it does not apply.
MIN_SUPPORT = 3
#: Examples that must show that one of two features is needed beside the other.
MIN_NEEDED = 2
#: Effects on one predicate, and clauses of one action, that are learned at most.
MAX_RULES, MAX_CLAUSES = 4, 12
#: Features that are paired; of more, the simplest.
MAX_FEATURES = 1500
#: Of the pairs of features that separate, those that are looked at for support.
MAX_TRIED = 100
#: Literals about one more object that are paired; with more, each stands alone.
MAX_PAIRED = 120
#: Examples times objects that are looked at; types with more are left out.
MAX_ROWS = 200_000


@dataclass(frozen=True)
class AtomChange:
    """An atom that an executed example changed, and that no effect over its arguments explains."""

    example: int
    column: int  #: of the atom, in the example's trace
    predicate: str
    became: bool


@dataclass(frozen=True, eq=False)
class _Features:
    """What may be a condition, the simplest first."""

    conditions: tuple[Condition, ...]
    costs: NDArray[np.int64]
    true: Table  #: shape (rows, features)


class _View:
    """Rows of truth about examples; with one more variable, one for each example and object of its type."""

    def __init__(
        self, words: Vocabulary, parameters: Parameters, examples: Sequence[Example], kind: str = ""
    ):
        """`kind` is the type of the variable; without one there is none."""
        self.words, self.own, self.examples = words, parameters, examples
        name = _fresh(parameters)
        self.variables: Parameters = ((name, kind),) if kind else ()
        self.parameters = (*parameters, *self.variables)
        self.atoms = lifted_atoms(words, self.parameters)
        members = _members(examples, kind, words) if kind else [[""] for _ in examples]
        pairs = [(i, o) for i, own in enumerate(members) for o in own]
        self.owners = np.array([i for i, _ in pairs], dtype=np.int64)
        self.rows = [_bound(examples[i], name, o) if kind else examples[i] for i, o in pairs]
        self._columns = Columns(self.atoms)

    @cached_property
    def before(self) -> Table:
        """Shape (rows, atoms)."""
        return self._columns.truth((e, e.step.before) for e in self.rows).true

    @cached_property
    def after(self) -> Table:
        """Shape (rows, atoms)."""
        return self._columns.truth((e, e.step.after) for e in self.rows).true

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """As `Examples.places`."""
        return self._columns.places(self.rows)

    @cached_property
    def literals(self) -> tuple[tuple[NamedLiteral, ...], Table]:
        """All literals, equalities among them, and where they hold."""
        equalities = equalities_of(self.parameters, self.words)
        atoms = (*self.atoms, *equalities)
        true = np.concatenate([self.before, equal_terms(equalities, self.rows)], axis=1)
        # what is said of the object that a parameter is is said of the parameter
        new = {variable for variable, _ in self.variables}
        own = [i for i, atom in enumerate(atoms) if atom.predicate != EQUAL or not new & set(atom.terms)]
        literals = (*(atoms[i] for i in own), *(atom.negated for atom in atoms))
        return literals, np.concatenate([true[:, own], ~true], axis=1)

    @cached_property
    def features(self) -> _Features:
        """Literals; of examples alone also what some further object satisfies, or none."""
        literals, true = self.literals
        found, tables = [Condition((literal,)) for literal in literals], [true]
        for kind in () if self.variables else _kinds(self.words):
            if sum(map(len, _members(self.examples, kind, self.words))) <= MAX_ROWS:
                conditions, table = _existential(_View(self.words, self.own, self.examples, kind))
                found += [*conditions, *(c.negated for c in conditions)]
                tables += [table, ~table]
        costs = np.array([_cost(c) for c in found], dtype=np.int64)
        order = np.argsort(costs, kind="stable")
        table = np.concatenate(tables, axis=1)[:, order]
        return _Features(tuple(found[i] for i in order.tolist()), costs[order], table)


def _fresh(parameters: Parameters) -> str:
    taken = {variable for variable, _ in parameters}
    return next(
        name for name in ("?x", "?y", "?z", *(f"?x{i}" for i in range(len(taken)))) if name not in taken
    )


def _members(examples: Sequence[Example], kind: str, words: Vocabulary) -> list[list[str]]:
    """The objects of a type, of each example's trace."""
    objects = {id(e.trace): e.trace.objects for e in examples}
    found = {
        trace: [name for name, own in named.items() if words.types.is_subtype(own, kind)]
        for trace, named in objects.items()
    }
    return [found[id(e.trace)] for e in examples]


def _bound(example: Example, variable: str, name: str) -> Example:
    return Example(example.trace, example.step, {**example.binding, variable: name})


def _kinds(words: Vocabulary) -> list[str]:
    """The types that predicates are about."""
    return sorted({kind for parameters in words.predicates.values() for _, kind in parameters})


def _cost(condition: Condition) -> int:
    """How complicated it is."""
    constants = any(literal.names_constants for literal in condition.literals)
    return len(condition.literals) + 2 * len(condition.variables) + constants


def _existential(view: _View) -> tuple[list[Condition], Table]:
    """What some object satisfies: one literal about it, or an atom about it and another literal."""
    ((variable, _),) = view.variables
    literals, true = view.literals
    about = [i for i, q in enumerate(literals) if variable in q.terms and all(map(is_variable, q.terms))]
    single = [i for i in about if literals[i].predicate != EQUAL]
    pairs = [
        (i, j)
        for i in single
        for j in about
        if literals[i].positive and (j > i if literals[j].positive else literals[j] != literals[i].negated)
    ]
    chosen = [(i, i) for i in single] + (pairs if len(about) <= 2 * MAX_PAIRED else [])
    seen: dict[bytes, tuple[int, int]] = {}
    columns = []
    for i, j in chosen:
        column = np.zeros(len(view.examples), dtype=np.bool_)
        column[view.owners[true[:, i] & true[:, j]]] = True
        if seen.setdefault(column.tobytes(), (i, j)) == (i, j):
            columns.append(column)
    table = np.array(columns, dtype=np.bool_).reshape(len(columns), len(view.examples)).T
    return [
        Condition((literals[i],) if i == j else tuple(sorted((literals[i], literals[j]))), view.variables)
        for i, j in seen.values()
    ], table


def _separating(
    features: _Features, wanted: Table, excluded: Table, own: Table, owners: NDArray[np.int64]
) -> tuple[int, ...] | None:
    """One or two features that hold together in as many wanted rows as can be, and in no excluded one.

    Of equals, the simplest, of these one that is `own`, then the first. None if nothing is supported;
    `owners` number the example of each row.
    """
    positive, negative = features.true[wanted], features.true[excluded]
    useful = (positive.sum(axis=0) >= MIN_SUPPORT) & ((~negative).sum(axis=0) >= MIN_SUPPORT)
    kept: dict[bytes, int] = {}
    for i in [*np.flatnonzero(useful & own).tolist(), *np.flatnonzero(useful).tolist()]:
        kept.setdefault(np.packbits(positive[:, i]).tobytes() + np.packbits(negative[:, i]).tobytes(), i)
    chosen = np.array(sorted(kept.values())[:MAX_FEATURES], dtype=np.int64)
    holds, lets = (table[:, chosen].astype(np.float32) for table in (positive, negative))
    covered, let = (holds.T @ holds).astype(np.int64), (lets.T @ lets).astype(np.int64)
    one, other = np.nonzero(np.triu((let == 0) & (covered >= MIN_SUPPORT)))
    costs = features.costs[chosen]
    both = costs[one] + np.where(one == other, 0, costs[other])
    foreign = ~(own[chosen][one] | own[chosen][other])
    for best in np.lexsort((other, one, foreign, both, -covered[one, other]))[:MAX_TRIED].tolist():
        pair = tuple(sorted({int(chosen[one[best]]), int(chosen[other[best]])}))
        if _supported([features.true[:, i] for i in pair], wanted, excluded, owners):
            return pair
    return None


def _supported(parts: Sequence[Table], wanted: Table, excluded: Table, owners: NDArray[np.int64]) -> bool:
    """Whether enough examples show that features go together with a change, and that each is needed."""

    def examples(rows: Table) -> int:
        return len(np.unique(owners[rows]))

    return (
        examples(wanted & np.logical_and.reduce(parts)) >= MIN_SUPPORT
        and all(examples(excluded & ~part) >= MIN_SUPPORT for part in parts)
        # of two, each must keep out what the other lets through
        and all(len(parts) == 1 or examples(excluded & part) >= MIN_NEEDED for part in parts)
    )


def clauses_of(
    seen: Examples, refused: Sequence[Example], words: Vocabulary
) -> tuple[tuple[Clause, ...], list[Example]]:
    """Clauses that all runs satisfy and that refusals, which no literal explains, violate; and what is left.

    Each explains as many refusals as can be.
    """
    if not refused:
        return (), []
    examples = [*_distinct(seen.executed), *_distinct(refused)]
    ran = np.array([e.step.executable for e in examples], dtype=np.bool_)
    features = _View(words, seen.parameters, examples).features
    left, found = ~ran, list[Clause]()
    while left.any() and len(found) < MAX_CLAUSES:
        own = np.zeros(len(features.conditions), dtype=np.bool_)
        chosen = _separating(features, left, ran, own, np.arange(len(examples)))
        if chosen is None:
            break
        found.append(tuple(features.conditions[i].negated for i in chosen))
        left = left & ~features.true[:, chosen].all(axis=1)
    return tuple(sorted(found)), [examples[i] for i in np.flatnonzero(left).tolist()]


def _distinct(examples: Sequence[Example]) -> list[Example]:
    """Of the examples in one state with the same arguments, the first."""
    found: dict[tuple[int, bytes, tuple[str, ...]], Example] = {}
    for each in examples:
        held = each.trace.holds[each.step.before].tobytes()
        found.setdefault((id(each.trace), held, each.step.arguments), each)
    return list(found.values())


#: An example, and the column of an atom in its trace.
_Item = tuple[int, int]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A lifted atom as an effect that may explain changes."""

    view: _View
    column: int  #: of `view.atoms`
    items: tuple[_Item, ...]  #: the ground atom of each row
    excluded: Table  #: rows in which the effect did not take place


class _Learned:
    """Finds the conditional effects of one action."""

    def __init__(self, seen: Examples, adds: Table, words: Vocabulary):
        """`adds` are the atoms that its effects without conditions add."""
        self._words, self._seen = words, seen
        self._examples = _distinct([e for e in seen.executed if e.step.after is not None])
        number = {id(e): i for i, e in enumerate(seen.executed)}
        self.numbers = {number[id(e)]: i for i, e in enumerate(self._examples)}
        self._added = seen.places[list(self.numbers)][:, adds]
        self._views: dict[str, _View] = {}

    def explaining(self, predicate: str, became: bool, items: set[_Item]) -> list[ConditionalEffect]:
        """Effects that explain all these changes; none if there are no such."""
        beside = [kind for kind in self._kinds(predicate, items) if self._rows(kind) <= MAX_ROWS]
        for kinds in ([""], ["", *beside]):
            candidates = [c for kind in kinds for c in self._candidates(kind, predicate, became)]
            left, found = set(items), list[ConditionalEffect]()
            while left and len(found) < MAX_RULES:
                best = max(
                    filter(None, (_best(c, left, became) for c in candidates)), default=None, key=_rank
                )
                if best is None:
                    break
                found.append(best[0])
                left -= best[1]
            if not left:
                return found
        return []

    def _kinds(self, predicate: str, items: set[_Item]) -> list[str]:
        """The types of what stands in the places of the changed atoms: declared, and common to all."""
        is_subtype = self._words.types.is_subtype
        found: dict[str, None] = {}
        for place, (_, declared) in enumerate(self._words.predicates[predicate]):
            traces = ((self._examples[e].trace, column) for e, column in items)
            kinds = {trace.objects[trace.atoms[column][1 + place]] for trace, column in traces}
            common = [k for k in self._words.types.parents if all(is_subtype(own, k) for own in kinds)]
            narrow = [k for k in common if not any(k != o and is_subtype(o, k) for o in common)]
            found.update(dict.fromkeys((declared, *narrow)))
        return list(found)

    def _rows(self, kind: str) -> int:
        return sum(map(len, _members(self._examples, kind, self._words)))

    def _candidates(self, kind: str, predicate: str, became: bool) -> Iterator[_Candidate]:
        if kind not in self._views:
            self._views[kind] = _View(self._words, self._seen.parameters, self._examples, kind)
        view = self._views[kind]
        new = {variable for variable, _ in view.variables}
        for column, atom in enumerate(view.atoms):
            if atom.predicate == predicate and new <= set(atom.terms):
                places = view.places[:, column]
                excluded = view.after[:, column] != became
                if not became:
                    excluded &= ~(places[:, None] == self._added[view.owners]).any(axis=1)
                items = tuple(zip(view.owners.tolist(), places.tolist(), strict=True))
                yield _Candidate(view, column, items, excluded)


#: An effect, what it explains, and how complicated it is.
_Explains = tuple[ConditionalEffect, set[_Item], int]


def _best(candidate: _Candidate, left: set[_Item], became: bool) -> _Explains | None:
    """The conditional effect on a lifted atom that explains most of what is left."""
    view, features = candidate.view, candidate.view.features
    wanted = np.array([item in left for item in candidate.items], dtype=np.bool_)
    if np.count_nonzero(wanted) < MIN_SUPPORT:
        return None
    atom = view.atoms[candidate.column]
    chosen: tuple[int, ...] | None = ()
    if candidate.excluded.any():
        own = np.array([atom in (q.literals[0], q.literals[0].negated) for q in features.conditions])
        chosen = _separating(features, wanted, candidate.excluded, own, view.owners)
    if chosen is None:
        return None
    fires = wanted & features.true[:, chosen].all(axis=1)
    covered = {candidate.items[row] for row in np.flatnonzero(fires).tolist()}
    effect = atom if became else atom.negated
    conditions = tuple(sorted(features.conditions[i] for i in chosen))
    cost = int(features.costs[list(chosen)].sum()) + 3 * len(view.variables)
    return ConditionalEffect(effect, conditions, view.variables), covered, cost


def _rank(found: _Explains) -> tuple[int, int]:
    """Most explained, then the simplest; of equals the first is taken."""
    return len(found[1]), -found[2]


def conditional_effects(
    seen: Examples, adds: Table, changes: Sequence[AtomChange], words: Vocabulary
) -> tuple[ConditionalEffect, ...]:
    """Effects that explain all changes of the predicates that they are about, sorted.

    `adds` are the atoms of `seen` that effects without conditions add; shape (atoms,).
    """
    if not changes:
        return ()
    learned = _Learned(seen, adds, words)
    items: dict[tuple[str, bool], set[_Item]] = {}
    for change in changes:
        if change.example in learned.numbers:
            own = items.setdefault((change.predicate, change.became), set())
            own.add((learned.numbers[change.example], change.column))
    found = [
        e for (name, became), own in sorted(items.items()) for e in learned.explaining(name, became, own)
    ]
    return tuple(sorted(found))
