"""Which hidden fact would explain refusals: a search over who sets it and who clears it, without any states.

A hidden fact is an atom of a predicate that no model names. An operator is refused as long as it is true (or
as long as it is false), and others make it true or false. Of its truth at a node of the walks, the last
operator that wrote it decides; if none did, its truth at the start. So for each way to write it (an action,
and which of its parameters are the atom's arguments) it is enough to know when that was last done before each
example. Facts are tried for each action that is refused where nothing known forbids it, over up to MAX_ARITY
of its parameters; who writes a fact is found by a beam search for the fewest ways to write it.

At the start a fact is true of nothing, or of what some static predicate is true of. If neither explains
enough, the atoms that it must be true of then are read off the examples before which nobody could have
written it. Each of these costs as an edit: they are known of the tasks seen alone.

An operator that the world executes is never wrong about the fact. One that it refuses may be refused for
another reason, so what a fact leaves unexplained costs as it does in `agents.repair.model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from agents.repair.candidate import UNEXPLAINED
from agents.repair.examples import Mask, Numbers, keys_of
from agents.repair.forest import Forest

#: When something was last done, as a depth in the walks' trees; -1: never.
Times = NDArray[np.int16]
#: The most arguments of a hidden fact.
MAX_ARITY = 2
#: Examples of one kind that a fact is judged by; more are thinned out evenly.
MAX_ROWS = 3000
#: Cells of a table of times, and ways to write a fact, above which a fact is not tried.
MAX_CELLS, MAX_WRITERS = 20_000_000, 150
#: Facts that are kept from one step of the search to the next, and its steps.
BEAM, MOST_STEPS = 10, 5


@dataclass(frozen=True, order=True)
class Writer:
    """An action, and which of its parameters (by number) are the arguments of a fact."""

    action: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class Start:
    """Of what a fact is true at the start: what a static predicate is true of, and these atoms."""

    static: str = ""  #: the predicate; empty if there is none
    atoms: frozenset[tuple[int, int]] = frozenset()  #: a task and the key of an atom


@dataclass(frozen=True)
class Latent:
    """A hidden fact: who needs it, and who writes it."""

    reader: Writer
    needed: bool  #: whether the reader needs it to be true; else it needs it to be false
    start: Start
    setters: frozenset[Writer]
    clearers: frozenset[Writer]
    cost: float  #: about what it would cost, with what it leaves unexplained of the reader's refusals
    left: float  #: the share of these


@dataclass(frozen=True, eq=False)
class Refusals:
    """Examples of one action: executed by the world, and refused though nothing known forbids them."""

    action: str
    nodes: Numbers
    arguments: Numbers  #: shape (examples, arity)
    refused: Mask

    def thinned(self) -> Refusals:
        """At most MAX_ROWS of each kind."""
        kinds = (np.flatnonzero(self.refused == kind) for kind in (False, True))
        kept = np.concatenate([rows[:: max(1, -(-len(rows) // MAX_ROWS))] for rows in kinds])
        return Refusals(self.action, self.nodes[kept], self.arguments[kept], self.refused[kept])


#: The types of each action's parameters.
Kinds = Mapping[str, Sequence[str]]
#: Whether an object can be of two types.
Meets = Callable[[str, str], bool]
#: A static predicate with the types of its parameters, and its table; see `agents.repair.examples`.
Static = tuple[str, Sequence[str], Mask]


def readers(kinds: Kinds, action: str) -> Iterator[Writer]:
    """The parameters of an action that a fact may be of."""
    for arity in range(MAX_ARITY + 1):
        for places in combinations(range(len(kinds[action])), arity):
            yield Writer(action, places)


def writers(kinds: Kinds, meets: Meets, reader: Writer) -> list[Writer]:
    """Who may write the fact of a reader."""
    wanted = [kinds[reader.action][place] for place in reader.places]
    found = []
    for action, own in sorted(kinds.items()):
        fitting = [[p for p, kind in enumerate(own) if meets(kind, want)] for want in wanted]
        found += [Writer(action, ps) for ps in product(*fitting) if len(set(ps)) == len(ps)]
    return found


def last_written(walks: Forest, writer: Writer, asked: Numbers, base: int) -> Times:
    """When atoms, given by their ascending keys, were last written before each node; shape (nodes, asked)."""
    table = np.full((walks.nodes, len(asked)), -1, dtype=np.int16)
    for level in walks.levels:
        for group in level:
            rows = table[group.parents]
            if group.schema == writer.action:
                keys = _keys(writer, group.arguments, base)
                at = np.minimum(np.searchsorted(asked, keys), len(asked) - 1)
                hit = np.flatnonzero(asked[at] == keys)
                rows[hit, at[hit]] = walks.depth[group.nodes[hit]]
            table[group.nodes] = rows
    return table


def _keys(writer: Writer, arguments: Numbers, base: int) -> Numbers:
    columns = dict(enumerate(arguments.T))
    return keys_of([~place for place in writer.places], columns, len(arguments), base)


def latents_of(
    walks: Forest,
    examples: Refusals,
    kinds: Kinds,
    meets: Meets,
    statics: Sequence[Static],
    base: int,
    stop: Callable[[], bool],
) -> Iterator[Latent]:
    """For each choice of an action's parameters, the cheapest facts over these that explain some refusals."""
    examples = examples.thinned()
    for reader in readers(kinds, examples.action):
        if stop():
            return
        keys = _keys(reader, examples.arguments, base)
        asked, columns = np.unique(keys, return_inverse=True)
        ways = writers(kinds, meets, reader)
        if len(ways) > MAX_WRITERS or walks.nodes * len(asked) > MAX_CELLS:
            continue
        own = [kinds[reader.action][place] for place in reader.places]
        starts = {Start(): np.zeros(len(keys), dtype=np.bool_)}
        different = {bytes(len(walks.roots) * base ** len(own))}
        for name, types, table in statics:
            if len(types) == len(own) and all(map(meets, types, own)):
                at_start = table[list(walks.roots)].tobytes()
                if at_start not in different:  # in some task that was seen it differs from the others
                    different.add(at_start)
                    starts[Start(name)] = table[examples.nodes, keys]
        times = np.array([last_written(walks, way, asked, base)[examples.nodes, columns] for way in ways])
        known = (times < 0).all(axis=0)
        atoms = np.stack([walks.task[examples.nodes], keys], axis=1)
        starts |= dict(_starts_by(atoms, known & ~examples.refused, known & examples.refused))
        yield from _Writing(reader, ways, times, starts, examples.refused).found()


def _starts_by(atoms: Numbers, executed: Mask, refused: Mask) -> Iterator[tuple[Start, Mask]]:
    """The starts that are read off examples which nobody wrote before, if they are not all alike.

    The fact is true of what was executed, for those who need it to be true, or of what was refused.
    """
    may, may_not = (set(map(tuple, np.unique(atoms[own], axis=0).tolist())) for own in (executed, refused))
    for true in (may, may_not - may):
        if true and may_not - may:
            begun = [tuple(atom) in true for atom in atoms.tolist()]
            yield Start("", frozenset(true)), np.array(begun, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _Partial:
    """Some ways to write a fact, and when it was last set and cleared."""

    setters: frozenset[int]
    clearers: frozenset[int]
    set: Times
    cleared: Times


@dataclass(frozen=True, eq=False)
class _Longer:
    """A partial fact with one way more to write it."""

    partial: _Partial
    way: int
    adds: bool
    cost: float
    wrong: int  #: executed examples against it
    left: int  #: refused examples that it does not explain

    @property
    def ways(self) -> tuple[frozenset[int], frozenset[int]]:
        """Those that set the fact, and those that clear it."""
        own, setters, clearers = frozenset({self.way}), self.partial.setters, self.partial.clearers
        return (setters | own, clearers) if self.adds else (setters, clearers | own)

    def extended(self, times: Times) -> _Partial:
        """As a partial fact; `times` are those of the added way."""
        set_, cleared = self.partial.set, self.partial.cleared
        if self.adds:
            return _Partial(*self.ways, np.maximum(set_, times), cleared)
        return _Partial(*self.ways, set_, np.maximum(cleared, times))


class _Writing:
    """The search for who writes the fact of one reader. Equal examples are one with its weight."""

    def __init__(
        self,
        reader: Writer,
        ways: Sequence[Writer],
        times: Times,
        starts: Mapping[Start, Mask],
        refused: Mask,
    ):
        self._reader, self._ways, self._starts = reader, ways, tuple(starts)
        rows = np.concatenate(
            [_ranks(times.T), np.stack([*starts.values()], axis=1).astype(np.int16)], axis=1
        )
        rows, which = np.unique(rows, axis=0, return_inverse=True)
        which = which.reshape(-1)
        self._times = rows[:, : len(ways)].T
        self._begun = rows[:, len(ways) :].T.astype(np.bool_)
        self._refused, self._executed = (
            np.bincount(which[refused == kind], minlength=len(rows)) for kind in (True, False)
        )

    def found(self) -> Iterator[Latent]:
        """The cheapest fact for each start and sign, of those that explain something."""
        for start, begun in zip(self._starts, self._begun, strict=True):
            for needed in (False, True):
                best = self._best(start, begun, needed)
                if best is not None:
                    yield best

    def _best(self, start: Start, begun: Mask, needed: bool) -> Latent | None:
        """The cheapest fact with no executed example against it."""
        never = np.full(len(begun), -1, dtype=np.int16)
        beam = [_Partial(frozenset(), frozenset(), never, never)]
        best = self._unwritten(start, begun, needed) if start.atoms else None
        seen: set[object] = set()
        for steps in range(1, MOST_STEPS + 1):
            if best is not None and best.cost <= steps + len(start.atoms) + 1:  # no longer one can be cheaper
                break
            longer: list[_Longer] = []
            for partial in beam:
                for adds in (True, False):
                    errors = self._errors(partial, adds, begun, needed)
                    longer += _cheapest(partial, adds, len(start.atoms), *errors)
            longer.sort(key=lambda one: one.cost)
            right = [one for one in longer if not one.wrong and one.left < self._refused.sum()]
            if right and (best is None or right[0].cost < best.cost):
                setters, clearers = (frozenset(self._ways[w] for w in ways) for ways in right[0].ways)
                left = right[0].left / self._refused.sum()
                best = Latent(self._reader, needed, start, setters, clearers, right[0].cost, float(left))
            beam = []
            for one in longer:
                if len(beam) < BEAM and one.ways not in seen:
                    seen.add(one.ways)
                    beam.append(one.extended(self._times[one.way]))
        return best

    def _unwritten(self, start: Start, begun: Mask, needed: bool) -> Latent | None:
        """The fact that nobody writes, if no executed example is against it."""
        right = begun == needed
        left = np.array(self._refused[right].sum())
        if self._executed[~right].any() or left == self._refused.sum():
            return None
        cost = 1 + len(start.atoms) + float(_doubt(left))
        unexplained = float(left / self._refused.sum())
        return Latent(self._reader, needed, start, frozenset(), frozenset(), cost, unexplained)

    def _errors(self, partial: _Partial, adds: bool, begun: Mask, needed: bool) -> tuple[Numbers, Numbers]:
        """For each further way to write, the executed examples that it gets wrong, and the refused ones."""
        set_ = np.maximum(partial.set, self._times) if adds else partial.set
        cleared = partial.cleared if adds else np.maximum(partial.cleared, self._times)
        true = (set_ >= cleared) & (set_ >= 0)  # what is set and cleared at once is set
        true |= begun & (set_ < 0) & (cleared < 0)
        right = true == needed
        return (~right) @ self._executed, right @ self._refused


def _cheapest(partial: _Partial, adds: bool, atoms: int, wrong: Numbers, left: Numbers) -> list[_Longer]:
    """The best ways to go on from a partial fact, given what each gets wrong and leaves."""
    size = 2 + len(partial.setters) + len(partial.clearers) + atoms
    costs = size + _doubt(left) + _doubt(wrong)
    chosen = np.argsort(costs, kind="stable")[:BEAM].tolist()
    return [_Longer(partial, way, adds, float(costs[way]), int(wrong[way]), int(left[way])) for way in chosen]


def _doubt(count: Numbers) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 2 * UNEXPLAINED * np.log2(1 + count)
    return found


def _ranks(times: Times) -> Times:
    """The order of each row's times, equal ones alike; -1 stays."""
    order = np.argsort(times, axis=1, kind="stable")
    ordered = np.take_along_axis(times, order, axis=1)
    steps = np.zeros_like(ordered)
    steps[:, 1:] = np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1)
    steps -= (ordered[:, :1] == -1) if times.shape[1] else 0
    ranks = np.empty_like(times)
    np.put_along_axis(ranks, order, steps, axis=1)
    return ranks
