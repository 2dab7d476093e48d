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
from math import prod

import numpy as np
from numpy.typing import NDArray

from agents.operators.lifted import EQUAL, NamedLiteral, is_variable, overlapping, well_typed
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Vocabulary
from envs.pddl.traces.trace import Step, Trace, Traces, refuse_contradictions, without_contradictions

Table = NDArray[np.bool_]
#: A predicate, and the types of objects that an atom of it holds of.
Sort = tuple[str, tuple[str, ...]]
MAX_ATOMS = 2000


@dataclass(frozen=True, eq=False)
class AtomTruth:
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


def greedy_cover(covers: Table, least: int = 1) -> list[int]:
    """Columns that cover as many rows as all columns do, each with the most rows that were left; a set cover.

    Of equals, the first. `covers` is of shape (rows, columns). None is chosen that covers fewer than `least`.
    """
    chosen: list[int] = []
    while covers.size:
        gains = covers.sum(axis=0)
        best = int(gains.argmax())
        if gains[best] < least:
            break
        chosen.append(best)
        covers = covers[~covers[:, best]]
    return chosen


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
    atoms: tuple[NamedLiteral, ...]  #: sorted, all positive
    executed: tuple[Example, ...]
    refused: tuple[Example, ...]
    before: AtomTruth  #: of those that were executed
    after: AtomTruth  #: likewise
    places: NDArray[np.int64]  #: of those executed: equal numbers in a row are the same ground atom
    refused_in: AtomTruth  #: the states that those were refused in

    @property
    def literals(self) -> tuple[NamedLiteral, ...]:
        """The atoms, and then their negations."""
        return (*self.atoms, *(atom.negated for atom in self.atoms))


def consistent(traces: Traces, *, lenient: bool) -> Traces:
    """The traces in which no operator has two outcomes in one state: `lenient` leaves such steps out.

    Raises TraceError for them otherwise.
    """
    if lenient:
        return without_contradictions(traces)
    refuse_contradictions(traces)
    return traces


def whole_steps(traces: Traces) -> Iterator[tuple[int, Trace, Step]]:
    """The executed steps whose states were seen whole, each after its number in its trace, from 1."""
    for trace in traces.traces:
        for number, step in enumerate(trace.steps, start=1):
            seen = step.after is not None and trace.whole[step.before] and trace.whole[step.after]
            if step.executable and seen:
                yield number, trace, step


def examples_of(traces: Traces, action: str) -> Examples:
    """The examples of an action in the traces; steps without arguments are none."""
    vocabulary = traces.vocabulary
    parameters = vocabulary.actions[action]
    atoms = lifted_atoms(vocabulary, parameters)
    found = [example for trace in traces.traces for example in _examples(trace, action, parameters)]
    executed = tuple(e for e in found if e.step.executable)
    refused = tuple(e for e in found if not e.step.executable)
    columns = Columns(atoms)
    return Examples(
        action,
        parameters,
        atoms,
        executed,
        refused,
        columns.truth((e, e.step.before) for e in executed),
        columns.truth((e, e.step.after) for e in executed),
        columns.places(executed),
        columns.truth((e, e.step.before) for e in refused),
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
    for predicate, kinds in well_typed({kind: kind for kind in objects}, vocabulary):
        if prod(objects[kind] for kind in kinds) > named.get((predicate, kinds), 0):
            yield predicate, kinds


def lifted_atoms(vocabulary: Vocabulary, parameters: Parameters) -> tuple[NamedLiteral, ...]:
    """The well-typed atoms over parameters and constants, sorted."""
    terms = {**dict(parameters), **vocabulary.constants}
    found = tuple(sorted(NamedLiteral(*atom) for atom in well_typed(terms, vocabulary)))
    if len(found) <= MAX_ATOMS:
        return found
    return tuple(a for a in found if sum(not is_variable(term) for term in a.terms) <= 1)


def _examples(trace: Trace, action: str, parameters: Parameters) -> Iterator[Example]:
    for step in trace.steps:
        if step.action == action and len(step.arguments) == len(parameters):
            names = (variable for variable, _ in parameters)
            yield Example(trace, step, dict(zip(names, step.arguments, strict=True)))


def equalities_of(parameters: Parameters, vocabulary: Vocabulary) -> tuple[NamedLiteral, ...]:
    """Equalities of two parameters, or of a parameter and a constant, that may be the same object."""
    constants = tuple(vocabulary.constants.items())
    return tuple(
        NamedLiteral(EQUAL, (one, other))
        for place, (one, kind) in enumerate(parameters, start=1)
        for other, its in (*parameters[place:], *constants)
        if overlapping(kind, its, vocabulary.types)
    )


def equal_terms(equalities: Sequence[NamedLiteral], examples: Sequence[Example]) -> Table:
    """Which equalities hold in which examples; shape (examples, equalities)."""
    names: dict[str, int] = {}
    columns = {
        term: np.array([names.setdefault(e.binding.get(term, term), len(names)) for e in examples])
        for term in {term for equality in equalities for term in equality.terms}
    }
    found = np.zeros((len(examples), len(equalities)), dtype=np.bool_)
    for column, equality in enumerate(equalities):
        one, other = (columns[term] for term in equality.terms)
        found[:, column] = (one == other) == equality.positive
    return found


class Columns:
    """Looks the lifted atoms of one action up in the states of traces."""

    def __init__(self, atoms: Sequence[NamedLiteral]):
        self._atoms = atoms
        self._numbers: dict[int, dict[GroundAtom, int]] = {}
        self._known: dict[tuple[int, tuple[str, ...]], NDArray[np.int64]] = {}

    def truth(self, wanted: Iterable[tuple[Example, int | None]]) -> AtomTruth:
        """The truth of all atoms in these states; of a state that was not seen, nothing is known."""
        rows = list(wanted)
        true, known = (np.zeros((len(rows), len(self._atoms)), dtype=np.bool_) for _ in range(2))
        by_trace: dict[int, list[int]] = {}
        for row, (example, state) in enumerate(rows):
            if state is not None:
                by_trace.setdefault(id(example.trace), []).append(row)
        for own in by_trace.values():
            trace = rows[own[0]][0].trace
            states = np.array([rows[row][1] for row in own], dtype=np.int64)[:, None]
            columns = np.array([self._of(rows[row][0]) for row in own])
            # of what no state names, in the last place, the state's being whole says all
            true[own] = np.pad(trace.holds, ((0, 0), (0, 1)))[states, columns]
            known[own] = np.column_stack([trace.known, trace.whole])[states, columns]
        return AtomTruth(true, known)

    def places(self, examples: Sequence[Example]) -> NDArray[np.int64]:
        """See `Examples.places`; atoms that no state of the trace names are told apart from one another."""
        rows = [self._of(example) for example in examples]
        numbered = np.array(rows, dtype=np.int64).reshape(len(rows), len(self._atoms))
        return np.where(numbered >= 0, numbered, -1 - np.arange(len(self._atoms)))

    def _of(self, example: Example) -> NDArray[np.int64]:
        """The column of each lifted atom in the example's trace; -1 if none of its states names it."""
        trace = example.trace
        key = (id(trace), tuple(example.binding.values()))
        if key not in self._known:
            if id(trace) not in self._numbers:
                self._numbers[id(trace)] = {atom: i for i, atom in enumerate(trace.atoms)}
            numbers = self._numbers[id(trace)]
            found = [numbers.get(atom.ground(example.binding), -1) for atom in self._atoms]
            self._known[key] = np.array(found, dtype=np.int64)
        return self._known[key]
