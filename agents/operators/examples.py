"""What the traces say of one action, as truth tables: a row an example, a column a lifted atom.

The lifted atoms of an action are all well-typed ones over its parameters and the domain's constants. Where
that is more than `MAX_ATOMS`, those with several constants are left out. An example is a step whose arguments
are known; its row says of each lifted atom, ground by these arguments, whether it held before and after, and
whether that is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.operators.lifted import Literal, kind_of
from envs.pddl.language.vocabulary import Parameters, Vocabulary
from envs.pddl.traces.trace import Step, Trace, Traces

Table = NDArray[np.bool_]
#: A predicate, and the types of objects that an atom of it holds of.
Sort = tuple[str, tuple[str, ...]]
MAX_ATOMS = 2000


@dataclass(frozen=True, eq=False)
class Seen:
    """Lifted atoms in the states of some examples; both of shape (examples, atoms)."""

    true: Table
    known: Table

    @property
    def false(self) -> Table:
        """Known not to hold."""
        return self.known & ~self.true


def some(table: Table) -> Table:
    """Which columns hold in some row."""
    return np.asarray(table.any(axis=0), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Example:
    """One step: where it is, and its arguments by parameter."""

    trace: Trace
    step: Step
    binding: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Examples:
    """All examples of one action."""

    name: str
    parameters: Parameters
    atoms: tuple[Literal, ...]  #: sorted, all positive
    executed: tuple[Example, ...]
    refused: tuple[Example, ...]
    before: Seen  #: of those that were executed
    after: Seen  #: likewise
    places: NDArray[np.int64]  #: of those executed: equal numbers in a row are the same ground atom
    refused_in: Seen  #: the states that those were refused in


def examples_of(traces: Traces, action: str) -> Examples:
    """The examples of an action in the traces; steps without arguments are none."""
    vocabulary = traces.vocabulary
    parameters = vocabulary.actions[action]
    atoms = lifted_atoms(vocabulary, parameters)
    found = [example for trace in traces.traces for example in _examples(trace, action, parameters)]
    executed = tuple(e for e in found if e.step.executable)
    refused = tuple(e for e in found if not e.step.executable)
    names = [*(variable for variable, _ in parameters), *vocabulary.constants]
    ground = _Ground(atoms, names, vocabulary.predicates)
    return Examples(
        action,
        parameters,
        atoms,
        executed,
        refused,
        ground.seen((e, e.step.before) for e in executed),
        ground.seen((e, e.step.after) for e in executed),
        ground.places(executed),
        ground.seen((e, e.step.before) for e in refused),
    )


@dataclass(frozen=True)
class Sorts:
    """Of which sorts some atom was ever seen to hold, and of which some atom was ever not."""

    true: frozenset[Sort]
    untrue: frozenset[Sort]  #: false or unknown


def sorts_of(traces: Traces) -> Sorts:
    """The sorts of all atoms in all states."""
    true: set[Sort] = set()
    untrue: set[Sort] = set()
    for trace in traces.traces:
        named = [(atom[0], tuple(trace.objects[name] for name in atom[1:])) for atom in trace.atoms]
        true.update(named[i] for i in np.flatnonzero(trace.holds.any(axis=0)).tolist())
        untrue.update(named[i] for i in np.flatnonzero(~trace.holds.all(axis=0)).tolist())
        untrue.update(_with_unnamed(trace, Counter(named), traces.vocabulary))
    return Sorts(frozenset(true), frozenset(untrue))


def _with_unnamed(trace: Trace, named: Mapping[Sort, int], vocabulary: Vocabulary) -> Iterator[Sort]:
    """The sorts that have more atoms than the trace names."""
    objects = Counter(trace.objects.values())
    for predicate, parameters in vocabulary.predicates.items():
        fitting = [[own for own in objects if vocabulary.types.is_subtype(own, k)] for _, k in parameters]
        for kinds in product(*fitting):
            if prod(objects[kind] for kind in kinds) > named.get((predicate, kinds), 0):
                yield predicate, kinds


def lifted_atoms(vocabulary: Vocabulary, parameters: Parameters) -> tuple[Literal, ...]:
    """The well-typed atoms over parameters and constants, sorted."""
    found = tuple(sorted(_atoms(vocabulary, parameters)))
    if len(found) <= MAX_ATOMS:
        return found
    return tuple(a for a in found if sum(not term.startswith("?") for term in a.terms) <= 1)


def _atoms(vocabulary: Vocabulary, parameters: Parameters) -> Iterator[Literal]:
    terms = [*(variable for variable, _ in parameters), *vocabulary.constants]
    kinds = {term: kind_of(term, parameters, vocabulary.constants) for term in terms}
    for predicate, declared in vocabulary.predicates.items():
        fitting = [[t for t in terms if vocabulary.types.is_subtype(kinds[t], kind)] for _, kind in declared]
        for chosen in product(*fitting):
            yield Literal(predicate, chosen)


def _examples(trace: Trace, action: str, parameters: Parameters) -> Iterator[Example]:
    for step in trace.steps:
        if step.action == action and len(step.arguments) == len(parameters):
            names = (variable for variable, _ in parameters)
            yield Example(trace, step, dict(zip(names, step.arguments, strict=True)))


class _Ground:
    """Looks the lifted atoms of one action up in the states of traces.

    An atom is a number there: its predicate and its objects, each numbered, as the digits of one.
    """

    def __init__(self, atoms: Sequence[Literal], names: Sequence[str], predicates: Iterable[str]):
        """`names` are the variables and constants that the atoms' terms are."""
        self._atoms, self._names = atoms, names
        self._predicates = {name: i for i, name in enumerate(predicates)}
        self._width = max((len(atom.terms) for atom in atoms), default=0)
        place = {name: i for i, name in enumerate(names, start=1)}  # 0 fills up shorter atoms
        padded = [[place[t] for t in a.terms] + [0] * (self._width - len(a.terms)) for a in atoms]
        self._terms = np.array(padded, dtype=np.int64).reshape(len(atoms), self._width)
        self._heads = np.array([self._predicates[a.predicate] for a in atoms], dtype=np.int64)
        self._tables: dict[int, _Numbered] = {}
        self._columns: dict[tuple[int, tuple[str, ...]], NDArray[np.int64]] = {}

    def seen(self, wanted: Iterable[tuple[Example, int | None]]) -> Seen:
        """The truth of all atoms in these states; of a state that was not seen, nothing is known."""
        true: list[Table] = []
        known: list[Table] = []
        for example, state in wanted:
            if state is None:
                true.append(np.zeros(len(self._atoms), dtype=np.bool_))
                known.append(true[-1])
                continue
            columns, trace = self._of(example), example.trace
            named = columns >= 0
            true.append(named & _taken(trace.holds[state], columns))
            known.append(np.where(named, _taken(trace.known[state], columns), trace.whole[state]))
        shape = (len(true), len(self._atoms))
        return Seen(*(np.array(rows, dtype=np.bool_).reshape(shape) for rows in (true, known)))

    def places(self, examples: Sequence[Example]) -> NDArray[np.int64]:
        """See `Examples.places`; atoms that no state of the trace names are told apart from one another."""
        rows = [self._of(example) for example in examples]
        numbered = np.array(rows, dtype=np.int64).reshape(len(rows), len(self._atoms))
        unnamed = -1 - np.arange(len(self._atoms))
        return np.where(numbered >= 0, numbered, unnamed)

    def _of(self, example: Example) -> NDArray[np.int64]:
        """The column of each lifted atom in the example's trace; -1 if none of its states names it."""
        trace = example.trace
        key = (id(trace), example.step.arguments)
        if key not in self._columns:
            table = self._tables.get(id(trace))
            if table is None:
                table = self._tables[id(trace)] = _Numbered(trace, self._predicates, self._width)
            names = (example.binding.get(name, name) for name in self._names)
            self._columns[key] = table.columns(self._heads, self._terms, names)
        return self._columns[key]


class _Numbered:
    """The atoms of one trace as sorted numbers."""

    def __init__(self, trace: Trace, predicates: Mapping[str, int], width: int):
        self._objects = {name: i for i, name in enumerate(trace.objects, start=1)}
        self._base = len(self._objects) + 1
        wide = (len(predicates) + 1) * self._base**width >= 2**62
        self._dtype = object if wide else np.int64  # Python's integers where 64 bits could overflow
        own = [(i, a) for i, a in enumerate(trace.atoms) if a[0] in predicates and len(a) <= width + 1]
        digits = [[self._objects[n] for n in a[1:]] + [0] * (width + 1 - len(a)) for _, a in own]
        heads = np.array([predicates[a[0]] for _, a in own], dtype=np.int64)
        numbers = self._number(heads, np.array(digits, dtype=np.int64).reshape(len(own), width))
        order = np.argsort(numbers, kind="stable")
        self._numbers = numbers[order]
        self._places = np.array([i for i, _ in own], dtype=np.int64)[order]

    def columns(
        self, heads: NDArray[np.int64], terms: NDArray[np.int64], names: Iterable[str]
    ) -> NDArray[np.int64]:
        """The places in `Trace.atoms` of atoms whose terms are numbers of `names`, from 1; -1 for none."""
        if not len(self._numbers):
            return np.full(len(heads), -1, dtype=np.int64)
        objects = np.array([0, *(self._objects[name] for name in names)], dtype=np.int64)
        wanted = self._number(heads, objects[terms])
        found = np.minimum(np.searchsorted(self._numbers, wanted), len(self._numbers) - 1)
        return np.where(self._numbers[found] == wanted, self._places[found], -1)

    def _number(self, heads: NDArray[np.int64], digits: NDArray[np.int64]) -> NDArray[Any]:
        number = heads.astype(self._dtype)
        for column in digits.T:
            number = number * self._base + column
        return number


def _taken(row: Table, columns: NDArray[np.int64]) -> Table:
    """The row at the columns; whatever stands at -1 is not meant."""
    if not len(row):
        return np.zeros(len(columns), dtype=np.bool_)
    taken: Table = row[columns]
    return taken
