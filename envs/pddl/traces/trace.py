"""Traces: states and steps observed in an environment while operators were tried in it.

A trace has objects, the states that were seen, and steps. A step is an operator tried in one of the states:
it was executed and led to another state (or to one that was not seen), or it was refused. States may be
partial: what is known to hold, what is known not to, and all else unknown; in a whole state all else is
false. Within a trace, states are rows of truth tables over the trace's own atoms, so a thousand traces of
thirty steps take some megabytes.

An operator may be named without its arguments, `(move)`, where only the action was seen. The vocabulary says
what may be named: a domain's declarations without any condition or effect; a world that shows its states has
one too (`vocabulary_of`). `files` reads and writes.

Traces may contradict themselves: an operator has two different outcomes in the same state. Only whole states
can be known to be the same one. That an operator was executed once and refused another time, or led to two
states that cannot be one, is the fault of the traces (or of an environment that is not deterministic): no
operator of ours explains both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import NamesConstants, NamesDomain, ShowsStates, World
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.template import interface_vocabulary
from envs.pddl.language.vocabulary import Vocabulary

#: Truth tables: a row a state, a column an atom.
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class SeenState:
    """A state as it was seen: what holds, and what does not; `false` is None if that is all else."""

    true: frozenset[GroundAtom]
    false: frozenset[GroundAtom] | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is unknown."""
        return self.false is None

    def allows(self, other: SeenState) -> bool:
        """Whether both may be the same state."""
        return not (_denied(self, other) or _denied(other, self))


def _denied(one: SeenState, other: SeenState) -> bool:
    """Whether something that holds in `one` does not in `other`."""
    return not one.true <= other.true if other.false is None else not one.true.isdisjoint(other.false)


@dataclass(frozen=True)
class Step:
    """One operator tried. `before` and `after` number the states of its trace."""

    operator: str  #: canonical text; `(move)` if the arguments are not known
    executable: bool
    before: int
    after: int | None = None  #: None if it was refused, or if the state it led to was not seen
    place: str = field(default="", compare=False)  #: where it was read, `file:line`

    @property
    def action(self) -> str:
        """The name of its action."""
        return _parsed(self.operator)[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        """Its arguments; none if they are not known."""
        return _parsed(self.operator)[1]


@lru_cache(maxsize=1 << 16)  # each learner asks for each step more than once
def _parsed(operator: str) -> tuple[str, tuple[str, ...]]:
    return parse_operator(operator)


@dataclass(frozen=True, eq=False)
class Trace:
    """One trace. Made by `trace_of`; treated as immutable."""

    name: str
    objects: Mapping[str, str]  #: object to its type, constants included
    atoms: tuple[GroundAtom, ...]  #: sorted: all that any state names
    holds: Truths  #: shape (states, atoms): known to hold
    known: Truths  #: shape (states, atoms): known to hold or known not to
    whole: Truths  #: shape (states,): whether what `atoms` lacks is false there, and not unknown
    steps: tuple[Step, ...]

    def state(self, number: int) -> SeenState:
        """One of the states."""
        row, known = self.holds[number], self.known[number]
        true = frozenset(self.atoms[i] for i in np.flatnonzero(row).tolist())
        if self.whole[number]:
            return SeenState(true)
        return SeenState(true, frozenset(self.atoms[i] for i in np.flatnonzero(known & ~row).tolist()))

    @property
    def same(self) -> tuple[object, ...]:
        """What makes two traces equal."""
        states = tuple(self.state(i) for i in range(len(self.whole)))
        return self.name, tuple(sorted(self.objects.items())), states, self.steps


def trace_of(
    name: str, objects: Mapping[str, str], states: Sequence[SeenState], steps: Iterable[Step]
) -> Trace:
    """The trace with these states and steps."""
    atoms = tuple(sorted({atom for s in states for atom in (*s.true, *(s.false or ()))}))
    index = {atom: i for i, atom in enumerate(atoms)}
    holds = np.zeros((len(states), len(atoms)), dtype=np.bool_)
    known = np.ones_like(holds)
    for row, state in enumerate(states):
        holds[row, [index[atom] for atom in state.true]] = True
        if state.false is not None:
            known[row] = holds[row]
            known[row, [index[atom] for atom in state.false]] = True
    whole = np.array([s.whole for s in states], dtype=np.bool_)
    return Trace(name, dict(objects), atoms, holds, known, whole, tuple(steps))


@dataclass(frozen=True)
class TraceFault:
    """One fault in a file of traces: its place, a message and a fix."""

    place: str  #: `file:line`
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}; {self.fix}"


class TraceError(ValueError):
    """Traces that cannot be used as they are; `faults` say where and why. Survives pickling."""

    def __init__(self, faults: Sequence[TraceFault]):
        super().__init__(tuple(faults))
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


@dataclass(frozen=True, eq=False)
class Traces:
    """Many traces in the same words. Their order means nothing to whoever learns from them."""

    vocabulary: Vocabulary
    traces: tuple[Trace, ...]
    faults: tuple[TraceFault, ...] = ()  #: what was left out, where that was asked for
    #: Whether all states were searched for operators that a learned model lets run and the world refuses.
    refusals_searched: bool = False

    @property
    def steps(self) -> int:
        """How many steps there are in all."""
        return sum(len(trace.steps) for trace in self.traces)


#: The domain of a world that does not name one.
UNNAMED = "learned"


def vocabulary_of(world: World) -> Vocabulary:
    """What may be named in a world that shows its states. Raises TypeError if it does not."""
    if not isinstance(world, ShowsStates):
        raise TypeError(f"world {world.name!r} does not show its states: give it facts, predicates and goal")
    constants = world.constants if isinstance(world, NamesConstants) else {}
    words = replace(interface_vocabulary(UNNAMED, world, constants), predicates=dict(world.predicates))
    if isinstance(world, NamesDomain):
        functions, costs = dict(world.functions), dict(world.costs)
        return replace(words, name=world.domain_name, functions=functions, costs=costs)
    return words


def refuse_contradictions(traces: Traces) -> None:
    """Raises TraceError if an operator has two different outcomes in the same state."""
    faults = [fault for _, fault in _contradictions(traces)]
    if faults:
        raise TraceError(faults)


def without_contradictions(traces: Traces) -> Traces:
    """The traces without the steps that contradict each other; each contradiction is listed in `faults`."""
    found = list(_contradictions(traces))
    out = {place for places, _ in found for place in places}
    kept = tuple(
        replace(trace, steps=tuple(s for j, s in enumerate(trace.steps) if (i, j) not in out))
        for i, trace in enumerate(traces.traces)
    )
    return replace(traces, traces=kept, faults=(*traces.faults, *(fault for _, fault in found)))


def _contradictions(traces: Traces) -> Iterator[tuple[list[tuple[int, int]], TraceFault]]:
    """The steps of each state and operator that do not all agree, by trace and number, and what is wrong."""
    tried: dict[tuple[bytes, str], list[tuple[int, int]]] = {}
    for i, trace in enumerate(traces.traces):
        keys = _keys(trace)
        for j, step in enumerate(trace.steps):
            key = keys[step.before]
            if key is not None and (step.arguments or not traces.vocabulary.actions[step.action]):
                tried.setdefault((key, step.operator), []).append((i, j))
    for places in tried.values():
        fault = _clash(traces, places) if len(places) > 1 else None
        if fault is not None:
            yield places, fault


def _clash(traces: Traces, places: list[tuple[int, int]]) -> TraceFault | None:
    """The first two that do not agree. Equal outcomes are compared once: there may be many steps."""
    outcomes: dict[tuple[bool, SeenState | None], str] = {}  # each with the place where it is met first
    for i, j in places:
        trace = traces.traces[i]
        step = trace.steps[j]
        after = None if step.after is None else trace.state(step.after)
        outcomes.setdefault((step.executable, after), step.place or f"step {j + 1} of trace {trace.name}")
    for ((ran, one), first), ((runs, other), second) in combinations(outcomes.items(), 2):
        if ran != runs or not (one is None or other is None or one.allows(other)):
            what = "leads to two states" if ran == runs else "is executed and refused"
            message = f"{step.operator} {what} in the same state, here and in {first}"
            return TraceFault(second, message, "correct one, or learn from the consistent traces")
    return None


def _keys(trace: Trace) -> list[bytes | None]:
    """For each state a hash of its objects and of what holds in it; None for partial ones."""
    texts = [" ".join(atom).encode() for atom in trace.atoms]
    objects = repr(sorted(trace.objects.items())).encode()
    keys: list[bytes | None] = []
    for row, whole in zip(trace.holds, trace.whole, strict=True):
        held = b"\n".join(texts[i] for i in np.flatnonzero(row).tolist())
        keys.append(hashlib.sha256(objects + b"\0" + held).digest() if whole else None)
    return keys
