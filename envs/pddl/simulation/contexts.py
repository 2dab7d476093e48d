"""Contexts of a model's operators: where a literal of which their precondition says nothing holds, or not.

Each is of some operators of one action, and of one literal over its parameters, or of two. There are many:
where operators times literals are more than can be looked up in each of many states, those operators that an
action has most of are thinned out, in a fixed way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices
from envs.pddl.language.domain import Action, Domain
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.simulation.rows import places_in, sorted_rows
from envs.pddl.simulation.simulator import Task

#: Operators times literals of all contexts.
_MOST_LOOKUPS = 500_000
#: Literals of an action above which it has no contexts of two.
_MOST_PAIRED = 16
#: Truth values of literals that are looked at in one go.
_MOST_HELD = 4_000_000


@dataclass(frozen=True, eq=False)
class Contexts:
    """Where each of some literals holds of some operators that may run, and each of some pairs of them."""

    texts: tuple[str, ...]  #: the literals, and the pairs
    operators: OperatorIndices
    atoms: NDArray[np.int64]  #: the literals' atoms of each operator; shape (literals, operators), -1: none
    signs: NDArray[np.bool_]  #: of the literals; shape (literals, 1)
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]  #: the first and the second literal of each

    def shown(self, bits: NDArray[np.bool_], open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of them can be shown; shape (states, texts).

        `bits` are the states, and a column for an atom that never holds; `open_to` is what may run in them.
        """
        found = np.zeros((len(bits), len(self.texts)), dtype=np.bool_)
        rows, places = np.nonzero(open_to[:, self.operators])  # few operators may run in one state
        size = max(1, _MOST_HELD // len(self.texts))
        for part in (slice(start, start + size) for start in range(0, len(rows), size)):
            starts = np.flatnonzero(np.diff(rows[part], prepend=-1))
            held = self._held(bits, rows[part], places[part])
            found[rows[part][starts]] |= np.logical_or.reduceat(held, starts, axis=1).T
        return found

    def showing(self, place: int, bits: NDArray[np.bool_], open_to: NDArray[np.bool_]) -> OperatorIndices:
        """The operators that show the one at a place in a state, a batch of one."""
        rows, places = np.nonzero(open_to[:, self.operators])
        found: OperatorIndices = self.operators[places[self._held(bits, rows, places)[place]]]
        return found

    def _held(
        self, bits: NDArray[np.bool_], rows: NDArray[np.int64], places: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """What is shown in states by operators, one each; shape (texts, states)."""
        held: NDArray[np.bool_] = bits[rows, self.atoms[:, places]] == self.signs
        one, other = self.pairs
        return np.concatenate([held, held[one] & held[other]])


def contexts_of(
    domain: Domain, task: Task, operators: Sequence[tuple[Action, OperatorIndices, bool]]
) -> Iterator[Contexts | None]:
    """The contexts of operators, each of an action, in a task; None where there are none.

    The flag behind them says whether there are to be pairs, too.
    """
    lookup = _AtomLookup(task)
    fluents = {atom[0] for atom in task.atoms}
    literals = [_unsaid(domain, action, fluents) for action, *_ in operators]
    sizes = [len(own) * len(listed) for (_, own, _), listed in zip(operators, literals, strict=True)]
    most = _level(sizes, _MOST_LOOKUPS)
    for (action, all_own, paired), listed in zip(operators, literals, strict=True):
        if not len(all_own) or not listed:
            yield None
            continue
        own = _thinned(all_own, max(1, most // len(listed)))
        variables = [v.symbol for v in action.parameters]
        arguments = lookup.arguments(own, len(variables))
        looked_up = [
            lookup.atoms(name, arguments[:, [variables.index(t) for t in terms]]) for name, *terms in listed
        ]
        texts = list(chain.from_iterable(map(_signed, listed)))
        pairs = np.triu_indices(len(texts) if paired and len(texts) <= _MOST_PAIRED else 0, 1)
        yield Contexts(
            (*texts, *(f"{texts[one]} {texts[other]}" for one, other in zip(*pairs, strict=True))),
            own,
            np.array(looked_up).repeat(2, axis=0),
            np.array([[True], [False]] * len(listed)),
            pairs,
        )


class _AtomLookup:
    """Finds the numbers of a task's fluent atoms by the numbers of their arguments."""

    def __init__(self, task: Task):
        self._task = task
        self._objects: dict[str, int] = {}
        by_predicate: dict[str, list[tuple[int, ...]]] = {}
        for number, (name, *arguments) in enumerate(task.atoms):
            by_predicate.setdefault(name, []).append((*map(self._object, arguments), number))
        self._rows = {
            name: sorted_rows(np.array(rows, dtype=np.int64)) for name, rows in by_predicate.items()
        }

    def _object(self, name: str) -> int:
        return self._objects.setdefault(name, len(self._objects))

    def arguments(self, operators: OperatorIndices, arity: int) -> NDArray[np.int64]:
        """The numbers of operators' arguments; shape (operators, arity)."""
        words = (parse_operator(self._task.operators[o])[1] for o in operators.tolist())
        found = [list(map(self._object, arguments)) for arguments in words]
        return np.array(found, dtype=np.int64).reshape(len(found), arity)

    def atoms(self, predicate: str, arguments: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the atom with each row of arguments; -1 where it is no fluent of the task."""
        rows = self._rows[predicate]
        places = places_in(rows[:, :-1], arguments)
        return np.where(places >= 0, rows[places, -1], -1)


def _signed(atom: Sequence[str]) -> tuple[str, str]:
    """The texts of both literals of an atom."""
    text = f"({' '.join(atom)})"
    return text, f"(not {text})"


def _unsaid(domain: Domain, action: Action, fluents: Collection[str]) -> list[tuple[str, ...]]:
    """Atoms of fluents over different parameters of an action, of which its precondition says nothing."""
    said = render_formula(action.precondition)
    scope = tuple((v.symbol, v.sort.name) for v in action.parameters)
    fitting = [atom for atom in domain.vocabulary.atoms(scope) if atom[0] in fluents]
    different = (atom for atom in fitting if len(set(atom[1:])) == len(atom) - 1)
    return sorted((a for a in different if f"({' '.join(a)})" not in said), key=itemgetter(0))


def _level(sizes: Sequence[int], most: int) -> int:
    """The size to which larger ones have to be cut for all of them to be no more than `most` together."""
    ordered, left = sorted(sizes), most
    for place, size in enumerate(ordered):
        if size * (len(ordered) - place) > left:
            return left // (len(ordered) - place)
        left -= size
    return most


def _thinned(operators: OperatorIndices, most: int) -> OperatorIndices:
    """At most so many of them, drawn in a fixed way, in their order."""
    if len(operators) <= most:
        return operators
    return np.sort(np.random.default_rng(most).choice(operators, most, replace=False))
