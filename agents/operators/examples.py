"""What the traces say of one action, as truth tables: a row an example, a column a lifted atom.

The lifted atoms of an action are all well-typed ones over its parameters and the domain's constants. Where
that is more than `MAX_ATOMS`, those with several constants are left out. An example is a step whose arguments
are known; its row says of each lifted atom, ground by these arguments, whether it held before and after, and
whether that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.operators.lifted import Literal, kind_of
from envs.pddl.language import GroundAtom
from envs.pddl.traces import Step, Trace, Traces
from envs.pddl.vocabulary import Parameters, Vocabulary

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
    ground = _Ground(atoms)
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


def sorts_of(traces: Traces) -> frozenset[Sort]:
    """The sorts of all atoms that hold in some state."""
    return frozenset(
        (trace.atoms[i][0], tuple(trace.objects[name] for name in trace.atoms[i][1:]))
        for trace in traces.traces
        for i in np.flatnonzero(trace.holds.any(axis=0)).tolist()
    )


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
    """Looks the lifted atoms of one action up in the states of traces."""

    def __init__(self, atoms: Sequence[Literal]):
        self._atoms = atoms
        self._index: dict[int, dict[GroundAtom, int]] = {}
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
            index = self._index.get(id(trace))
            if index is None:
                index = self._index[id(trace)] = {atom: i for i, atom in enumerate(trace.atoms)}
            found = [index.get(atom.ground(example.binding), -1) for atom in self._atoms]
            self._columns[key] = np.array(found, dtype=np.int64)
        return self._columns[key]


def _taken(row: Table, columns: NDArray[np.int64]) -> Table:
    """The row at the columns; whatever stands at -1 is not meant."""
    if not len(row):
        return np.zeros(len(columns), dtype=np.bool_)
    taken: Table = row[columns]
    return taken
